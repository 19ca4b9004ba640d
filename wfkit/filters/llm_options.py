"""The options of every filter that calls language models, and the client that they make."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfkit.errors import UsageProblem
from wfkit.filters.options import NumberRange

if TYPE_CHECKING:
    from wfkit.llm.cache import AnswerCache
    from wfkit.llm.client import Client

_OPTIONS = [
    click.option(
        "--endpoints", metavar="FILE",
        help='Endpoint profiles: {"NAME": {"base_url", "key_variable"?, "api_version"?}}; a model names its own as '
        "MODEL@NAME.",
    ),
    click.option(
        "--llm-jobs", metavar="N", type=click.IntRange(1, 256), default=4, show_default=True,
        help="Calls under way at the same time; the output is the same, in the same order.",
    ),
    click.option(
        "--llm-timeout", metavar="SECONDS", type=NumberRange(0, min_open=True), default=60, show_default=True,
        help="A call has failed after so long without an answer.",
    ),
    click.option(
        "--llm-retries", metavar="N", type=click.IntRange(0), default=5, show_default=True,
        help="How often a call is repeated after 429, 5xx, a timeout or a broken connection.",
    ),
    click.option(
        "--max-calls", metavar="N", type=click.IntRange(0), help="Make no more calls than this, retries included."
    ),
    click.option(
        "--max-cost", metavar="USD", type=NumberRange(0), help="Spend no more than this; needs --prices."
    ),
    click.option(
        "--prices", metavar="FILE", help='Prices: {"MODEL": {"input": USD per million tokens, "output": ...}}.'
    ),
    click.option(
        "--dry-run", is_flag=True, help="Tell how many calls there would be and their cost; call nobody, write nothing."
    ),
]  # fmt: skip


def llm_options(build: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options above; the build function gets them by name."""
    for option in reversed(_OPTIONS):
        build = option(build)
    return build


def open_client(
    filter_name: str,
    models: Sequence[str],
    cache: str | None,
    *,
    endpoints: str | None,
    llm_jobs: int,
    llm_timeout: float,
    llm_retries: int,
    max_calls: int | None,
    max_cost: float | None,
    prices: str | None,
    dry_run: bool,
) -> "Client":
    """The client for some models.

    Args:
        cache: the folder of the cache, empty for the usual one, None for none.

    Raises:
        UsageProblem: a model's name or a file is not as it must be, a model is given twice, or ``--max-cost`` has no
            price to count with.
    """
    import os

    from wfkit.filters.options import read_json
    from wfkit.llm.budget import Budget
    from wfkit.llm.client import Client, Settings
    from wfkit.llm.endpoints import Endpoints
    from wfkit.llm.prices import prices_from

    _one_process(filter_name)
    for model in models:
        if not model or not model.isprintable() or any(letter in model for letter in "| "):
            raise UsageProblem(f"{model!r} is no name of a model")
        if models.count(model) > 1:
            raise UsageProblem(f"model {model!r} is given twice")
    profiles = {} if endpoints is None else read_json(endpoints)
    if not isinstance(profiles, dict):
        raise UsageProblem(f"{endpoints}: endpoint profiles are an object of objects")
    client = Client(
        Endpoints(profiles, os.environ, keys_needed=not dry_run),
        settings=Settings(timeout=llm_timeout, retries=llm_retries, jobs=llm_jobs),
        budget=Budget(max_calls, max_cost),
        prices={} if prices is None else prices_from(read_json(prices)),
        cache=None if cache is None else _cache(filter_name, cache),
    )
    unpriced = [model for model in models if client.price(model) is None]
    if max_cost is not None and unpriced:
        raise UsageProblem(
            f"--max-cost needs the price of {unpriced[0]}: --prices FILE with "
            f'{{"{unpriced[0]}": {{"input": USD per million tokens, "output": USD per million tokens}}}}'
        )
    return client


def closing(filter_name: str, client: "Client") -> Callable[[], None]:
    """The ``close`` of a stage: ends the client and tells of calls that could not be waited for."""

    def close() -> None:
        left = client.stop()
        if left:
            from wfkit import streams

            streams.tell(f"{filter_name}: {left} calls are left alone; the next run makes them again")

    return close


def _one_process(filter_name: str) -> None:
    """Refuse ``--jobs``: caps that several processes count are not exact, and calls need threads, not processes."""
    from multiprocessing import parent_process

    context = click.get_current_context(silent=True)
    if parent_process() is not None or (context is not None and context.params.get("jobs", 1) > 1):
        raise UsageProblem(f"{filter_name}: with language models use --llm-jobs instead of --jobs")


def _cache(filter_name: str, folder: str) -> "AnswerCache":
    from pathlib import Path

    from wfkit import streams
    from wfkit.llm.cache import AnswerCache
    from wfkit.models.places import cache_directory

    directory = Path(folder) if folder else cache_directory()
    return AnswerCache(directory, lambda line: streams.tell(f"{filter_name}: {line}"))
