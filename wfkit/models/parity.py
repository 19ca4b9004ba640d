"""What two backends of one encoder must agree on before they may share a signature."""

from typing import TYPE_CHECKING

from wfkit.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wfkit.models.encoder import Encoder

LARGEST_DIFFERENCE = 1e-5
"""Of two cosines of the same pair of texts."""

THRESHOLDS = (0.6, 0.8)
"""Of alignment: no pair may stand on different sides of one."""

TEXTS = (
    "",
    "go",
    "open the door",
    "walk over to the door and open it",
    "open the window",
    "close the door behind you",
    "Boil 500 ml of water.",
    "Bring half a litre of water to the boil",
    "heat the water until it boils",
    "drink the tea",
    "Read the customer records from the warehouse",
    "Load all customer records from the data warehouse",
    "Extract the customer records from the warehouse, join them with the orders of the last quarter, and save it all",
    "Join customers with their orders",
    "send an e-mail to the manager",
    "e-mail the manager about the invoice",
    "send the invoice to the manager by e-mail",
    "search(query='flights to Oslo', max_results=5)",
    "search(query='hotels in Oslo', max_results=5)",
    "prüfe die Rechnung – 請求書を確認する 🙂",
    "go to the living room",
    "move to the living room",
    "pick up the mug from the table",
    "take the cup that stands on the table",
    "Repeat the last step for each file: open it, look for the word, note its line, and close it again. " * 9,
    "word " * 500,
)


def check_parity(reference: "Encoder", other: "Encoder") -> float:
    """Encode the fixed texts with both and compare the cosines of all pairs of them.

    Returns:
        the largest difference of two cosines.

    Raises:
        Unavailable: it is not below `LARGEST_DIFFERENCE`, or a pair crosses a threshold.
    """
    expected, found = _cosines(reference.encode(TEXTS)), _cosines(other.encode(TEXTS))
    largest = float(abs(expected - found).max())
    crossing = sum(int(((expected >= limit) != (found >= limit)).sum()) for limit in THRESHOLDS)
    if not largest < LARGEST_DIFFERENCE or crossing:
        raise Unavailable(
            f"the backends disagree: cosines differ by up to {largest:.1e} (at most {LARGEST_DIFFERENCE:.0e} is"
            f" accepted), and {crossing // 2} pairs cross a threshold"
        )
    return largest


def _cosines(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    cosines: NDArray[np.float32] = vectors @ vectors.T
    return cosines
