"""The explicit tables of what wfkit knows by name. They hold strings; what a name means is imported when used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from wfkit.errors import UsageProblem

METRICS = {
    "chain_f1": "wfkit.metrics.structural:ChainF1",
    "graph_f1": "wfkit.metrics.structural:GraphF1",
    "kendall_tau": "wfkit.metrics.ordering:KendallTau",
    "kendall_tau_aligned": "wfkit.metrics.ordering:KendallTauAligned",
    "bleu": "wfkit.metrics.lexical:Bleu",
    "gleu": "wfkit.metrics.lexical:Gleu",
    "bertscore": "wfkit.metrics.bertscore:Bertscore",
    "chain_f1_exact": "wfkit.metrics.exact:ChainF1Exact",
    "graph_f1_exact": "wfkit.metrics.exact:GraphF1Exact",
    "precedence_f1": "wfkit.metrics.exact:PrecedenceF1",
    "node_f1": "wfkit.metrics.exact:NodeF1",
    "edge_f1": "wfkit.metrics.exact:EdgeF1",
    "judge": "wfkit.metrics.judge:Judge",
}
MODEL_METRICS = ("judge",)
"""Made with a model that the user names, and so in none of the lists of metrics that a name like ``all`` stands for."""
DEFAULT_METRICS = ("chain_f1", "graph_f1", "kendall_tau", "bleu", "gleu")

FORMATS = {
    "json": "wfkit.formats.json_form",
    "worf": "wfkit.formats.worf",
    "graph": "wfkit.formats.graph",
    "plan": "wfkit.formats.plan",
    "n8n": "wfkit.formats.n8n",
    "mermaid": "wfkit.formats.mermaid",
    "asl": "wfkit.formats.asl",
    "logicapps": "wfkit.formats.logicapps",
    "dot": "wfkit.formats.dot",
    "gha": "wfkit.formats.gha",
    "argo": "wfkit.formats.argo",
    "bpmn": "wfkit.formats.bpmn",
    "ms-agent": "wfkit.formats.ms_agent",
}

PERTURBATIONS = {
    "missing_steps": "wfkit.perturb.missing_steps:apply",
    "compressed_steps": "wfkit.perturb.compressed_steps:apply",
    "description_changes": "wfkit.perturb.description_changes:apply",
    "added_steps": "wfkit.perturb.added_steps:apply",
    "duplicated_steps": "wfkit.perturb.duplicated_steps:apply",
    "reordered_steps": "wfkit.perturb.reordered_steps:apply",
    "wrong_dependencies": "wfkit.perturb.wrong_dependencies:apply",
    "wrong_tool": "wfkit.perturb.wrong_tool:apply",
}


def find(table: Mapping[str, str], name: str, what: str) -> Any:
    """Import what a name of a table stands for.

    Raises:
        UsageProblem: the table has no such name; the message lists those it has.
    """
    if name not in table:
        raise UsageProblem(f"unknown {what} {name!r}: choose from {', '.join(table)}")
    module, _, attribute = table[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found
