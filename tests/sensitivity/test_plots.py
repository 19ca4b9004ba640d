import pytest

from wfkit.drawing import unique_name
from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.sensitivity.plots import figures
from wfkit.sensitivity.response import Resampling
from wfkit.sensitivity.study import Plan, study

POLICY = load_policy(DEFAULT_POLICY)


@pytest.fixture
def drawn(columns):
    def build(pairs):
        seen = columns(pairs)
        records = study(seen, seen.metrics, Plan(POLICY, 10, 30, Resampling(20, 0)), {})
        return list(figures(records, seen, seen.applicable, POLICY.rules))

    return build


def pairs_of(make_pair, metrics=("graph_f1",), severities=(10, 30), goldens=3):
    return [
        make_pair(f"g{golden}", type_name, severity, dict.fromkeys(metrics, 1 - severity / 100 - golden / 50))
        for golden in range(goldens)
        for severity in severities
        for type_name in ("missing_steps", "compressed_steps")
    ]


def test_each_figure_comes_as_svg_and_png_and_the_same_pairs_give_the_same_bytes(make_pair, drawn):
    pairs = pairs_of(make_pair)
    files = dict(drawn(pairs))
    stems = ("trajectory-graph_f1", "distribution-graph_f1", "delta-matrix", "firing-matrix")
    assert sorted(files) == sorted(f"{stem}.{form}" for stem in stems for form in ("svg", "png"))
    assert all(data.startswith(b"\x89PNG") for name, data in files.items() if name.endswith(".png"))
    assert all(data.startswith(b"<?xml") for name, data in files.items() if name.endswith(".svg"))
    assert dict(drawn(reversed(pairs))) == files
    assert not any(b"<dc:date>" in data for data in files.values())


def test_names_of_metrics_are_no_paths_and_never_meet():
    taken: set[str] = set()
    assert [unique_name(stem, taken) for stem in ("t-a/b", "t-a:b", "t-../../x", "t-ä", "t-a_b")] == [
        "t-a_b",
        "t-a_b-2",
        "t-.._.._x",
        "t-_",
        "t-a_b-3",
    ]


def test_one_pair_is_drawn_all_the_same(make_pair, drawn):
    names = {name for name, _ in drawn(pairs_of(make_pair, severities=(30,), goldens=1))}
    assert "trajectory-graph_f1.svg" in names and "firing-matrix.svg" in names
    assert "delta-matrix.svg" not in names  # a single severity has no delta


def test_negative_and_equal_scores_and_gaps_are_drawn(make_pair, drawn):
    pairs = [
        make_pair("a", "missing_steps", 10, {"kendall_tau": -0.4, "bleu": 0.5}),
        make_pair("a", "missing_steps", 30, {"kendall_tau": -0.4, "bleu": None}),
        make_pair("a", "compressed_steps", 30, {"bleu": 0.5, "$\\frac$": 0.5}),
        make_pair("b", "compressed_steps", 50, {}, candidate=None),
    ]
    assert {name for name, _ in drawn(pairs)} >= {"trajectory-kendall_tau.png", "distribution-bleu.png"}


def test_more_types_than_fit_in_a_row(make_pair, drawn):
    types = ["missing_steps", "compressed_steps", "added_steps", "wrong_tool", "ours"]
    pairs = [make_pair("g", name, severity, {"graph_f1": 0.5}) for name in types for severity in (10, 30)]
    assert len(drawn(pairs)) == 8


def test_nothing_measured_draws_nothing_but_the_rules(make_pair, drawn):
    assert [name for name, _ in drawn([make_pair("g", "missing_steps", 30, {})])] == [
        "firing-matrix.svg",
        "firing-matrix.png",
    ]
