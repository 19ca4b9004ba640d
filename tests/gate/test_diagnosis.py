import pytest

from wfkit.gate.diagnosis import MODES, count_evidence, diagnose
from wfkit.gate.explanation import compare_usable
from wfkit.gate.policy import DEFAULT_POLICY, load_policy

DEFAULT = load_policy(DEFAULT_POLICY)
GOLDEN = ["fetch the key", "unlock the door", "open the door", "walk inside", "sit down"]
LOW_STRUCTURE = [("missing_steps", "chain_f1")]
LOW_WORDING = [("description_changes", "bleu")]


def breaches_of(*broken):
    return [{"rule": rule, "metric": metric, "value": 0.1, "below": 0.7} for rule, metric in broken]


# candidate, fields of the alignment (places of matched steps, closest steps), edges of the candidate, breaches, mode
PATTERNS = {
    "two steps lost": (GOLDEN[:3], {}, None, LOW_STRUCTURE, "missing_steps"),
    "two steps said in one": (
        ["fetch the key", "unlock and open the door", "walk inside", "sit down"],
        {"matched": [(0, 0, 1.0), (1, 1, 0.9), (3, 2, 1.0), (4, 3, 1.0)]}, None, LOW_STRUCTURE, "compressed_steps",
    ),
    # Two steps went into one, and one is lost: each mode explains one step, and a merge is the more specific.
    "one lost and two merged": (
        ["fetch the key", "unlock and open the door", "walk inside"],
        {"matched": [(0, 0, 1.0), (1, 1, 0.9), (3, 2, 1.0)]}, None, LOW_STRUCTURE, "compressed_steps",
    ),
    "two lost and two merged": (
        ["unlock and open the door", "walk inside"],
        {"matched": [(1, 0, 0.9), (3, 1, 1.0)]}, None, LOW_STRUCTURE, "missing_steps",
    ),
    "a step added": ([*GOLDEN, "sing"], {"closest_extra": {"c6": ["5", 0.3]}}, None, LOW_STRUCTURE, "added_steps"),
    "a step done again": (
        [*GOLDEN, "take a seat"], {"closest_extra": {"c6": ["5", 0.84]}}, None, LOW_STRUCTURE, "duplicated_steps",
    ),
    # The other step is close to one that is lost: that is no repetition.
    "a step exchanged for a similar one": (
        [*GOLDEN[:4], "take a seat"],
        {"closest": {"5": ["c5", 0.7]}, "closest_extra": {"c5": ["5", 0.7]}}, None, LOW_STRUCTURE,
        "description_changes",
    ),
    "a step exchanged for another one": (
        [*GOLDEN[:4], "sing"],
        {"closest": {"5": ["c4", 0.3]}, "closest_extra": {"c5": ["1", 0.2]}}, None, LOW_STRUCTURE, "missing_steps",
    ),
    "steps in another order": ([*GOLDEN[2:], *GOLDEN[:2]], {}, None, LOW_STRUCTURE, "reordered_steps"),
    "the same steps, other dependencies": (
        GOLDEN, {}, [(0, 1), (0, 2), (0, 3), (3, 4)], LOW_STRUCTURE, "wrong_dependencies",
    ),
    "other words": (
        ["get the key", *GOLDEN[1:]],
        {"matched": [(place, place, 0.9 if place == 0 else 1.0) for place in range(5)]}, None, LOW_WORDING,
        "description_changes",
    ),
    # The structure is low because of the lost step, not of the two reworded ones.
    "a step lost, two reworded, low structure": (
        ["get the key", "unlock that door", "open the door", "walk inside"],
        {"matched": [(0, 0, 0.9), (1, 1, 0.9), (2, 2, 1.0), (3, 3, 1.0)]}, None, LOW_STRUCTURE, "missing_steps",
    ),
    # The lost step alone would leave the wording above its bar; what broke it are the other words.
    "a step lost, two reworded, low wording": (
        ["get the key", "unlock that door", "open the door", "walk inside"],
        {"matched": [(0, 0, 0.9), (1, 1, 0.9), (2, 2, 1.0), (3, 3, 1.0)]}, None, LOW_WORDING, "description_changes",
    ),
    "no steps at all": ([], {}, None, LOW_STRUCTURE, "missing_steps"),
    # Whatever made the scores low, it is none of the modes.
    "nothing differs": (GOLDEN, {}, None, LOW_WORDING, None),
    "nothing is broken": (GOLDEN[:3], {}, None, [], None),
}  # fmt: skip


@pytest.mark.parametrize(("candidate", "alignment", "edges", "broken", "mode"), PATTERNS.values(), ids=PATTERNS)
def test_what_became_of_the_steps_names_the_mode(make_pair, candidate, alignment, edges, broken, mode):
    fields = dict(alignment)
    record = make_pair(GOLDEN, candidate, matched=fields.pop("matched", None), candidate_edges=edges)
    record["alignment"] |= fields
    assert diagnose(record, breaches_of(*broken), compare_usable(record), DEFAULT) == mode


def test_another_tool_is_told_from_other_words(make_pair):
    golden = ["find the street with the `geocode` tool", "send the parcel"]
    matched = [(0, 0, 0.95), (1, 1, 1.0)]
    for text, mode in (
        ("find the street with the `search` tool", "wrong_tool"),
        ("look up the street with the `geocode` tool", "description_changes"),
    ):
        record = make_pair(golden, [text, golden[1]], matched=matched)
        assert diagnose(record, breaches_of(*LOW_WORDING), compare_usable(record), DEFAULT) == mode


def test_evidence_is_counted_in_steps(make_pair):
    # Steps 1 and 2 went into one, step 4 is lost, and "sing" is new.
    record = make_pair(
        GOLDEN,
        ["fetch the key and unlock the door", "open the door", "sit down", "sing"],
        matched=[(0, 0, 0.85), (2, 1, 1.0), (4, 2, 1.0)],
    )
    assert +count_evidence(compare_usable(record)) == {"compressed_steps": 1, "missing_steps": 1, "added_steps": 1}


LOW_ORDER = [("compressed_steps", "kendall_tau")]
LONGER = [*GOLDEN, "sing"]


@pytest.mark.parametrize(
    ("candidate", "broken", "mode"),
    [
        # Lost steps take their words with them, merged ones keep them.
        (GOLDEN[:3], [*LOW_STRUCTURE, *LOW_ORDER, *LOW_WORDING], "missing_steps"),
        (GOLDEN[:3], LOW_WORDING, "missing_steps"),
        (GOLDEN[:3], [*LOW_STRUCTURE, *LOW_ORDER], "compressed_steps"),
        (GOLDEN[:3], LOW_ORDER, "compressed_steps"),
        (LONGER, [*LOW_ORDER, *LOW_WORDING], "added_steps"),
        (LONGER, LOW_WORDING, "added_steps"),
        (GOLDEN, [*LOW_STRUCTURE, *LOW_ORDER, *LOW_WORDING], "reordered_steps"),
        (GOLDEN, LOW_STRUCTURE, "reordered_steps"),
        (GOLDEN, LOW_WORDING, "description_changes"),
        # Rules may have any name; a metric that nobody knows says something by the name of its rule only.
        (GOLDEN[:3], [("own", "graph_f1_exact"), ("own", "bertscore")], "missing_steps"),
        (GOLDEN, [("own", "kendall_tau_aligned")], "reordered_steps"),
        (GOLDEN, [("own", "our_metric")], None),
        (GOLDEN, [("wrong_tool", "our_metric")], "wrong_tool"),
        (GOLDEN, [], None),
    ],
)
def test_without_an_alignment_scores_and_number_of_steps_name_the_mode(make_pair, candidate, broken, mode):
    record = make_pair(GOLDEN, candidate)
    del record["alignment"]
    assert diagnose(record, breaches_of(*broken), compare_usable(record), DEFAULT) == mode


@pytest.mark.parametrize(
    ("steps", "metric", "mode"),
    [
        (GOLDEN, "chain_f1", None),  # reordered, or other steps
        (GOLDEN, "kendall_tau", "reordered_steps"),
        (GOLDEN[:1], "chain_f1", "description_changes"),  # one step has no order
        (LONGER, "chain_f1", "added_steps"),
        (GOLDEN[:3], "chain_f1", "missing_steps"),
    ],
)
def test_where_the_wording_is_not_looked_at_less_can_be_said(make_pair, steps, metric, mode):
    rule = {"name": "own", "primary": {"metric": metric, "below": 0.7}, "action": "fail"}
    record = make_pair(GOLDEN[:1] if len(steps) == 1 else GOLDEN, steps)
    assert diagnose(record, breaches_of(("own", metric)), None, load_policy({"version": 1, "rules": [rule]})) == mode


def outcome(name, miss, alarm):
    return {"name": name, "held_out": {"miss": {"rate": miss}, "benign_alarm": {"rate": alarm}}}


@pytest.mark.parametrize(
    ("rules", "mode"),
    [
        # Likelihood ratios 0.7 / 0.35 = 2 and 0.6 / 0.02 = 30: the second rule fires on little else.
        ([outcome("missing_steps", 0.3, 0.35), outcome("compressed_steps", 0.4, 0.02)], "compressed_steps"),
        ([outcome("missing_steps", 0.3, 0.02), outcome("compressed_steps", 0.4, 0.35)], "missing_steps"),
        # 0.9 / 0.01 and 1: a rule of which nothing is known is believed no more than one that tells nothing.
        ([outcome("compressed_steps", 0.1, 0.0)], "compressed_steps"),
        ([outcome("compressed_steps", 0.1, None)], "missing_steps"),
        ([{"name": "compressed_steps", "outcome": "too_little_data"}], "missing_steps"),
        ([{"name": "compressed_steps", "held_out": {"miss": 0.1, "benign_alarm": None}}], "missing_steps"),
        (["compressed_steps"], "missing_steps"),
        ("compressed_steps", "missing_steps"),
        ([], "missing_steps"),
    ],
)
def test_where_the_wording_is_not_looked_at_a_calibration_says_which_rule_to_believe(make_pair, rules, mode):
    without_wording = {**DEFAULT_POLICY, "rules": DEFAULT_POLICY["rules"][:2], "calibration": {"rules": rules}}
    record = make_pair(GOLDEN, GOLDEN[:3])
    broken = breaches_of(("missing_steps", "graph_f1"), ("compressed_steps", "kendall_tau"))
    assert diagnose(record, broken, None, load_policy(without_wording)) == mode


def test_a_candidate_that_could_not_be_read_has_no_failure_mode(make_pair):
    record = make_pair(GOLDEN, [])
    record["candidate"]["meta"] = {"error": "E-CYCLE: a cycle"}
    assert diagnose(record, breaches_of(*LOW_STRUCTURE), None, DEFAULT) is None


def test_the_rules_of_table_1_are_named_after_modes():
    assert {rule["name"] for rule in DEFAULT_POLICY["rules"]} <= set(MODES)
