"""A workflow under construction: bridges, terminals, groups; and branches that only an error takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats.base import ParseOptions
from wfkit.formats.finish import finish
from wfkit.formats.flow import Exit, Flow, expand_groups
from wfkit.formats.wording import step_text, words_of


def flow_of(steps: str, *edges: str, silent: str = "") -> Flow:
    flow = Flow()
    for step in steps:
        flow.add(step, f"do {step}")
    for edge in edges:
        flow.join(edge[0], edge[1], label=edge[2:])
    flow.silent = set(silent)
    return flow


def test_a_silent_step_is_bridged_with_its_labels() -> None:
    draft = flow_of("abjcd", "ajx", "bj", "jcy", "jd", silent="j").draft("w")
    assert sorted(draft.edges) == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert sorted((a, b, values["label"]) for a, b, values in draft.edge_attributes) == [
        ("a", "c", "x, y"), ("a", "d", "x"), ("b", "c", "y"),
    ]  # fmt: skip


def test_silent_steps_in_a_row_a_ring_and_at_the_ends() -> None:
    assert sorted(flow_of("aijb", "ai", "ij", "jb", silent="ij").draft("w").edges) == [("a", "b")]
    assert flow_of("aijb", "ai", "ij", "ji", "jb", silent="ij").draft("w").edges == [("a", "b")]
    assert flow_of("iabj", "ia", "ab", "bj", silent="ij").draft("w").edges == [("a", "b")]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14), st.sets(st.integers(0, 6), max_size=5))
def test_bridges_keep_who_reaches_whom(pairs: list[tuple[int, int]], silent: set[int]) -> None:
    edges = [f"{a}{b}" for a, b in pairs if a < b]
    draft = flow_of("0123456", *edges, silent="".join(map(str, silent))).draft("w")
    kept = [step for step in range(7) if step not in silent]
    reach = _reach({(int(edge[0]), int(edge[1])) for edge in edges})
    after = _reach({(int(a), int(b)) for a, b in draft.edges})
    assert {(a, b) for a in kept for b in kept if (a, b) in reach} == after


def _reach(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    reach = set(edges)
    while True:
        more = {(a, d) for a, b in reach for c, d in reach if b == c} - reach
        if not more:
            return reach
        reach |= more


def test_bridges_are_bounded() -> None:
    flow = Flow()
    for name in [*(f"a{n}" for n in range(600)), *(f"b{n}" for n in range(600)), "j"]:
        flow.add(name, name)
    for n in range(600):
        flow.join(f"a{n}", "j")
        flow.join("j", f"b{n}")
    flow.silent = {"j"}
    with pytest.raises(DataError, match="200,000 edges"):
        flow.draft("w")


def test_a_start_that_is_entered_is_a_step() -> None:
    flow = flow_of("sabe", "sa", "ab", "be")
    flow.terminals = {"s": "start", "e": "end"}
    assert flow.draft("w").terminals == {"s": "start", "e": "end"}
    flow.join("b", "s")
    assert flow.draft("w").terminals == {"e": "end"}


def test_edges_that_differ_in_what_they_say_are_no_repetition() -> None:
    draft = flow_of("ab", "abx", "aby").draft("w")
    assert draft.edges == [("a", "b")]
    assert [values for _, _, values in draft.edge_attributes] == [{"label": "x"}, {"label": "y"}]
    assert flow_of("ab", "ab", "ab").draft("w").edges == [("a", "b"), ("a", "b")]
    assert [values for _, _, values in flow_of("ab", "ab", "abx").draft("w").edge_attributes] == [{}, {"label": "x"}]


def test_groups_expand_to_their_entries_and_exits() -> None:
    members = {"g": ["a", "b", "c"], "h": ["d", "e"]}
    edges = [("x", "g", {}), ("a", "b", {}), ("a", "c", {}), ("g", "h", {}), ("d", "e", {}), ("e", "d", {})]
    expanded = {(source, target) for source, target, _ in expand_groups(edges, members.get)}
    assert expanded == {
        ("x", "a"), ("a", "b"), ("a", "c"), ("d", "e"), ("e", "d"),
        ("b", "d"), ("b", "e"), ("c", "d"), ("c", "e"),  # h is a ring, so that all of it is entered
    }  # fmt: skip


def test_error_branches_are_left_out_with_what_only_they_reach() -> None:
    flow = flow_of("abcde", "ab", "cd")
    flow.join("a", "c", kind="error")
    flow.join("d", "b")
    flow.join("a", "b", kind="error")
    draft = flow.draft("w", start=["a"])
    record = finish(draft, ParseOptions(error_edges=False))
    # c and d are reached by the error alone; b by an edge of its own as well; e is reached by nothing and stays.
    assert [node["id"] for node in record["nodes"]] == ["a", "e", "b"]
    assert record["edges"] == [["a", "b"]]
    whole = finish(draft, ParseOptions())
    assert len(whole["edges"]) == 4
    assert ["a", "b", {}] in whole["meta"]["edge_attrs"]


def test_exits_and_limits() -> None:
    flow = flow_of("abc")
    flow.join_all([Exit("a", {"label": "no"}), Exit("b", {})], "c", kind="x")
    assert [edge[2] for edge in flow.edges] == [{"label": "no", "kind": "x"}, {"kind": "x"}]
    with pytest.raises(DataError, match="occurs twice"):
        flow.add("a", "again")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("get_weather", "get weather"),
        ("publish-npm", "publish npm"),
        ("GetTranscriptionJob", "Get Transcription Job"),
        ("SendingSMSSuccess", "Sending SMS Success"),
        ("HTTP Request2", "HTTP Request 2"),
        ("Upload to S3", "Upload to S3"),
        ("Propose 2-3 approaches", "Propose 2-3 approaches"),
        ("no\xa0break  blanks", "no break blanks"),
        ("hello1", "hello 1"),
        ("_", "_"),
        ("", ""),
    ],
)
def test_names_in_words(name: str, words: str) -> None:
    assert words_of(name) == words


def test_templates_of_text_say_nothing_they_do_not_know() -> None:
    assert step_text("{a.b} {a} {missing}!", name="", fields={"a": {"b": 1}}) == "1 !"
