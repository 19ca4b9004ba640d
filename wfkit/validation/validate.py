"""What wf-validate adds to a record."""

from collections.abc import Mapping
from typing import Any

from wfkit.validation.check import is_valid
from wfkit.validation.pair_checks import pair_checks
from wfkit.validation.workflow_checks import workflow_checks


def validate(record: Mapping[str, Any]) -> dict[str, Any]:
    """Check one `workflow` or `pair` record.

    Returns:
        ``{"valid": bool, "checks": [{"name", "ok", "expected", "actual", "message"?, "level"?}]}``. A check with
        ``level`` ``warning`` leaves the record valid. A pair whose perturbation could not be applied, or
        which no language model could be had to make, is neither valid nor invalid: ``{"checks": [], "inapplicable":
        REASON}``.
    """
    if record["kind"] == "workflow":
        checks = workflow_checks(record)
    else:
        perturbation = record.get("perturbation", {})
        reason = perturbation.get("inapplicable", perturbation.get("unavailable"))
        if reason is not None and record["candidate"] is None:
            return {"checks": [], "inapplicable": reason}
        checks = pair_checks(record)
    return {"valid": is_valid(checks), "checks": checks}
