"""The options of `wf-parse` that say how formats are read; they fill `wfkit.formats.base.ParseOptions`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from wfkit.errors import UsageProblem

if TYPE_CHECKING:
    from wfkit.formats.base import ParseOptions

TEXT_CHOICES = ("auto", "name", "desc", "both")

OPTIONS = (
    click.option("--strict", is_flag=True, help="For goldens: a lost edge or a second workflow is an error."),
    click.option("--order", type=click.Choice(["listed", "topo"]), help="Order of the steps.  [default: the format's]"),
    click.option(
        "--cycles", type=click.Choice(["error", "break", "keep"]),
        help="What becomes of a cycle.  [default: the format's]",
    ),
    click.option("--assume-chain", is_flag=True, help="Steps that nothing joins form a chain in listed order."),
    click.option("--keep-terminals", is_flag=True, help="Keep START and END as steps."),
    click.option(
        "--empty-text", type=click.Choice(["error", "id"]), default="error", show_default=True,
        help="What becomes of a step without text.",
    ),
    click.option("--reduce", is_flag=True, help="Leave out every edge that a longer path implies."),
    click.option(
        "--text", metavar="CHOICE", default="auto", show_default=True,
        help="The text of a tool's step: auto, name, desc, both, or a template such as '{name} ({type})'.",
    ),
    click.option("--params", is_flag=True, help="Keep the parameters of a tool's steps, under params."),
    click.option("--collapse", is_flag=True, help="Keep loops, scopes and called templates closed, as one step each."),
    click.option(
        "--error-edges/--no-error-edges", default=True, show_default=True,
        help="Keep the branches that only an error takes.",
    ),
    click.option(
        "--ai", type=click.Choice(["fold", "keep"]), default="fold", show_default=True,
        help="n8n, Flowise: models, memory and tools wired to an agent are what it uses, or steps.",
    ),
    click.option("--keep-disabled", is_flag=True, help="n8n: disabled nodes stay."),
    click.option("--drop-control", is_flag=True, help="asl: bridge Pass and Succeed states."),
    click.option("--steps", "expand_jobs", is_flag=True, help="gha: the steps of a job instead of the job."),
    click.option(
        "--map", "mapping", metavar="PLACES",
        help="An unknown JSON or YAML dialect: nodes=.PATH,id=.PATH,text=.PATH and depends_on=.PATH, "
        "or edges=.PATH,source=.PATH,target=.PATH.",
    ),
)  # fmt: skip


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def parse_options(*, ai: str, mapping: str | None, text: str, **others: Any) -> "ParseOptions":
    """What the values of the options mean.

    Raises:
        UsageProblem: a text or map that says nothing.
    """
    from wfkit.formats.base import ParseOptions

    if text not in TEXT_CHOICES and "{" not in text:
        choices = ", ".join(TEXT_CHOICES)
        raise UsageProblem(f"--text is one of {choices}, or a template with fields in braces, not {text!r}")
    places = None
    if mapping is not None:
        from wfkit.formats.mapped import parse_map

        places = parse_map(mapping)
    return ParseOptions(keep_wiring=ai == "keep", mapping=places, text=text, **others)
