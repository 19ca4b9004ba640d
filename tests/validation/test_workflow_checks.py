from typing import Any

import pytest

from wfkit.validation.validate import validate

Record = dict[str, Any]


def workflow(texts: list[str], edges: list[str], ids: str = "abcdefgh") -> Record:
    nodes = [{"id": step, "text": text} for step, text in zip(ids, texts, strict=False)]
    return {"kind": "workflow", "id": "w", "nodes": nodes, "edges": [list(edge) for edge in edges]}


@pytest.mark.parametrize(
    ("record", "valid", "failing"),
    [
        (workflow(["x", "y", "z"], ["ab", "bc"]), True, {}),
        (workflow(["x"], []), True, {}),
        (workflow(["x", "x"], ["ab"]), True, {}),  # the same text twice is legitimate
        (workflow(["x", "y"], [], ids="aa"), False, {"unique_ids": (2, 1)}),
        (workflow(["x", "y"], ["ab", "az", "qz"]), False, {"known_edge_ends": (0, 3)}),
        (workflow(["x", "y", "z"], ["ab", "bc", "cb"]), False, {"acyclic": (0, 2)}),
        (workflow(["x", "y"], ["ab", "aa"]), False, {"acyclic": (0, 1)}),  # waits for itself
        (workflow(["x", " \u200b\n", ""], ["ab", "bc"]), False, {"texts_non_empty": (0, 2)}),
        (workflow([], []), False, {"has_steps": (1, 0)}),
        (workflow(["x", "y", "z"], ["ab"]), True, {"one_component": (1, 2)}),
        (workflow(["x", "y", "z"], ["ab", "bc", "ac"]), True, {"redundant_edges": (0, 1)}),
        (workflow(["x", "y"], ["ab", "ab"]), True, {"redundant_edges": (0, 1)}),  # written twice
        (workflow(list("wxyz"), ["ab", "ac", "bd", "cd", "ad"]), True, {"redundant_edges": (0, 1)}),
        (workflow(["x", "y", ""], ["ab", "ba"], ids="aab"), False, {"unique_ids": (3, 2), "texts_non_empty": (0, 1)}),
    ],
)
def test_checks_of_a_workflow(record: Record, valid: bool, failing: dict[str, tuple[int, int]]) -> None:
    validation = validate(record)
    assert validation["valid"] is valid
    assert {c["name"]: (c["expected"], c["actual"]) for c in validation["checks"] if not c["ok"]} == failing
    assert all(c["message"] for c in validation["checks"] if not c["ok"])
    assert not any("message" in c for c in validation["checks"] if c["ok"])


def test_every_check_is_told_and_warnings_are_marked() -> None:
    checks = validate(workflow(["x", "y"], ["ab"]))["checks"]
    assert [(c["name"], c.get("level")) for c in checks] == [
        ("unique_ids", None),
        ("known_edge_ends", None),
        ("acyclic", None),
        ("texts_non_empty", None),
        ("has_steps", None),
        ("one_component", "warning"),
        ("redundant_edges", "warning"),
    ]


def test_messages_name_what_is_wrong() -> None:
    checks = validate(workflow(["x", "y", "z"], ["ab", "bc", "ca"]))["checks"]
    assert next(c["message"] for c in checks if c["name"] == "acyclic") == "the steps form a cycle: a -> b -> c -> a"
    checks = validate(workflow(["x"], ["pq", "rs"]))["checks"]
    assert checks[1]["message"] == "edges to steps that are not listed: «p», «q», «r» and 1 more"
