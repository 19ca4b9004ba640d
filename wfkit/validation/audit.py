"""Running counts of what the checks found, by type and severity (the audit of appendix A.8)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wfkit.validation.type_checks import TYPE_CHECKS

_OTHER = "other"


@dataclass
class _Stratum:
    checked: int = 0
    valid: int = 0
    invalid: int = 0
    inapplicable: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    node_count_difference: Counter[int] = field(default_factory=Counter)

    def add(self, validation: Mapping[str, Any]) -> None:
        if "inapplicable" in validation:
            self.inapplicable += 1
            return
        self.checked += 1
        self.valid += validation["valid"]
        self.invalid += not validation["valid"]
        for found in validation["checks"]:
            if found["ok"]:
                continue
            (self.warnings if found.get("level") == "warning" else self.failures)[found["name"]] += 1
            if found["name"] == "node_count":
                self.node_count_difference[found["actual"] - found["expected"]] += 1

    def __add__(self, other: "_Stratum") -> "_Stratum":
        return _Stratum(
            self.checked + other.checked,
            self.valid + other.valid,
            self.invalid + other.invalid,
            self.inapplicable + other.inapplicable,
            self.failures + other.failures,
            self.warnings + other.warnings,
            self.node_count_difference + other.node_count_difference,
        )

    def told(self) -> dict[str, Any]:
        return {
            "checked": self.checked,
            "valid": self.valid,
            "invalid": self.invalid,
            "inapplicable": self.inapplicable,
            "failures": dict(sorted(self.failures.items())),
            "warnings": dict(sorted(self.warnings.items())),
            "node_count_difference": {f"{size:+d}": n for size, n in sorted(self.node_count_difference.items())},
        }


class Audit:
    """Counts validated records and keeps none of them; its size depends on types and severities only."""

    def __init__(self) -> None:
        self._strata: dict[tuple[str, str], _Stratum] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one `workflow` or `pair` record that has its ``validation``."""
        self._strata.setdefault(_stratum_of(record), _Stratum()).add(record["validation"])

    @property
    def records(self) -> int:
        """How many records were counted, inapplicable pairs included."""
        return sum(stratum.checked + stratum.inapplicable for stratum in self._strata.values())

    @property
    def invalid(self) -> int:
        """How many of them are invalid."""
        return sum(stratum.invalid for stratum in self._strata.values())

    def summary(self) -> dict[str, Any]:
        """Totals, then one entry per type and severity.

        Each has ``checked`` (``valid`` + ``invalid``), ``inapplicable`` apart from them, how many records failed each
        check, and by how many steps the node counts were off (``"+1"``: one step too many).
        """
        totals = sum(self._strata.values(), _Stratum())
        strata = [
            {"type": type_name, "severity": severity, **self._strata[type_name, severity].told()}
            for type_name, severity in sorted(self._strata, key=_by_number)
        ]
        return {**totals.told(), "strata": strata}


def _stratum_of(record: Mapping[str, Any]) -> tuple[str, str]:
    """Type and severity as text; what nobody knows is one stratum, so that odd input cannot fill the memory."""
    if record["kind"] == "workflow":
        return "workflow", ""
    perturbation = record.get("perturbation")
    if perturbation is None:
        return "unperturbed", ""
    type_name, severity = perturbation.get("type"), perturbation.get("severity")
    whole = isinstance(severity, int | float) and 0 < severity <= 100 and severity == int(severity)
    known = isinstance(type_name, str) and type_name in TYPE_CHECKS
    return type_name if known else _OTHER, str(int(severity)) if whole else _OTHER


def _by_number(stratum: tuple[str, str]) -> tuple[str, int]:
    type_name, severity = stratum
    return type_name, int(severity) if severity.isdigit() else 101
