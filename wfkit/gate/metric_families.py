"""What the metrics look at: the structure of a workflow, the order of its steps, or their wording."""

from collections.abc import Mapping

STRUCTURAL_METRICS = frozenset(
    ("chain_f1", "chain_f1_exact", "graph_f1", "graph_f1_exact", "precedence_f1", "node_f1", "edge_f1")
)
ORDERING_METRICS = frozenset(("kendall_tau", "kendall_tau_aligned"))
LEXICAL_METRICS = frozenset(("bleu", "gleu", "bertscore"))

RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys((*STRUCTURAL_METRICS, "bleu", "gleu", "judge"), (0.0, 1.0)),
    **dict.fromkeys(ORDERING_METRICS, (-1.0, 1.0)),
}
"""The least and the largest score of the metrics whose scores have both."""
