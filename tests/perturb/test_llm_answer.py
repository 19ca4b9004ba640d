"""From a model's answer to a candidate with the golden's ids, fields and texts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats import worf
from wfkit.perturb.llm_answer import paraphrase_in, read_variant

TEA = {
    "kind": "workflow",
    "id": "tea",
    "nodes": [
        {"id": "boil", "text": "boil  the\nwater", "tool": "kettle"},
        {"id": "add", "text": "add the leaves"},
        {"id": "pour", "text": "pour the water", "note": 1},
        {"id": "serve", "text": "serve the tea"},
    ],
    "edges": [["boil", "pour"], ["add", "pour"], ["pour", "serve"]],
}


def answer(*texts: str, edges: str) -> str:
    steps = "\n".join(f"{number}: {text}" for number, text in enumerate(texts, 1))
    return f"Here you are.\n\n```\nNode:\n{steps}\nEdge: {edges}\n```\n"


def test_steps_that_are_still_there_are_the_goldens_own() -> None:
    made = read_variant(
        answer("boil  the water", "pour the water", "serve the tea", edges="(START,1) (1,2) (2,3) (3,END)"),
        TEA,
        "missing_steps",
    )
    # The line break of the golden's text cannot be shown to the model, and yet comes back.
    assert made.nodes == [TEA["nodes"][0], TEA["nodes"][2], TEA["nodes"][3]]
    assert made.edges == [["boil", "pour"], ["pour", "serve"]]
    assert made.edits == [{"op": "remove", "nodes": ["add"]}]


def test_a_merged_step_has_id_and_fields_of_its_parts() -> None:
    made = read_variant(
        answer("boil  the water", "add the leaves", "pour the water and serve the tea", edges="(1,3) (2,3)"),
        TEA,
        "compressed_steps",
    )
    assert made.nodes[2] == {"id": "pour", "text": "pour the water and serve the tea", "note": 1}
    assert made.edges == [["boil", "pour"], ["add", "pour"]]
    assert made.edits == [{"op": "merge", "nodes": ["pour", "serve"], "into": "pour"}]


def test_a_lost_action_is_a_removal_and_not_a_merge() -> None:
    made = read_variant(
        answer("boil  the water", "add the leaves", "pour the water carefully", edges="(1,3) (2,3)"),
        TEA,
        "compressed_steps",
    )
    assert made.edits == [{"op": "merge", "nodes": ["pour"], "into": "pour"}, {"op": "remove", "nodes": ["serve"]}]


def test_reworded_steps_keep_id_and_fields() -> None:
    texts = ("boil  the water", "put the leaves in", "pour the water", "bring the tea")
    made = read_variant(answer(*texts, edges="(1,3) (2,3) (3,4)"), TEA, "description_changes")
    assert [node["id"] for node in made.nodes] == ["boil", "add", "pour", "serve"]
    assert made.nodes[0] is TEA["nodes"][0]
    assert made.nodes[3] == {"id": "serve", "text": "bring the tea"}
    assert made.edges == TEA["edges"]
    assert made.edits == [{"op": "reword", "nodes": ["add"]}, {"op": "reword", "nodes": ["serve"]}]


def test_new_steps_get_new_ids() -> None:
    golden = {**TEA, "nodes": [{"id": "new-2", "text": "a"}, {"id": "x", "text": "b"}], "edges": [["new-2", "x"]]}
    made = read_variant(answer("a", "c", "d", edges="(1,2) (2,3)"), golden, "missing_steps")
    assert [node["id"] for node in made.nodes] == ["new-2", "new-2-2", "new-3"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E-NO-NODES"),
        ("I cannot do that.", "E-NO-NODES"),
        (answer("a", "b", edges="(1,2) (2,1)"), "E-CYCLE"),
        (answer("a", "b", edges="(1,2) (2,9)"), "E-GHOST"),
    ],
)
def test_answers_without_a_workflow(text: str, code: str) -> None:
    with pytest.raises(DataError) as caught:
        read_variant(text, TEA, "missing_steps")
    assert caught.value.code == code


@given(st.lists(st.text(min_size=1).filter(lambda text: text.strip()), min_size=1, max_size=6), st.data())
def test_the_golden_itself_comes_back_whole(texts: list[str], data: Any) -> None:
    nodes = [{"id": f"n{number}", "text": text} for number, text in enumerate(texts)]
    edges = [[f"n{number}", f"n{number + 1}"] for number in range(len(texts) - 1)]
    golden = {"kind": "workflow", "id": "g", "nodes": nodes, "edges": edges}
    try:
        shown = worf.write(golden)
        made = read_variant(shown, golden, data.draw(st.sampled_from(["missing_steps", "description_changes"])))
    except DataError as error:  # control characters and the like are no texts that the form can carry
        assert error.code in ("E-EMPTY-TEXT", "E-SYNTAX")
        return
    assert sorted(node["id"] for node in made.nodes) == sorted(node["id"] for node in nodes)
    assert made.edits == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("brew it", "brew it"),
        (' "brew it" \n', "brew it"),
        ("“brew it”", "brew it"),
        ("Paraphrased: brew it", "brew it"),
        ("```\nbrew it\n```", "brew it"),
        ('say "hello"', 'say "hello"'),
    ],
)
def test_paraphrases(text: str, expected: str) -> None:
    assert paraphrase_in(text) == expected


@pytest.mark.parametrize("text", ["", " \n", "Sure!\nbrew it", '""', "Paraphrased:"])
def test_no_paraphrase(text: str) -> None:
    with pytest.raises(DataError):
        paraphrase_in(text)
