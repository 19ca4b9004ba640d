"""What all figures share: their style, and how they become files. The same figure gives the same bytes."""

import io
import re
from collections.abc import Iterator

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

STYLE = {
    "svg.hashsalt": "wfkit",  # without it the ids inside an SVG are drawn anew every time
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "figure.titlesize": 13,
    "text.parse_math": False,  # names are data
}
PNG_DOTS_PER_INCH = 130


def files_of(figure: Figure, stem: str, taken: set[str]) -> Iterator[tuple[str, bytes]]:
    """A figure as SVG and as PNG, under a name that no other figure has.

    Args:
        figure: drawn within `matplotlib.rc_context(STYLE)`, which must still hold.
        stem: what to call it.
        taken: the names given so far; the new one is added.

    Yields:
        file names and contents.
    """
    FigureCanvasAgg(figure)
    # Laid out once: every form would do it again, twice.
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    name = unique_name(stem, taken)
    for form, options in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": PNG_DOTS_PER_INCH})):
        data = io.BytesIO()
        figure.savefig(data, format=form, **options)
        yield f"{name}.{form}", data.getvalue()


def unique_name(stem: str, taken: set[str]) -> str:
    """A file name of letters, digits, dots, dashes and underscores that is not taken yet; it is then."""
    name = plain = re.sub(r"[^A-Za-z0-9._-]+", "_", stem)[:100]
    number = 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    taken.add(name)
    return name
