import numpy as np
import pytest

from wfkit.agents.aggregation import cross_family as module
from wfkit.agents.aggregation.cross_family import ChangeRows, change_rows, cross_family, kind_of
from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.families import FAMILIES

F = [0, 0.1, 0.2, 0.3, 0.4, 0.5]
G = [0, 0.2, 0.1, 0.3, 0.5, 0.4]


def example_rows():
    """Two models, three tasks, clean 1 everywhere."""
    return ChangeRows(
        families=("user/missing", "user/redundant"),
        changes=np.array([F, G]),
        clean=np.ones(6),
        model=np.array([0, 0, 0, 1, 1, 1]),
        task=np.array([0, 1, 2, 0, 1, 2]),
        possible=6,
        clean_zero=0,
    )


def test_the_worked_example():
    answer = cross_family(example_rows(), replicates=2000, seed=0, level=0.95)
    (pair,) = answer["pairs"]
    assert (pair["a"], pair["b"], pair["kind"]) == ("user/missing", "user/redundant", "same_target")
    assert pair["rho"] == 0.5
    assert pair["undefined_replicates"] == 215  # one task drawn three times: expected 2000 / 9
    assert pair["ci"] == [-1, 1]
    assert (answer["rows"], answer["tasks"], answer["too_few"]) == (6, 3, True)
    assert answer["groups"]["same_target"]["rho"] == 0.5
    assert answer["groups"]["same_type"] == {"pairs": 0, "rho": None, "ci": None, "undefined_replicates": 2000}
    assert answer["groups"]["same_target_minus_neither"]["rho"] is None
    assert answer["intervals"] == {"pairs": 1, "defined": 1, "excluding_zero": 0, "median_width": 2}


def test_memory_blocks_change_nothing(monkeypatch):
    whole = cross_family(example_rows(), replicates=300, seed=1, level=0.95)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 100)
    assert cross_family(example_rows(), replicates=300, seed=1, level=0.95) == whole


def test_the_sixty_six_pairs_of_twelve_families():
    kinds = [kind_of(a, b) for place, a in enumerate(FAMILIES) for b in FAMILIES[place + 1 :]]
    assert {kind: kinds.count(kind) for kind in kinds} == {"same_target": 12, "same_type": 18, "neither": 36}


def test_groups_and_contrasts_come_from_the_same_draws():
    """Families of one target share a pattern over tasks, so same-target pairs correlate and the contrast is clear."""
    generator = np.random.default_rng(0)
    pattern = {target: generator.normal(size=40) for target in ("user", "tools")}
    families = ("user/missing", "user/redundant", "tools/missing", "tools/redundant")
    changes = np.array([pattern[family.split("/")[0]] + 0.2 * generator.normal(size=40) for family in families])
    rows = ChangeRows(families, changes, generator.random(40), np.zeros(40, int), np.arange(40), 40, 0)
    groups = cross_family(rows, replicates=200, seed=0, level=0.95)["groups"]
    assert [groups[kind]["pairs"] for kind in ("same_target", "same_type", "neither")] == [2, 2, 2]
    assert groups["same_target"]["rho"] > 0.9
    contrast = groups["same_target_minus_same_type"]
    assert contrast["rho"] == pytest.approx(groups["same_target"]["rho"] - groups["same_type"]["rho"])
    assert contrast["ci"][0] > 0.5


def test_a_family_that_never_changes_anything_has_no_correlation():
    rows = example_rows()
    still = ChangeRows(rows.families, np.array([F, [0.0] * 6]), rows.clean, rows.model, rows.task, 6, 0)
    answer = cross_family(still, replicates=20, seed=0, level=0.95)
    assert answer["pairs"][0] == {
        "a": "user/missing",
        "b": "user/redundant",
        "kind": "same_target",
        "rho": None,
        "ci": None,
        "undefined_replicates": 20,
    }
    assert answer["intervals"] == {"pairs": 1, "defined": 0, "excluding_zero": 0, "median_width": None}


def evidence_of(short, rows, **more):
    """One record for each (task, family, clean, perturbed); None where it is unknown."""
    requests, grades = [], []
    for place, (task, family, clean, perturbed) in enumerate(rows):
        requests.append(short.asked(f"p{place}", task, family, scale="unit"))
        grades.append(short.graded(requests[-1], clean, perturbed, **more))
    return next(collect(short.read(requests, grades)))


def test_rows_need_a_score_in_every_family(short):
    rows = [("t1", "user/missing", 1, 0.5), ("t1", "tools/missing", 1, 0.25)]
    rows += [("t2", "user/missing", 0.5, 0.75), ("t2", "tools/missing", 0.5, None)]
    rows += [("t3", "user/missing", 0.5, 0.75), ("t3", "tools/missing", 0.5, 0.5)]
    found = change_rows(evidence_of(short, rows), "difference")
    assert found.families == ("user/missing", "tools/missing")
    assert found.changes.tolist() == [[-0.5, 0.25], [-0.75, 0]]
    assert found.clean.tolist() == [1, 0.5]
    assert (found.possible, len(found.task)) == (3, 2)


def test_a_family_without_any_scored_pair_takes_no_row_away(short):
    rows = [("t1", "user/missing", 1, 0.5), ("t1", "procedure/missing", 1, None)]
    assert change_rows(evidence_of(short, rows), "difference").families == ("user/missing",)


def test_several_pairs_of_a_task_and_family_count_as_their_mean(short):
    rows = [("t1", "user/missing", 1, 0.5), ("t1", "user/missing", 0.5, 0.5)]
    found = change_rows(evidence_of(short, rows), "difference")
    assert (found.changes.tolist(), found.clean.tolist()) == ([[-0.25]], [0.75])


def test_relative_change_leaves_out_and_counts_clean_zero(short):
    rows = [("t1", "user/missing", 0.5, 0.25), ("t2", "user/missing", 0, 0.25)]
    found = change_rows(evidence_of(short, rows), "relative")
    assert (found.changes.tolist(), found.clean_zero, found.possible) == ([[-0.5]], 1, 2)
    assert change_rows(evidence_of(short, rows), "difference").clean_zero == 0


def test_nothing_scored(short):
    found = change_rows(evidence_of(short, [("t1", "user/missing", None, None)]), "difference")
    answer = cross_family(found, replicates=10, seed=0, level=0.95)
    assert (answer["pairs"], answer["groups"], answer["rows"], answer["possible_rows"]) == ([], None, 0, 1)
