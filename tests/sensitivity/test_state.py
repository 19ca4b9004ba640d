"""States of shards: however a set is cut, the merged shards are the set."""

import json
from dataclasses import fields as fields_of
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit import jsonl, schema
from wfkit.errors import DataError, UsageProblem
from wfkit.sensitivity.columns import columns_of
from wfkit.sensitivity.observations import Observations
from wfkit.sensitivity.state import Merge, Shard, check_record

BY = ("placement", "source")


def state_of(pairs, by=BY, errors=0):
    """The records of a state, as they come back from a file; pairs that are refused count as errors."""
    shard, records = Shard(by), []
    for pair in pairs:
        try:
            records.append(shard.observe(pair))
        except DataError:
            errors += 1
            records.append({"kind": "error"})
    records.append(shard.ending(errors))
    return [jsonl.loads(jsonl.dumps(record)) for record in records]


def merged(*states):
    merge = Merge()
    for record in (record for state in states for record in state):
        check_record(record)
        if record["kind"] == "error":
            merge.take_error()
        else:
            merge.take(record)
    return merge


def same(first, second):
    """Whether two sets of columns are equal to the last bit."""
    for field in fields_of(first):
        left, right = getattr(first, field.name), getattr(second, field.name)
        columns = [(left, right)] if not isinstance(left, dict) else [(left[name], right.get(name)) for name in left]
        assert not isinstance(left, dict) or list(left) == list(right)
        for one, other in columns:
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes(), field.name
    return True


scores = st.dictionaries(
    st.sampled_from(["chain_f1", "bleu", "judge", "their own"]),
    st.none() | st.floats(-1e300, 1e300) | st.integers(-(10**20), 10**20),
    max_size=3,
)
drafts = st.lists(
    st.fixed_dictionaries(
        {
            "golden": st.sampled_from(["g0", "g1", "gé\u2028"]),
            "type": st.sampled_from(["missing_steps", "description_changes", "foreign"]),
            "severity": st.sampled_from([10, 30, 33.3, 1e-9, 100]),
            "scores": scores,
            "reason": st.sampled_from(["undefined: one step", "unavailable: no model", "strange: x", "absent", None]),
            "valid": st.sampled_from([True, False, None]),
            "placement": st.sampled_from(["tail", "uniform", 3, None]),
            "lost": st.booleans(),
        }
    ),
    max_size=12,
)


def pairs_of(make_pair, drafts):
    pairs = []
    for number, draft in enumerate(drafts):
        reasons = dict.fromkeys(draft["scores"], draft["reason"]) if draft["reason"] else {}
        pair = make_pair(
            draft["golden"], draft["type"], draft["severity"], draft["scores"], reasons=reasons,
            validation={"valid": draft["valid"]} if draft["valid"] is not None else None,
            perturbation={"placement": draft["placement"]},
        )  # fmt: skip
        pairs.append({**pair, "id": f"{pair['id']}/{number}", **({"candidate": None} if draft["lost"] else {})})
    return pairs


@settings(max_examples=60, deadline=None)
@given(drafts=drafts, cuts=st.lists(st.integers(0, 12), max_size=3))
def test_any_cut_into_shards_gives_the_columns_of_one_run(make_pair, drafts, cuts):
    pairs = pairs_of(make_pair, drafts)
    whole = Observations(BY)
    for pair in pairs:
        whole.add(pair)
    ends = [0, *sorted(cuts), len(pairs)]
    merge = merged(*(state_of(pairs[start:end]) for start, end in pairwise(ends)))
    assert same(columns_of(whole), columns_of(merge.observations))


@settings(max_examples=30, deadline=None)
@given(drafts=drafts, chance=st.randoms(use_true_random=False))
def test_the_order_of_the_shards_does_not_matter_to_the_columns(make_pair, drafts, chance):
    states = [state_of([pair]) for pair in pairs_of(make_pair, drafts)]
    shuffled = chance.sample(states, len(states))
    assert same(columns_of(merged(*states).observations), columns_of(merged(*shuffled).observations))


def test_every_record_of_a_state_fits_its_schema_and_is_small(make_pair):
    pair = make_pair("g0", "missing_steps", 10, {"bleu": 0.5, "judge": None}, reasons={"judge": "skipped: clear"})
    observation, ending = state_of([pair])
    schema.checker("observation")(observation)
    schema.checker("sensitivity_state")(ending)
    assert observation["reasons"] == {"judge": "skipped"}
    assert "do 0" not in json.dumps(observation)  # no text of any step
    assert (ending["pairs"], ending["errors"], ending["by"]) == (1, 0, list(BY))


def test_an_empty_shard_changes_nothing(make_pair):
    pairs = [make_pair("g0", "missing_steps", 10, {"bleu": 0.5})]
    assert same(
        columns_of(merged(state_of(pairs)).observations),
        columns_of(merged(state_of([]), state_of(pairs), state_of([])).observations),
    )


def test_the_first_shard_may_have_errors_only(make_pair):
    pairs = [make_pair("g0", "missing_steps", 10, {"bleu": 0.5})]
    only_errors = [{"kind": "error"}, {"kind": "error"}, Shard(BY).ending(2)]
    assert len(merged(only_errors, state_of(pairs)).observations) == 1


def test_the_id_of_a_pair_that_was_refused_is_taken_in_later_shards(make_pair):
    pair = make_pair("g0", "missing_steps", 10, {"bleu": 0.5})
    first = state_of([{**pair, "perturbation": {}}])
    assert first[-1]["refused"] == [pair["id"]]
    with pytest.raises(DataError, match="occurs twice") as caught:
        merged(first, state_of([pair]))
    assert caught.value.code == "E-DUP-ID"


def test_a_state_whose_middle_is_missing_is_refused(make_pair):
    pairs = [make_pair("g0", "missing_steps", severity, {"bleu": 0.5}) for severity in (10, 30, 50)]
    state = state_of(pairs)
    with pytest.raises(UsageProblem, match="its end counts 3 records and 2 came"):
        merged(state[:1] + state[2:])
    with pytest.raises(UsageProblem, match="its end counts 3 records and 5 came"):
        merged(state[:2], state)  # the first was cut before its end


def test_shards_of_different_fields_are_refused_and_both_named(make_pair):
    pair = make_pair("g0", "missing_steps", 10, {"bleu": 0.5})
    other = make_pair("g1", "missing_steps", 10, {"bleu": 0.5})
    with pytest.raises(UsageProblem, match="--by placement,source and --by source,placement"):
        merged(state_of([pair]), state_of([other], by=("source", "placement")))
    with pytest.raises(UsageProblem, match="--by placement,source and no --by"):
        merged(state_of([pair]), state_of([], by=()))


def test_shards_of_different_signatures_are_refused_and_both_named(make_pair):
    states = [
        state_of([make_pair(golden, "missing_steps", 10, {"bleu": 0.5}, signatures=signatures)])
        for golden, signatures in (
            ("g0", {"bleu": "wfkit=1|nltk=3.9"}),
            ("g1", {"bleu": "wfkit=1|nltk=3.8"}),
            ("g2", {}),
        )
    ]
    with pytest.raises(UsageProblem, match=r"nltk=3.9 \(record 'g0/.*nltk=3.8 \(record 'g1/.*differ in nltk"):
        merged(*states[:2])
    with pytest.raises(UsageProblem, match=r"nltk=3.9 .* and none \(record 'g2/"):
        merged(states[0], states[2])
    assert merged(states[0]).guard.signatures == {"bleu": "wfkit=1|nltk=3.9"}


@pytest.mark.parametrize(
    ("change", "words", "code"),
    [
        ({"kind": "pair"}, "expected a state that --partial wrote, got pair", "E-KIND"),
        ({"kind": None}, "got no record", "E-KIND"),
        ({"version": 2}, "merges states of version 1, not 2", "E-VERSION"),
        ({"version": None}, "merges states of version 1, not None", "E-VERSION"),
        ({"severity": 0}, "severity", "E-SCHEMA"),
        ({"scores": {"bleu": 10**400}}, "scores", "E-SCHEMA"),
        ({"steps": 2**70}, "steps", "E-SCHEMA"),
        ({"fields": {"placement": 3}}, "placement", "E-SCHEMA"),
    ],
)
def test_records_that_do_not_belong_into_a_state(make_pair, change, words, code):
    observation = state_of([make_pair("g0", "missing_steps", 10, {"bleu": 0.5})])[0]
    with pytest.raises(DataError, match=words) as caught:
        check_record({**observation, **change})
    assert caught.value.code == code


def test_what_is_no_object_is_no_record():
    with pytest.raises(DataError, match="got no record"):
        check_record([1])
