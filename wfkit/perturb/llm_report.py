"""How often generated variants failed at first, and what each stage repaired (the paper: section 3.1, A.7)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from wfkit.perturb.llm_generator import STEP_FALLBACK

PAPER_FIRST_FAILURES = {"missing_steps": 0.177, "compressed_steps": 0.275, "description_changes": 0.447}
"""Share of GPT-4o's first answers that failed the paper's checks."""


class GenerationReport:
    """Counts generated pairs by type and keeps none of them."""

    def __init__(self) -> None:
        self._types: dict[str, _Type] = {}

    def add(self, told: Mapping[str, Any]) -> None:
        """Count what `told_of` says about one pair."""
        self._types.setdefault(told["type"], _Type()).add(told)

    def summary(self) -> dict[str, Any]:
        """By type: variants, failures of the first answer, what each stage tried and repaired, and the rest."""
        return {name: self._types[name].told() for name in sorted(self._types)}

    def lines(self) -> list[str]:
        """The same in words."""
        lines = []
        for name, told in self.summary().items():
            if not told["variants"]:
                continue
            rate = f"{told['first_failures'] / told['variants']:.1%}"
            paper = f"; GPT-4o in the paper: {PAPER_FIRST_FAILURES[name]:.1%}" if name in PAPER_FIRST_FAILURES else ""
            lines.append(f"{name}: {told['first_failures']:,} of {told['variants']:,} ({rate}{paper}) failed at first")
            lines += [
                f"{name}: {stage} repaired {one['repaired']:,} of {one['variants']:,}"
                + (f", {one['refused']:,} refused" if one["refused"] else "")
                for stage, one in told["stages"].items()
                if one["repaired"] or one["variants"] > one["made_at_once"]
            ]
            if told["residual"]:
                lines.append(f"{name}: {told['residual']:,} failed to the end and are marked residual")
        return lines


class _Type:
    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.stages: dict[str, Counter[str]] = {}

    def add(self, told: Mapping[str, Any]) -> None:
        tries = told["tries"]
        if not tries:
            return
        self.counts["variants"] += 1
        self.counts["first_failures"] += tries[0]["outcome"] != "valid"
        self.counts["residual"] += told["residual"]
        seen = set()
        for number, one in enumerate(tries):
            name = f"{one['model']} ({STEP_FALLBACK})" if one.get("stage") else one["model"]
            stage = self.stages.setdefault(name, Counter())
            stage["variants"] += name not in seen
            seen.add(name)
            stage["tries"] += 1
            stage["refused"] += one["outcome"] == "refused"
            if one["outcome"] == "valid":
                stage["repaired" if number else "made_at_once"] += 1

    def told(self) -> dict[str, Any]:
        keys = ("variants", "tries", "made_at_once", "repaired", "refused")
        return {
            **{key: self.counts[key] for key in ("variants", "first_failures", "residual")},
            "stages": {name: {key: stage[key] for key in keys} for name, stage in self.stages.items()},
        }


def told_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the report must know of one pair."""
    perturbation = record["perturbation"]
    return {
        "type": perturbation["type"],
        "tries": [
            {key: value for key, value in one.items() if key != "failed"} for one in perturbation.get("tries", ())
        ],
        "residual": bool(perturbation.get("residual")),
    }
