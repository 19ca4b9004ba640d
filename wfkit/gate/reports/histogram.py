"""How the scores of one metric are spread, as a small drawing with the bars of the policy in it."""

from collections.abc import Sequence
from html import escape
from statistics import median
from typing import NamedTuple

from wfkit.gate.wording import counted

BINS = 25
WIDTH, HEIGHT = 320, 130
_LEFT, _RIGHT, _TOP, _BOTTOM = 28, 312, 22, 112


class Bar(NamedTuple):
    """A threshold of the policy: what follows below it."""

    below: float
    action: str


def figure(metric: str, passed: Sequence[float], others: Sequence[float], nulls: int, bars: Sequence[Bar]) -> str:
    """An HTML ``figure``.

    Args:
        metric: its name, safe to show.
        passed: scores of the pairs that passed.
        others: scores of the pairs that did not.
        nulls: pairs without this score.
        bars: the thresholds that the metric is compared with.
    """
    everything = [*passed, *others]
    facts = [f"{len(everything)} measured"]
    if nulls:
        facts.append(f"{nulls} not measured")
    if everything:
        facts.append(f"lowest {min(everything):.4g}, median {median(everything):.4g}")
    facts += (f"{sum(value < bar.below for value in everything)} below {bar.below!r}" for bar in bars)
    described = ", ".join(facts)
    picture = _picture(f"{metric}: {described}", passed, others, bars) if everything else ""
    return f"<figure><b>{escape(metric)}</b>{picture}<figcaption>{escape(described)}</figcaption></figure>"


def _picture(label: str, passed: Sequence[float], others: Sequence[float], bars: Sequence[Bar]) -> str:
    everything = [*passed, *others, *(bar.below for bar in bars)]
    low, high = min(0.0, *everything), max(1.0, *everything)
    passing, failing = _binned(passed, low, high), _binned(others, low, high)
    highest = max(map(sum, zip(passing, failing, strict=True)))
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">',
        f'<line class="axis" x1="{_LEFT}" y1="{_BOTTOM}" x2="{_RIGHT}" y2="{_BOTTOM}"/>',
        f'<text x="{_LEFT}" y="{HEIGHT - 4}">{low:.4g}</text>',
        f'<text x="{_RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{high:.4g}</text>',
        f'<text x="{_LEFT - 4}" y="{_TOP + 10}" text-anchor="end">{highest}</text>',
    ]
    width = (_RIGHT - _LEFT) / BINS
    for number, (good, bad) in enumerate(zip(passing, failing, strict=True)):
        top = float(_BOTTOM)
        for name, count in (("bar-pass", good), ("bar-other", bad)):
            if count:
                height = max(1.5, (_BOTTOM - _TOP) * count / highest)
                top -= height
                left = _LEFT + number * width
                parts.append(
                    f'<rect class="{name}" x="{left:.1f}" y="{top:.1f}" width="{width - 1:.1f}" height="{height:.1f}"/>'
                )
    for bar in bars:
        x = _LEFT + (_RIGHT - _LEFT) * (bar.below - low) / (high - low)
        anchor = "end" if x > (_LEFT + _RIGHT) / 2 else "start"
        parts.append(f'<line class="bar-line" x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{_BOTTOM}"/>')
        text = f"{escape(bar.action)} below {bar.below:.4g}"
        parts.append(f'<text class="bar-label" x="{x:.1f}" y="{_TOP - 10}" text-anchor="{anchor}">{text}</text>')
    return "".join([*parts, "</svg>"])


def _binned(values: Sequence[float], low: float, high: float) -> list[int]:
    """How many values each of `BINS` equal parts holds; the highest value is in the last."""
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int(BINS * (value - low) / (high - low)))] += 1
    return counts


def captioned(count: int) -> str:
    """What the two colours mean."""
    return (
        '<p class="soft"><span class="key bar-pass"></span> passed, <span class="key bar-other"></span> did not pass; '
        f"a dashed line is a bar of the policy. {counted(count, 'workflow')}.</p>"
    )
