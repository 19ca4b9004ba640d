"""Real files, damaged at random: each gives a clean record or an error that names its code, and nothing else."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfkit import jsonl, schema
from wfkit.errors import DataError
from wfkit.formats.base import Source
from wfkit.formats.documents import documents
from wfkit.workflow import from_record

Parse = Callable[..., list[dict[str, Any]]]

FORMATS = {
    "dify": "graph", "evoagentx": "graph", "flowise": "graph", "langgraph": "graph", "plan-json": "plan",
    "taskbench": "plan", "crewai": "plan", "n8n": "n8n", "asl": "asl", "logicapps": "logicapps", "gha": "gha",
    "argo": "argo", "ms-agent-framework": "ms-agent", "mermaid": "mermaid", "dot": "dot", "bpmn": "bpmn",
}  # fmt: skip
OTHERS = [None, True, 5, -1.5, "", "x", [], {}, ["x"], {"a": 1}, [[]], [None], "a" * 300]


def check(given: Any, wanted: str, parse: Parse, **options: Any) -> None:
    try:
        records = parse(given, wanted, **options)
    except DataError as error:
        assert error.code.startswith("E-")
        return
    for record in records:
        if "problem" in record:
            assert record["problem"].code.startswith("E-")
            continue
        schema.checker("workflow")(record)
        from_record(jsonl.loads(jsonl.dumps(record)))  # unique ids, known ends; no cycle unless it was to be kept


SWITCHES: list[dict[str, Any]] = [
    {}, {"collapse": True, "drop_control": True, "params": True}, {"error_edges": False, "keep_wiring": True},
    {"expand_jobs": True, "keep_disabled": True, "text": "{name}{type}", "empty_text": "id"},
    {"reduce": True, "text": "both"},
]  # fmt: skip


@pytest.mark.parametrize("folder", FORMATS)
def test_values_of_another_type_in_any_place(folder: str, corpus: Path, parse: Parse) -> None:
    chance = random.Random(folder)
    for path in sorted((corpus / folder).iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".mmd", ".dot", ".bpmn"):
            continue
        if path.suffix == ".jsonl":
            text = text.splitlines()[0]
        (original,) = [json.loads(text)] if path.suffix in (".json", ".jsonl") else documents(Source(text=text))
        for _ in range(60):
            value = json.loads(json.dumps(original))
            for _ in range(chance.choice((1, 1, 3))):
                damage(value, chance)
            check(value, chance.choice((FORMATS[folder], "auto")), parse, **chance.choice(SWITCHES))


def damage(value: Any, chance: random.Random) -> None:
    """Put something else in one place, or take it away."""
    place = value
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = place[key]
        if isinstance(inner, (dict, list)) and inner and chance.random() < 0.8:
            place = inner
            continue
        if chance.random() < 0.2:
            del place[key]
        else:
            place[key] = chance.choice(OTHERS)
        return


@pytest.mark.parametrize("folder", FORMATS)
def test_texts_that_are_cut_mixed_and_torn(folder: str, corpus: Path, parse: Parse) -> None:
    chance = random.Random(folder)
    for path in sorted((corpus / folder).iterdir()):
        text = path.read_text(encoding="utf-8")[:6000]
        for _ in range(15):
            lines = text.splitlines(keepends=True)
            kind = chance.randrange(4)
            if kind == 0:
                torn = text[: chance.randrange(len(text))]
            elif kind == 1:
                del lines[chance.randrange(len(lines))]
                torn = "".join(lines)
            elif kind == 2:
                at = chance.randrange(len(text))
                torn = (
                    text[:at]
                    + chance.choice(['"', "[", "}", "->", "\t", "&", "*", "<", "\n", "end", ":", "|", "-->"])
                    + text[at:]
                )
            else:
                chance.shuffle(lines)
                torn = "".join(lines)
            check(torn, chance.choice((FORMATS[folder], "auto")), parse)
