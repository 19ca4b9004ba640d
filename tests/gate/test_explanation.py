import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.gate.explanation import LINE_LIMIT, explain_pair, note_changes

GOLDEN = ["fetch the key", "unlock the door", "open the door", "walk inside"]


@pytest.fixture
def record(make_pair):
    """One candidate with a step lost, one merged, one added, one moved, one re-linked and one reworded."""
    golden = ["check the alarm", "fetch the key", "unlock the door", "open the door", "walk inside", "wave", "sit down"]
    candidate = ["get the key", "unlock and open the door", "sit down", "walk inside", "sing"]
    pair = make_pair(
        golden,
        candidate,
        matched=[(1, 0, 0.87), (2, 1, 0.91), (6, 2, 1.0), (4, 3, 1.0)],
        candidate_edges=[(0, 1), (1, 2), (1, 3), (3, 4)],
    )
    pair["alignment"]["closest"] = {"1": ["c2", 0.41], "4": ["c2", 0.7], "6": ["c5", 0.3]}
    pair["alignment"]["closest_extra"] = {"c5": ["6", 0.3]}
    return pair


STRUCTURAL = [
    "golden step 1 «check the alarm» has no counterpart "
    "(closest 0.41: candidate step c2 «unlock and open the door», matched with golden step 3)",
    "golden step 6 «wave» has no counterpart (closest 0.30: candidate step c5 «sing»)",
    "golden steps 3 «unlock the door» and 4 «open the door» are merged "
    "into candidate step c2 «unlock and open the door» (similarity 0.91 to golden step 3)",
    "candidate step c5 «sing» is added, without counterpart (closest 0.30: golden step 6 «wave»)",
    "golden step 7 «sit down» now comes before step 5 «walk inside», which it followed (candidate step c3)",
    "golden step 7 «sit down» no longer waits for step 5 «walk inside»",
    "golden step 7 «sit down» now waits for step 3 «unlock the door»",
]


def test_everything_at_once_structure_first(record):
    assert explain_pair(record) == [
        *STRUCTURAL,
        "golden step 2 «fetch the key» is reworded as c1 «get the key» (similarity 0.87)",
    ]


def test_notes_leave_out_the_wording(record):
    assert note_changes(record) == STRUCTURAL


def test_the_same_record_gives_the_same_lines_whatever_the_order_of_its_lists(record):
    lines = explain_pair(record)
    record["alignment"]["matched"].reverse()
    record["candidate"]["edges"].reverse()
    record["golden"]["edges"].reverse()
    assert explain_pair(record) == lines


def test_lost_reordered_reworded_and_relinked_alone(make_pair):
    assert explain_pair(make_pair(GOLDEN, GOLDEN[:3])) == ["golden step 4 «walk inside» has no counterpart"]
    swapped = make_pair(GOLDEN[:2], GOLDEN[1::-1], golden_edges=[], candidate_edges=[])
    assert explain_pair(swapped) == [
        "golden step 2 «unlock the door» now comes before step 1 «fetch the key», which it followed (candidate step c1)"
    ]
    reworded = make_pair(GOLDEN[:1], ["get the key"], matched=[(0, 0, 0.9999)])
    assert explain_pair(reworded) == ["golden step 1 «fetch the key» is reworded as c1 «get the key» (similarity 0.99)"]
    assert note_changes(reworded) == []
    cut = make_pair(GOLDEN[:2], GOLDEN[:2], candidate_edges=[])
    assert explain_pair(cut) == ["golden step 2 «unlock the door» no longer waits for step 1 «fetch the key»"]


def test_an_added_step_names_the_counterpart_that_its_closest_step_has(make_pair):
    record = make_pair(GOLDEN[:1], [GOLDEN[0], "fetch the keys"])
    record["alignment"]["closest_extra"] = {"c2": ["1", 0.95]}
    assert explain_pair(record) == [
        "candidate step c2 «fetch the keys» is added, without counterpart "
        "(closest 0.95: golden step 1 «fetch the key», matched with candidate step c1)"
    ]


def test_nothing_differs(make_pair):
    assert explain_pair(make_pair(GOLDEN, GOLDEN)) == note_changes(make_pair(GOLDEN, GOLDEN)) == []


@pytest.mark.parametrize("explained", [explain_pair, note_changes])
@pytest.mark.parametrize(
    ("meta", "line"),
    [
        ({}, "the candidate is empty: the golden's 4 steps have no counterpart"),
        ({"error": "no Node: section"}, "the candidate is not usable: no Node: section"),
        ({"error": "E-X: \x1b[2J"}, "the candidate is not usable: E-X: \\x1b[2J"),
    ],
)
def test_an_empty_or_unparsable_candidate_is_one_line(make_pair, explained, meta, line):
    record = make_pair(GOLDEN, [])
    record["candidate"]["meta"] = meta
    assert explained(record) == [line]


def test_without_alignment_only_sizes_are_known(make_pair):
    record = make_pair(GOLDEN, GOLDEN[:1])
    del record["alignment"]
    [line] = explain_pair(record)
    assert line.startswith("the golden has 4 steps, the candidate 1;")
    assert note_changes(record) == [line]
    same_size = make_pair(GOLDEN, GOLDEN)
    del same_size["alignment"]
    assert note_changes(same_size) == []


def test_long_explanations_are_cut_and_say_by_how_much(make_pair):
    texts = [f"do part {number}" for number in range(LINE_LIMIT + 11)]
    lines = explain_pair(make_pair(texts, texts[:1]))
    assert len(lines) == LINE_LIMIT + 1
    assert lines[-1] == "… and 10 more differences"


@given(st.text(), st.text(), st.text())
def test_hostile_texts_stay_on_one_harmless_line(make_pair, first, second, name):
    record = make_pair([first, second], [second], matched=[(0, 0, 0.85)])
    record["golden"]["nodes"][0]["id"] = record["alignment"]["matched"][0][0] = name + "x"
    record["golden"]["edges"] = []
    for line in explain_pair(record):
        assert all(mark.isprintable() or mark in "\u200c\u200d" for mark in line)
        line.encode("utf-8")
        assert len(line) < 600
