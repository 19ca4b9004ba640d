"""The options of BERTScore, and the metric that they make."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from wfkit.metrics.bertscore import Bertscore

OPTION_NAMES = ("bertscore_model", "bertscore_layers", "bertscore_baseline")

_OPTIONS = [
    click.option(
        "--bertscore-model", metavar="NAME|DIR",
        help="Model of the metric bertscore, which must be on this machine.  [default: roberta-large]",
    ),
    click.option(
        "--bertscore-layers", metavar="N", type=click.IntRange(1),
        help="How many of its layers to take.  [default: 17 of roberta-large]",
    ),
    click.option(
        "--bertscore-baseline", metavar="FILE",
        help="Baseline to rescale with (LAYER,P,R,F).  [default: the one that bert-score has for the model]",
    ),
]  # fmt: skip


def bertscore_options(build: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options above; the build function gets them by name."""
    for option in reversed(_OPTIONS):
        build = option(build)
    return build


def open_bertscore(
    filter_name: str,
    cache: str | None,
    *,
    bertscore_model: str | None,
    bertscore_layers: int | None,
    bertscore_baseline: str | None,
) -> "Bertscore":
    """The metric behind its cache.

    Args:
        filter_name: who tells of problems with the cache.
        cache: the folder of the cache, empty for the usual one, None for none.

    Raises:
        UsageProblem: no such layer, no baseline.
        Unavailable: no model or no library.
    """
    from wfkit.filters.encoding import open_cache
    from wfkit.metrics.bertscore import Bertscore
    from wfkit.models.bertscore import find_setup
    from wfkit.models.pair_scorer import PairScorer

    setup = find_setup(bertscore_model, bertscore_layers, bertscore_baseline)
    return Bertscore(PairScorer(setup, open_cache(filter_name, cache, "score")))
