"""The report of what failed at first and who repaired it."""

from wfkit.perturb.llm_report import GenerationReport, told_of


def pair(*tries: tuple[str, ...], type_name: str = "missing_steps", residual: bool = False) -> dict[str, object]:
    told = [{"model": one[0], "outcome": one[1], **({"stage": one[2]} if len(one) > 2 else {})} for one in tries]
    perturbation = {"type": type_name, "tries": told, **({"residual": True} if residual else {})}
    return {"kind": "pair", "perturbation": perturbation}


def test_stages() -> None:
    report = GenerationReport()
    pairs = [
        pair(("a", "valid")),
        pair(("a", "invalid"), ("a", "valid")),
        pair(("a", "invalid"), ("a", "no workflow"), ("a", "cut off"), ("b", "valid")),
        pair(("a", "refused"), ("b", "refused"), residual=True),
        pair(("a", "invalid"), ("b", "invalid"), ("b", "valid", "per_step"), type_name="description_changes"),
        pair(),  # never begun
    ]
    for one in pairs:
        report.add(told_of(one))
    summary = report.summary()
    assert summary["missing_steps"] == {
        "variants": 4,
        "first_failures": 3,
        "residual": 1,
        "stages": {
            "a": {"variants": 4, "tries": 7, "made_at_once": 1, "repaired": 1, "refused": 1},
            "b": {"variants": 2, "tries": 2, "made_at_once": 0, "repaired": 1, "refused": 1},
        },
    }
    assert summary["description_changes"]["stages"]["b (per_step)"]["repaired"] == 1
    assert report.lines() == [
        "description_changes: 1 of 1 (100.0%; GPT-4o in the paper: 44.7%) failed at first",
        "description_changes: a repaired 0 of 1",
        "description_changes: b repaired 0 of 1",
        "description_changes: b (per_step) repaired 1 of 1",
        "missing_steps: 3 of 4 (75.0%; GPT-4o in the paper: 17.7%) failed at first",
        "missing_steps: a repaired 1 of 4, 1 refused",
        "missing_steps: b repaired 1 of 2, 1 refused",
        "missing_steps: 1 failed to the end and are marked residual",
    ]


def test_nothing() -> None:
    assert GenerationReport().lines() == []
