"""The call pattern of WorFBench's published scorer, written anew for the comparison: what it encodes, and when.

For each pair it enumerates topological orders of the golden (the first 20 are kept), and for each of them encodes all
predicted and all golden steps again with `SentenceTransformer.encode`, matches them and takes the longest increasing
subsequence; the graph score encodes both sides once more.
"""

from itertools import islice
from typing import Any

from tests.benchmarks.orders import topological_orders

ORDERS_KEPT = 20


def model() -> Any:
    """The encoder as the peer loads it: `SentenceTransformer` with its defaults, on the file that we use."""
    from sentence_transformers import SentenceTransformer

    from wfkit.models.locate import locate

    return SentenceTransformer(str(locate().directory), device="cpu")


def score(pair: dict[str, Any], model: Any) -> tuple[float, int]:
    """The best chain value over the orders, and how many texts were encoded on the way."""
    from scipy.optimize import linear_sum_assignment

    predicted = [node["text"] for node in pair["candidate"]["nodes"]]
    golden = {node["id"]: node["text"] for node in pair["golden"]["nodes"]}
    encoded, best = 0, 0.0
    for order in islice(topological_orders(list(golden), pair["golden"]["edges"]), ORDERS_KEPT):
        similarity = model.encode(predicted) @ model.encode([golden[step] for step in order]).T
        encoded += len(predicted) + len(order)
        here, there = linear_sum_assignment(-similarity)
        best = max(best, _longest([int(j) for i, j in zip(here, there, strict=True) if similarity[i, j] >= 0.6]))
    model.encode(predicted), model.encode(list(golden.values()))
    encoded += len(predicted) + len(golden)
    return best, encoded


def _longest(values: list[int]) -> int:
    lengths: list[int] = []
    for place, value in enumerate(values):
        lengths.append(1 + max((lengths[earlier] for earlier in range(place) if values[earlier] < value), default=0))
    return max(lengths, default=0)
