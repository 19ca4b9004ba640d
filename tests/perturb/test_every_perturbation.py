"""Laws that hold for every type, on random graphs with repeated, blank-like and hostile texts."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.errors import DataError, UsageProblem
from wfkit.perturb.base import PLACEMENTS, edited_count
from wfkit.perturb.donors import donors_from
from wfkit.perturb.pairs import perturb
from wfkit.registry import PERTURBATIONS
from wfkit.validation.validate import validate
from wfkit.workflow import find_cycle

Record = dict[str, Any]

TEXTS = st.sampled_from(
    [
        "go to the fridge",
        "open the fridge",
        "Open the fridge, then close it",
        "close it",
        "Use the getUser tool",
        'call the "get_items_v2" function twice',
        "do it",
        "🎉",
        "取杯子",
        "put 1 egg in/on pan 1.5, not 2\n",
        "(1,2) Edge: [x]*\\1 \u2028 'quoted'",
        "a",
        "Relax!",
        "etc.",
    ]
)
TOOLS = st.sampled_from([None, None, "search", "fetch_page", "\\1", " "])


@st.composite
def workflows(draw: st.DrawFn) -> Record:
    size = draw(st.integers(1, 9))
    texts = draw(st.lists(TEXTS, min_size=size, max_size=size))
    tools = draw(st.lists(TOOLS, min_size=size, max_size=size))
    pairs = [(a, b) for b in range(size) for a in range(b)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    if draw(st.booleans()):  # a chain under all others, as most real workflows are
        edges = list(dict.fromkeys([*zip(range(size), range(1, size), strict=False), *edges]))
    names = [f"s{number}" for number in range(size)]
    nodes: list[Record] = []
    for name, text, tool in zip(names, texts, tools, strict=True):
        nodes.append({"id": name, "text": text, "own": {"kept": name}} | ({"tool": tool} if tool else {}))
    listed = draw(st.permutations(nodes)) if draw(st.integers(0, 4)) == 0 else nodes
    return {
        "kind": "workflow",
        "id": draw(st.sampled_from(["g", "g/1", "ü \u0000"])),
        "nodes": listed,
        "edges": [[names[a], names[b]] for a, b in edges],
        "meta": {"start": ["s0"]},
        "difficulty": 3,
    }


DONORS = donors_from(
    [
        {
            "id": "other",
            "nodes": [{"id": str(n), "text": f"fridge task number {n}", "tool": f"tool_{n}"} for n in range(12)],
            "edges": [],
        }
    ]
)
TYPES = st.sampled_from(sorted(PERTURBATIONS))
SIZE_CHANGE = {"missing_steps": -1, "compressed_steps": -1, "added_steps": 1, "duplicated_steps": 1}


@settings(max_examples=400, deadline=None)
@given(workflows(), TYPES, st.integers(1, 100), st.integers(0, 3), st.sampled_from(PLACEMENTS))
def test_every_variant_is_what_it_says(
    golden: Record, type_name: str, severity: int, seed: int, placement: str
) -> None:
    before = copy.deepcopy(golden)
    pair = perturb(golden, type_name, severity, seed=seed, placement=placement, donors=DONORS)
    assert golden == before, "the golden is not touched"
    count = edited_count(severity, len(golden["nodes"]))
    assert pair["perturbation"]["count"] == count
    assert pair["golden"] == golden
    if pair["candidate"] is None:
        assert pair["perturbation"]["inapplicable"]
        assert pair["perturbation"]["edits"] == []
        assert "valid" not in validate(pair)
        return
    candidate = pair["candidate"]
    assert candidate["id"] == pair["id"]
    assert candidate["difficulty"] == 3
    assert len(candidate["nodes"]) == len(golden["nodes"]) + count * SIZE_CHANGE.get(type_name, 0)
    number = {node["id"]: place for place, node in enumerate(candidate["nodes"])}
    assert len(number) == len(candidate["nodes"])
    edges = [(number[source], number[target]) for source, target in candidate["edges"]]
    assert not find_cycle(len(number), edges)
    assert len(set(edges)) == len(edges)
    listed = {node["id"]: place for place, node in enumerate(golden["nodes"])}
    if all(listed[source] < listed[target] for source, target in golden["edges"]):
        assert all(source < target for source, target in edges), "the list stays in order"
    told = {"nodes", "edges"}
    assert {key: candidate[key] for key in told} != {key: golden[key] for key in told}
    assert validate(pair)["checks"] == [found for found in validate(pair)["checks"] if found["ok"]]


@settings(max_examples=200, deadline=None)
@given(workflows(), TYPES, st.integers(1, 100), st.integers(1, 100))
def test_a_valid_variant_is_invalid_under_any_other_count_or_swapped(
    golden: Record, type_name: str, severity: int, other: int
) -> None:
    pair = perturb(golden, type_name, severity, donors=DONORS)
    if pair["candidate"] is None:
        return
    size = len(golden["nodes"])
    claimed = pair | {"perturbation": {"type": type_name, "severity": other}}
    assert validate(claimed)["valid"] is (edited_count(other, size) == edited_count(severity, size))
    swapped = pair | {"golden": pair["candidate"], "candidate": golden}
    assert validate(swapped)["valid"] is False


@settings(deadline=None)
@given(workflows(), TYPES, st.integers(1, 100))
def test_untouched_steps_keep_every_byte(golden: Record, type_name: str, severity: int) -> None:
    pair = perturb(golden, type_name, severity, donors=DONORS)
    touched = {step for edit in pair["perturbation"]["edits"] for step in edit["nodes"]}
    if pair["candidate"] is not None:
        there = {node["id"]: json.dumps(node) for node in pair["candidate"]["nodes"]}
        expected = {node["id"]: json.dumps(node) for node in golden["nodes"] if node["id"] not in touched}
        assert {step: there.get(step) for step in expected} == expected


@settings(deadline=None)
@given(workflows(), TYPES, st.integers(1, 100), st.integers(0, 5), st.integers(1, 4))
def test_same_input_same_bytes(golden: Record, type_name: str, severity: int, seed: int, repeat: int) -> None:
    first, second = (
        json.dumps(perturb(copy.deepcopy(golden), type_name, severity, seed=seed, repeat=repeat, donors=DONORS))
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("type_name", sorted(PERTURBATIONS))
def test_repeats_differ_where_they_can(type_name: str) -> None:
    nodes = [{"id": str(n), "text": f"go to the room number {n}", "tool": f"t{n}"} for n in range(12)]
    golden = {"kind": "workflow", "id": "g", "nodes": nodes, "edges": [[str(n), str(n + 1)] for n in range(11)]}
    pairs = [perturb(golden, type_name, 30, repeat=repeat, donors=DONORS) for repeat in range(1, 6)]
    assert [pair["id"] for pair in pairs] == [f"g/{type_name}/30"] + [f"g/{type_name}/30/r{n}" for n in range(2, 6)]
    assert len({json.dumps([pair["candidate"]["nodes"], pair["candidate"]["edges"]]) for pair in pairs}) > 1


@pytest.mark.parametrize("type_name", sorted(PERTURBATIONS))
def test_bad_goldens(type_name: str) -> None:
    nodes = [{"id": str(n), "text": f"go to room {n}"} for n in range(3)]
    golden = {"kind": "workflow", "id": "g", "nodes": nodes, "edges": [["0", "1"], ["1", "2"], ["2", "1"]]}
    with pytest.raises(DataError, match=r"(1 -> 2 -> 1|2 -> 1 -> 2)$") as cycle:
        perturb(golden, type_name, 30)
    assert cycle.value.code == "E-CYCLE"
    with pytest.raises(DataError, match="'9'"):
        perturb(golden | {"edges": [["0", "9"]]}, type_name, 30)
    with pytest.raises(DataError, match="twice"):
        perturb(golden | {"nodes": nodes + nodes[:1], "edges": []}, type_name, 30)
    empty = perturb(golden | {"nodes": [], "edges": []}, type_name, 30)
    assert (empty["candidate"], empty["perturbation"]["inapplicable"]) == (None, "the workflow has no steps")


@pytest.mark.parametrize("severity", [0, -1, 101, "abc", "30", 30.0, 12.5, True, None])
def test_bad_severities(severity: Any) -> None:
    with pytest.raises(UsageProblem, match="whole number from 1 to 100"):
        perturb({"id": "g", "nodes": [], "edges": []}, "missing_steps", severity)


def test_bad_names() -> None:
    golden: Record = {"id": "g", "nodes": [], "edges": []}
    with pytest.raises(UsageProblem, match="unknown perturbation type 'missing': choose from missing_steps, "):
        perturb(golden, "missing", 30)
    with pytest.raises(UsageProblem, match="unknown placement 'head': choose from uniform, tail, block"):
        perturb(golden, "missing_steps", 30, placement="head")
