import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wfkit.sensitivity.columns import columns_of, in_registry_order
from wfkit.sensitivity.observations import Observations

TYPES = ["missing_steps", "description_changes", "zz_foreign"]


def pairs_of(shape, make_pair):
    """One pair for each (golden, type, score or None), with different ids."""
    pairs = []
    for number, (golden, type_name, score) in enumerate(shape):
        scores = {} if score is None else {"bleu": score}
        pairs.append(make_pair(f"g{golden}", TYPES[type_name], 30, scores, repeat=f"/r{number}", source=f"s{golden}"))
    return pairs


def same(one, other):
    assert (one.golden_ids, one.types, one.metrics) == (other.golden_ids, other.types, other.metrics)
    for name in ("golden", "type", "severity", "target", "steps", "compared", "applicable", "invalid"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    for metric in one.metrics:
        assert np.array_equal(one.scores[metric], other.scores[metric], equal_nan=True)
        assert np.array_equal(one.states[metric], other.states[metric])
    for name in one.fields:
        assert np.array_equal(one.fields[name], other.fields[name])


@given(data=st.data())
def test_the_order_of_the_stream_does_not_matter(make_pair, columns, data):
    shape = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.none() | st.floats(0, 1)), min_size=1, max_size=12)
    )
    pairs = pairs_of(shape, make_pair)
    shuffled = data.draw(st.permutations(pairs))
    same(columns(pairs, ("source",)), columns(shuffled, ("source",)))


def test_rows_belong_together(make_pair, columns):
    found = columns(
        [
            make_pair("b", "missing_steps", 50, {"bleu": 0.3}, steps=9, source="s"),
            make_pair("a", "missing_steps", 30, {"bleu": 0.2}, steps=8),
            make_pair("a", "missing_steps", 10, {"bleu": 0.1}, steps=8),
        ],
        ("source",),
    )
    assert found.golden_ids == ["a", "b"]
    assert found.golden.tolist() == [0, 0, 1]
    assert found.severity.tolist() == [10, 30, 50]
    assert found.steps.tolist() == [8, 8, 9]
    assert found.scores["bleu"].tolist() == [0.1, 0.2, 0.3]
    assert found.fields["source"].tolist() == ["", "", "s"]


def test_names_known_to_the_registry_come_first():
    known = ["gleu", "bleu"]
    assert in_registry_order(["judge:x", "bleu", "a", "gleu"], known) == ["gleu", "bleu", "a", "judge:x"]


def test_nothing_observed():
    found = columns_of(Observations(("source",)))
    assert len(found) == 0 and not found.metrics and not found.types
