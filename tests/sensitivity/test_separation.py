import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.sensitivity.separation import family_of, probability_lower, separations

VALUES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=8)


@given(VALUES, VALUES)
def test_probability_by_counting_all_pairs(first, second):
    found = probability_lower(np.array(first), np.array(second))
    if not first or not second:
        assert found is None
        return
    wins = sum((one < other) + (one == other) / 2 for one in first for other in second)
    assert found == pytest.approx(wins / len(first) / len(second))


@pytest.mark.parametrize(
    ("metric", "family"),
    [
        ("graph_f1", "structure"),
        ("chain_f1_exact", "structure"),
        ("kendall_tau", "order"),
        ("bleu", "wording"),
        ("bertscore", "bertscore"),
        ("judge", "judge"),
        ("judge:gpt-4o", "judge"),
        ("ours", "ours"),
    ],
)
def test_families(metric, family):
    assert family_of(metric) == family


def found(columns, **options):
    return separations(columns, columns.metrics, columns.applicable, **{"tolerate": 10, "detect": 30, **options})


def pairs_of(make_pair, means, noise=0.0):
    """Two goldens for each type and severity, with the metrics' scores at these means."""
    return [
        make_pair(f"g{golden}", type_name, severity, {metric: m + shift for metric, m in scores.items()})
        for type_name, by_severity in means.items()
        for severity, scores in by_severity.items()
        for golden, shift in enumerate((-noise, noise))
    ]


def test_hand_counted(make_pair, columns):
    means = {
        "missing_steps": {10: {"a": 0.9}, 30: {"a": 0.6}, 50: {"a": 0.95}},
        "compressed_steps": {30: {"a": 0.6}, 50: {"a": 0.5}},
    }
    separation = found(columns(pairs_of(make_pair, means)))
    # Damage .6, .6, .95, .95 against tolerated .9, .9: half of the pairs are lower. Against the other type's .6, .6,
    # .5, .5: the .6 tie with half of them (.25 of all), the rest is higher; (2·2·.5) / (4·4) = .125.
    assert separation["missing_steps"]["a"] == {
        "family": "a",
        "sensitivity": 0.5,
        "specificity": 0.125,
        "strength": 0.3125,
        "blind_spot": None,
        "role": None,  # no better than chance
    }
    assert "compressed_steps" not in separation  # nothing of it is to be tolerated


def test_the_paper_s_selection(make_pair, columns):
    # Means in the manner of Tables 2 to 4: structure follows loss most evenly, order falls most under merging, and
    # only wording answers to paraphrase.
    means = {
        "missing_steps": {
            10: {"graph_f1": 0.9, "kendall_tau": 0.9, "bleu": 0.8, "judge": 0.93},
            30: {"graph_f1": 0.76, "kendall_tau": 0.7, "bleu": 0.56, "judge": 0.66},
            50: {"graph_f1": 0.61, "kendall_tau": 0.52, "bleu": 0.3, "judge": 0.61},
        },
        "compressed_steps": {
            10: {"graph_f1": 0.86, "kendall_tau": 0.74, "bleu": 0.8, "judge": 0.9},
            30: {"graph_f1": 0.64, "kendall_tau": 0.46, "bleu": 0.62, "judge": 0.67},
            50: {"graph_f1": 0.44, "kendall_tau": 0.17, "bleu": 0.45, "judge": 0.62},
        },
        "description_changes": {
            10: {"graph_f1": 0.98, "kendall_tau": 1.0, "bleu": 0.85, "judge": 0.95},
            30: {"graph_f1": 0.93, "kendall_tau": 1.0, "bleu": 0.66, "judge": 0.95},
            50: {"graph_f1": 0.86, "kendall_tau": 0.99, "bleu": 0.5, "judge": 0.96},
        },
    }
    separation = found(columns(pairs_of(make_pair, means, noise=0.05)))
    roles = {
        type_name: {one["role"]: metric for metric, one in metrics.items() if one["role"]}
        for type_name, metrics in separation.items()
    }
    assert roles["compressed_steps"]["primary"] == "kendall_tau"
    assert roles["description_changes"]["primary"] == "bleu"
    specificities = {metric: one["specificity"] for metric, one in separation["compressed_steps"].items()}
    assert specificities["kendall_tau"] > specificities["graph_f1"] > specificities["bleu"]


def test_the_secondary_sees_what_the_primary_misses(make_pair, columns):
    # The primary misses golden b. Of the two others only "sees" is low there; "echo" repeats the primary.
    damaged = {"a": {"primary": 0.1, "echo": 0.2, "sees": 0.9}, "b": {"primary": 0.9, "echo": 0.9, "sees": 0.1}}
    damaged |= {f"c{n}": {"primary": 0.1, "echo": 0.2, "sees": 0.9} for n in range(3)}
    fine = {"primary": 0.9, "echo": 0.9, "sees": 0.9}
    pairs = [make_pair(name, "missing_steps", 30, scores) for name, scores in damaged.items()]
    pairs += [make_pair(name, "missing_steps", 10, fine) for name in damaged]
    separation = found(columns(pairs))["missing_steps"]
    assert {metric: one["role"] for metric, one in separation.items()} == {
        "primary": None,
        "echo": "primary",  # the same strength; the first by name
        "sees": "secondary",
    }
    assert separation["sees"]["blind_spot"] == 1.0
    assert separation["echo"]["specificity"] is None  # there is no other type


def test_all_equal_separate_nothing(make_pair, columns):
    means = {"missing_steps": {10: {"a": 0.7, "b": 0.7}, 30: {"a": 0.7, "b": 0.7}}}
    separation = found(columns(pairs_of(make_pair, means)))["missing_steps"]
    assert {metric: (one["sensitivity"], one["role"]) for metric, one in separation.items()} == {
        "a": (0.5, None),
        "b": (0.5, None),
    }
