"""Perturbations of tool contracts by patch operation. Without a test, because the operations hit different tasks."""

from typing import Any

import numpy as np

from wfkit.agents.aggregation.cost import paired_ratios, side_costs
from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.figures import paired_figures
from wfkit.agents.aggregation.requests import Requests
from wfkit.agents.families import TARGETS


def tool_edit_figures(evidence: Evidence, requests: Requests, success: float) -> list[dict[str, Any]]:
    """Paired means and cost of the requests on the tools, by operation (AgentPerturb B.1).

    Args:
        evidence: some requests.
        requests: the list that names the operations.
        success: the least score that counts as a success.

    Returns:
        For each operation, None where the request names none: the number of `tasks`, the paired figures with coverage
        and bounds, the `cost` of each side, and the ratio of tokens.
    """
    on_tools = evidence.where(evidence.target == TARGETS.index("tools"))
    answer = []
    for code in np.unique(on_tools.operation):
        part = on_tools.where(on_tools.operation == code)
        name = requests.operation.names[code] if code >= 0 else None
        figures = {"operation": name, "tasks": len(np.unique(part.task)), **paired_figures(part)}
        answer.append(figures | {"cost": side_costs(part, success), "token_ratio": paired_ratios(part)["tokens"]})
    return answer
