from typing import Any

from wfkit.validation.audit import Audit


def pair(type_name: Any, severity: Any, checks: list[dict[str, Any]] | None) -> dict[str, Any]:
    validation: dict[str, Any] = {"checks": [], "inapplicable": "too few steps"}
    if checks is not None:
        validation = {"valid": all(found["ok"] or "level" in found for found in checks), "checks": checks}
    return {"kind": "pair", "perturbation": {"type": type_name, "severity": severity}, "validation": validation}


def found(name: str, ok: bool, expected: int = 0, actual: int = 0) -> dict[str, Any]:
    return {"name": name, "ok": ok, "expected": expected, "actual": actual}


def test_the_paper_s_audit() -> None:
    """A.8 for missing steps: 98 variants with one step too many, one with one too few, one with two too many."""
    audit = Audit()
    for _ in range(98):
        audit.add(pair("missing_steps", 30, [found("node_count", False, 4, 5), found("change_count", False)]))
    audit.add(pair("missing_steps", 30, [found("node_count", False, 4, 3)]))
    audit.add(pair("missing_steps", 30, [found("node_count", False, 4, 6)]))
    audit.add(pair("missing_steps", 30, [found("node_count", True, 4, 4)]))
    audit.add(pair("missing_steps", 30, None))
    assert (audit.records, audit.invalid) == (102, 100)
    expected = {
        "checked": 101,
        "valid": 1,
        "invalid": 100,
        "inapplicable": 1,
        "failures": {"change_count": 98, "node_count": 100},
        "warnings": {},
        "node_count_difference": {"-1": 1, "+1": 98, "+2": 1},
    }
    assert audit.summary() == {**expected, "strata": [{"type": "missing_steps", "severity": "30", **expected}]}


def test_strata_are_sorted_by_number_and_odd_ones_share_one() -> None:
    audit = Audit()
    for severity in (100, 30, 5, 30.0, 12.5, "abc", None, float("nan"), -3, 10**400):
        audit.add(pair("wrong_tool", severity, []))
    for number in range(50):
        audit.add(pair(f"type {number}", 10, []))
    audit.add(pair(None, None, []))
    audit.add({"kind": "pair", "validation": {"valid": True, "checks": []}})
    warned = found("one_component", False, 1, 2) | {"level": "warning"}
    audit.add({"kind": "workflow", "validation": {"valid": True, "checks": [warned]}})
    strata = [(s["type"], s["severity"], s["checked"]) for s in audit.summary()["strata"]]
    assert strata == [
        ("other", "10", 50),
        ("other", "other", 1),
        ("unperturbed", "", 1),
        ("workflow", "", 1),
        ("wrong_tool", "5", 1),
        ("wrong_tool", "30", 2),
        ("wrong_tool", "100", 1),
        ("wrong_tool", "other", 6),
    ]
    assert audit.summary()["failures"] == {}
    assert audit.summary()["warnings"] == {"one_component": 1}


def test_nothing_counted() -> None:
    assert Audit().records == 0
    assert Audit().summary()["strata"] == []
