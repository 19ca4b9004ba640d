"""Pairs made by hand, as an outside program would: renumbered steps, only type and severity told."""

from typing import Any

import pytest

from wfkit.validation.validate import validate

Record = dict[str, Any]
MUG = [
    "locate the mug in the kitchen",
    "pick up the mug",
    "go to the coffee machine",
    "place the mug under the coffee spout",
    "press the button to brew coffee",
]
CHAIN = object()


def workflow(texts: list[str], edges: Any = CHAIN, workflow_id: str = "g", tools: list[Any] | None = None) -> Record:
    """Steps numbered 1..n, whatever numbers they had before."""
    nodes: list[Record] = [{"id": str(n), "text": text} for n, text in enumerate(texts, start=1)]
    for node, tool in zip(nodes, tools or [], strict=False):
        if tool is not None:
            node["tool"] = tool
    pairs = [(n, n + 1) for n in range(1, len(texts))] if edges is CHAIN else edges
    return {
        "kind": "workflow",
        "id": workflow_id,
        "nodes": nodes,
        "edges": [[str(a), str(b)] for a, b in pairs],
    }


def pair(golden: Record, candidate: Record, type_name: str, severity: Any) -> Record:
    perturbation = {"type": type_name, "severity": severity}
    return {"kind": "pair", "id": "p", "golden": golden, "candidate": candidate, "perturbation": perturbation}


def failing(record: Record) -> dict[str, tuple[int, int]]:
    validation = validate(record)
    assert validation["valid"] is all(found["ok"] for found in validation["checks"])
    assert all("message" in c for c in validation["checks"] if not c["ok"])
    return {c["name"]: (c["expected"], c["actual"]) for c in validation["checks"] if not c["ok"]}


@pytest.mark.parametrize(
    ("texts", "edges", "severity", "expected"),
    [
        (MUG[1:], CHAIN, 20, {}),
        (MUG[:1] + MUG[2:], CHAIN, 10, {}),  # ceil(0.5) = 1
        (MUG[:2] + MUG[4:], CHAIN, 40, {}),
        (MUG[:1] + MUG[2:], [(1, 2), (2, 3), (3, 4), (1, 3)], 20, {}),  # a redundant edge says nothing new
        (MUG, CHAIN, 20, {"node_count": (4, 5), "change_count": (1, 0)}),  # none is gone
        (MUG[:3], CHAIN, 20, {"node_count": (4, 3), "change_count": (1, 2)}),  # two are gone
        # One is gone and one was touched up.
        (["find the mug", *MUG[2:]], CHAIN, 20, {"change_count": (1, 2), "unchanged_verbatim": (4, 3)}),
        ([MUG[1] + ".", *MUG[2:]], CHAIN, 20, {"change_count": (1, 2), "unchanged_verbatim": (4, 3)}),
        # The rest stands in another order: the last two are swapped.
        ([*MUG[1:3], MUG[4], MUG[3]], CHAIN, 20, {"order_kept": (0, 1), "precedence_kept": (0, 1)}),
        # The edge over the gap is missing, or one is too many.
        (MUG[:1] + MUG[2:], [(2, 3), (3, 4)], 20, {"precedence_kept": (0, 1)}),
        (MUG[:1] + MUG[2:], [(1, 2), (2, 3), (2, 4)], 20, {"precedence_kept": (0, 1)}),
        (MUG[1:], [(4, 3), (3, 2), (2, 1)], 20, {"precedence_kept": (0, 3)}),
        (MUG[1:], [(1, 2), (2, 1)], 20, {"acyclic": (0, 2)}),
        (MUG[1:], [(1, 9)], 20, {"known_edge_ends": (0, 1)}),
        (["", *MUG[2:]], CHAIN, 20, {"texts_non_empty": (0, 1)}),
        ([], [], 100, {}),
    ],
)
def test_missing_steps(texts: list[str], edges: Any, severity: int, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts, edges), "missing_steps", severity)) == expected


LOST = {"change_count": (1, 0), "unchanged_verbatim": (0, 1), "content_retained": (0, 1)}
MERGED = "locate the mug in the kitchen and pick it up"
SHIP = [
    "Weigh the package.",
    "Buy postage online.",
    "Print the shipping label.",
    "Send the package or drop it off at a UPS location.",
]


@pytest.mark.parametrize(
    ("golden", "texts", "edges", "severity", "expected"),
    [
        # The few-shot example of A.1: "pick it up" for "pick up the mug".
        (MUG, [MERGED, MUG[2], "place the mug under the coffee spout and press the button to brew coffee"], CHAIN, 40,
         {}),
        (MUG, [MERGED, *MUG[2:]], CHAIN, 20, {}),
        (MUG, ["Having located the mug in the kitchen, pick it up", *MUG[2:]], CHAIN, 20, {}),
        # A.9, the one entry that a person had to find: the label is printed, the drop-off is gone.
        (SHIP, ["Weigh the package, then buy postage online.", "Print the shipping label."], CHAIN, 50,
         {"change_count": (2, 1), "content_retained": (0, 1)}),
        (SHIP, [SHIP[0], "Buy postage online and print the shipping label."], CHAIN, 50,
         {"change_count": (2, 1), "content_retained": (0, 1)}),
        (SHIP, ["Weigh the package and buy postage online.", "Print the shipping label and send the package."], CHAIN,
         50, {"change_count": (2, 1), "unchanged_verbatim": (0, 1), "content_retained": (0, 1)}),
        (SHIP, ["Weigh the package and buy postage online.",
                "Print the shipping label and send the package or drop it off at a UPS location."], CHAIN, 50, {}),
        # A number, a name, a negation lost.
        (["wait 10 minutes", "go"], ["wait minutes, then go"], [], 50, LOST),
        (["ask Peter", "go"], ["ask, then go"], [], 50, LOST),
        (["do not stir", "go"], ["stir, then go"], [], 50, LOST),
        # A step reworded beside a proper merge.
        (MUG, [MERGED, "walk to the coffee machine", *MUG[3:]], CHAIN, 20,
         {"unchanged_verbatim": (0, 1), "content_retained": (0, 1)}),
        # Only removed.
        (MUG, MUG[1:], CHAIN, 20, {"change_count": (1, 0), "content_retained": (0, 1)}),
        # Merged once too often.
        (MUG, [f"{MERGED}, then go to the coffee machine", *MUG[3:]], CHAIN, 20,
         {"node_count": (4, 3), "change_count": (1, 2)}),
        # The right number, but the merged step stands at the end.
        (MUG, [*MUG[2:], MERGED], CHAIN, 20, {"precedence_kept": (0, 1)}),
        (MUG, [MERGED, *MUG[2:]], [(1, 2), (2, 3)], 20, {"precedence_kept": (0, 1)}),
    ],
)  # fmt: skip
def test_compressed_steps(
    golden: list[str], texts: list[str], edges: Any, severity: int, expected: dict[str, tuple[int, int]]
) -> None:
    assert failing(pair(workflow(golden), workflow(texts, edges), "compressed_steps", severity)) == expected


def test_a_lost_action_is_named_with_its_lost_words() -> None:
    record = pair(workflow(SHIP), workflow([*SHIP[:2], SHIP[2]]), "compressed_steps", 25)
    message = next(c["message"] for c in validate(record)["checks"] if c["name"] == "content_retained")
    assert message == (
        "golden step 4 «Send the package or drop it off at a UPS location.» is in no merged step: "
        "send, drop, off, ups, location lost"
    )


def test_repeated_steps_may_be_merged_in_any_of_their_places() -> None:
    golden = workflow(["go to shelf", "take book", "go to bed", "put book", "go to shelf", "take book", "go to bed"])
    for texts in (
        ["go to shelf, then take book, then go to bed", "put book", "go to shelf, then take book, then go to bed"],
        ["go to shelf", "take book, then go to bed, then put book", "go to shelf, then take book, then go to bed"],
    ):
        assert failing(pair(golden, workflow(texts), "compressed_steps", 57)) == {}  # ceil(3.99) = 4 merges


@pytest.mark.parametrize(
    ("texts", "edges", "severity", "expected"),
    [
        (["find the mug in the kitchen", *MUG[1:]], CHAIN, 20, {}),
        (["find the mug in the kitchen", "take the mug", *MUG[2:]], CHAIN, 40, {}),
        (MUG, CHAIN, 20, {"change_count": (1, 0), "unchanged_verbatim": (4, 5)}),
        (["find the mug", "take the mug", *MUG[2:]], CHAIN, 20, {"change_count": (1, 2), "unchanged_verbatim": (4, 3)}),
        # Case, blanks, signs and articles are no new wording.
        (["Locate a mug  in kitchen!", *MUG[1:]], CHAIN, 20, {"wording_changed": (0, 1)}),
        (["find the mug in the kitchen", *MUG[1:]], [(1, 2), (2, 3), (3, 4)], 20, {"topology_kept": (0, 1)}),
        (["find the mug in the kitchen", *MUG[1:]], [(1, 2), (2, 3), (3, 4), (3, 5)], 20, {"topology_kept": (0, 2)}),
        (MUG[1:], CHAIN, 20, {"node_count": (5, 4)}),
        # Two texts have changed places instead of being worded anew.
        ([MUG[1], MUG[0], *MUG[2:]], CHAIN, 40, {"order_kept": (0, 1)}),
    ],
)  # fmt: skip
def test_description_changes(texts: list[str], edges: Any, severity: int, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts, edges), "description_changes", severity)) == expected


@pytest.mark.parametrize(
    ("texts", "edges", "expected"),
    [
        ([MUG[0], "sing a song", *MUG[1:]], CHAIN, {}),
        ([MUG[0], MUG[3], *MUG[1:]], CHAIN, {"wording_new": (0, 1)}),
        (["Pick up a mug.", *MUG], CHAIN, {"wording_new": (0, 1)}),
        ([*MUG, "sing", "dance"], CHAIN, {"node_count": (6, 7), "change_count": (1, 2)}),
        (["find the mug", "sing", *MUG[1:]], CHAIN, {"change_count": (1, 2), "unchanged_verbatim": (5, 4)}),
        ([*MUG, "sing"], [(1, 2), (2, 3), (4, 5), (5, 6)], {"precedence_kept": (0, 1)}),
        ([MUG[1], MUG[0], *MUG[2:], "sing"], [(2, 1), (1, 3), (3, 4), (4, 5)], {"order_kept": (0, 1)}),
    ],
)
def test_added_steps(texts: list[str], edges: Any, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts, edges), "added_steps", 20)) == expected


@pytest.mark.parametrize(
    ("texts", "severity", "expected"),
    [
        ([MUG[0], *MUG], 20, {}),
        ([*MUG, MUG[0]], 20, {}),
        ([MUG[0], MUG[0], *MUG], 40, {"change_count": (2, 1)}),  # one step three times is one step doubled
        ([MUG[0], MUG[1], *MUG], 40, {}),
        (["sing", *MUG], 20, {"change_count": (1, 0)}),
        ([MUG[0], MUG[0], *MUG[1:4], "sing"], 20, {"unchanged_verbatim": (5, 4)}),
    ],
)
def test_duplicated_steps(texts: list[str], severity: int, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts), "duplicated_steps", severity)) == expected


@pytest.mark.parametrize(
    ("texts", "edges", "severity", "expected"),
    [
        ([*MUG[1:], MUG[0]], CHAIN, 20, {}),  # one step has moved, far
        ([MUG[1], MUG[0], *MUG[2:]], CHAIN, 20, {}),
        (MUG, [(5, 4), (4, 3), (3, 2), (2, 1)], 80, {}),  # only the edges turned round
        (MUG, CHAIN, 20, {"change_count": (1, 0)}),
        ([MUG[1], MUG[0], MUG[3], MUG[2], MUG[4]], CHAIN, 20, {"change_count": (1, 2)}),
        (["sing", MUG[0], *MUG[2:]], CHAIN, 20, {"change_count": (1, 0), "unchanged_verbatim": (5, 4)}),
        ([MUG[1], MUG[0], *MUG[2:]], [(1, 2), (2, 3), (3, 4)], 20, {"topology_kept": (0, 5)}),
    ],
)
def test_reordered_steps(texts: list[str], edges: Any, severity: int, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts, edges), "reordered_steps", severity)) == expected


@pytest.mark.parametrize(
    ("texts", "edges", "severity", "expected"),
    [
        (MUG, [(1, 2), (1, 3), (3, 4), (4, 5)], 20, {}),  # 3 waits for 1 instead of 2
        (MUG, [(2, 3), (3, 4), (4, 5)], 20, {}),  # 2 waits for nothing
        (MUG, CHAIN, 20, {"change_count": (1, 0)}),
        (MUG, [(1, 2), (2, 3), (3, 4), (4, 5), (1, 3)], 20, {"precedence_changed": (0, 1)}),  # says nothing new
        (MUG, [(1, 2), (1, 3), (1, 4), (4, 5)], 20, {"change_count": (1, 2)}),
        (["sing", *MUG[1:]], [(1, 2), (1, 3), (3, 4), (4, 5)], 20, {"unchanged_verbatim": (5, 4)}),
        (MUG, [(1, 2), (2, 3), (3, 2)], 20, {"acyclic": (0, 2)}),
    ],
)
def test_wrong_dependencies(texts: list[str], edges: Any, severity: int, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(texts, edges), "wrong_dependencies", severity)) == expected


TOOLED = ["call get_user", "look it up", "Use the IP lookup tool, then rest"]
TOOLS = ["get_user", "search", None]


@pytest.mark.parametrize(
    ("texts", "tools", "edges", "severity", "expected"),
    [
        (TOOLED, ["get_user", "fetch", None], CHAIN, 30, {}),
        (["call del_user", *TOOLED[1:]], ["del_user", "search", None], CHAIN, 30, {}),
        (TOOLED, ["del_user", "search", None], CHAIN, 30, {}),  # the text may go on naming the old one
        ([*TOOLED[:2], "Use the DNS tool, then rest"], TOOLS, CHAIN, 30, {}),
        (TOOLED, TOOLS, CHAIN, 30, {"change_count": (1, 0), "unchanged_verbatim": (2, 3)}),
        (TOOLED, ["get_user", None, None], CHAIN, 30, {"only_tool_changed": (0, 1)}),  # lost, not swapped
        (TOOLED, ["get_user", " ", None], CHAIN, 30, {"only_tool_changed": (0, 1)}),
        (TOOLED, ["get_user", "search", "new"], CHAIN, 30, {"only_tool_changed": (0, 1)}),
        ([*TOOLED[:2], "Use the DNS tool, then run"], TOOLS, CHAIN, 30, {"only_tool_changed": (0, 1)}),
        ([*TOOLED[:2], "Use the tool, then rest"], TOOLS, CHAIN, 30, {"only_tool_changed": (0, 1)}),
        ([TOOLED[0], "look up", TOOLED[2]], ["get_user", "fetch", None], CHAIN, 30, {"only_tool_changed": (0, 1)}),
        (TOOLED, ["get_user", "fetch", None], [(1, 2)], 30, {"topology_kept": (0, 1)}),
        (TOOLED, ["a", "b", None], CHAIN, 30, {"change_count": (1, 2), "unchanged_verbatim": (2, 1)}),
    ],
)
def test_wrong_tool(
    texts: list[str], tools: list[Any], edges: Any, severity: int, expected: dict[str, tuple[int, int]]
) -> None:
    golden, candidate = workflow(TOOLED, tools=TOOLS), workflow(texts, edges, tools=tools)
    assert failing(pair(golden, candidate, "wrong_tool", severity)) == expected


def test_ids_prove_nothing() -> None:
    # The candidate's ids say that step 5 is gone; its texts say that step 1 is.
    honest = failing(pair(workflow(MUG), workflow(MUG[1:]), "missing_steps", 20))
    assert honest == {}
    # Ids that pretend a move where the texts are those of the golden.
    same = workflow(["a", "b", "a"], workflow_id="g/reordered_steps/30")
    same["nodes"] = [{"id": "3", "text": "a"}, {"id": "2", "text": "b"}, {"id": "1", "text": "a"}]
    same["edges"] = [["3", "2"], ["2", "1"]]
    assert failing(pair(workflow(["a", "b", "a"]), same, "reordered_steps", 30)) == {"change_count": (1, 0)}


def test_edits_are_not_read() -> None:
    record = pair(workflow(MUG), workflow(MUG[:3]), "missing_steps", 20)
    record["perturbation"] |= {"count": 2, "edits": [{"op": "remove", "nodes": ["4"]}], "generator": "rules"}
    assert failing(record) == {"node_count": (4, 3), "change_count": (1, 2)}
    record["perturbation"] |= {"edits": "nonsense"}
    assert failing(record) == {"node_count": (4, 3), "change_count": (1, 2)}


@pytest.mark.parametrize("type_name", ["description_changes", "wrong_tool", "reordered_steps", "wrong_dependencies"])
def test_swapped_sides_are_told_by_their_ids(type_name: str) -> None:
    golden = workflow(MUG, workflow_id=f"g/{type_name}/20")
    assert failing(pair(golden, workflow(MUG, workflow_id="g"), type_name, 20))["not_swapped"] == (0, 1)
    assert "not_swapped" not in failing(pair(workflow(MUG, workflow_id="g"), golden, type_name, 20))
    other = pair(workflow(MUG, workflow_id="g/2"), workflow(MUG, workflow_id="g"), type_name, 20)
    assert "not_swapped" not in failing(other)  # an id of the user's own


@pytest.mark.parametrize(
    ("type_name", "severity", "expected"),
    [
        ("typos", 20, {"known_type": (1, 0)}),
        (None, 20, {"known_type": (1, 0)}),
        ("missing_steps", "20", {"known_severity": (1, 0)}),
        ("missing_steps", 0, {"known_severity": (1, 0)}),
        ("missing_steps", 101, {"known_severity": (1, 0)}),
        ("missing_steps", True, {"known_severity": (1, 0)}),
        ("missing_steps", None, {"known_severity": (1, 0)}),
        ("missing_steps", float("nan"), {"known_severity": (1, 0)}),
        ("missing_steps", 20.0, {}),
        ("missing_steps", 19.5, {}),  # ceil(0.975)
    ],
)
def test_what_a_pair_must_tell(type_name: Any, severity: Any, expected: dict[str, tuple[int, int]]) -> None:
    assert failing(pair(workflow(MUG), workflow(MUG[1:]), type_name, severity)) == expected


def test_a_broken_golden_is_told() -> None:
    record = pair(workflow(MUG, [(1, 2), (2, 1)]), workflow(MUG[1:]), "missing_steps", 20)
    assert failing(record) == {"golden_sound": (0, 1)}
    assert failing(pair(workflow([]), workflow([]), "missing_steps", 20)) == {"golden_sound": (0, 1)}


def test_pairs_without_candidate_or_without_perturbation() -> None:
    record: Record = {"kind": "pair", "id": "p", "golden": workflow(MUG), "candidate": None}
    assert failing(record) == {"candidate_present": (1, 0)}
    inapplicable = record | {"perturbation": {"type": "missing_steps", "severity": 20, "inapplicable": "too few"}}
    assert validate(inapplicable) == {"checks": [], "inapplicable": "too few"}
    # One that claims to be inapplicable and has a candidate all the same is checked like any other.
    assert "node_count" in failing(inapplicable | {"candidate": workflow(MUG)})
    plain = {"kind": "pair", "id": "p", "golden": workflow(MUG), "candidate": workflow(["anything"])}
    assert failing(plain) == {}
    assert failing(plain | {"candidate": workflow(["a", "b"], [(1, 2), (2, 1)])}) == {"acyclic": (0, 2)}
