from typing import Any

from wfkit.perturb.pairs import perturb
from wfkit.perturb.words import wording

Record = dict[str, Any]


def golden(*texts: str) -> Record:
    nodes = [{"id": str(n), "text": text, "tool": "t"} for n, text in enumerate(texts, start=1)]
    edges = [[str(n), str(n + 1)] for n in range(1, len(texts))] + ([["1", "2"]] if len(texts) > 1 else [])
    return {"kind": "workflow", "id": "g", "nodes": nodes, "edges": edges, "meta": {}}


def test_exactly_n_texts_change_and_nothing_else() -> None:
    record = golden("go to the living room", "find the remote control", "turn on the television", "open the door")
    for severity, count in ((1, 1), (25, 1), (26, 2), (75, 3), (100, 4)):
        pair = perturb(record, "description_changes", severity, seed=severity)
        candidate = pair["candidate"]
        changed = [
            (old["text"], new["text"])
            for old, new in zip(record["nodes"], candidate["nodes"], strict=True)
            if old["text"] != new["text"]
        ]
        assert len(changed) == count
        assert all(wording(old) != wording(new) for old, new in changed)
        assert [{**node, "text": ""} for node in candidate["nodes"]] == [{**n, "text": ""} for n in record["nodes"]]
        assert candidate["edges"] == record["edges"][:3]  # the edge that was written twice is one
        assert pair["perturbation"]["target_score"] == 1.0


def test_nothing_to_reword() -> None:
    pair = perturb(golden("🎉", "…", "go to the room"), "description_changes", 50)
    assert pair["candidate"] is None
    assert pair["perturbation"]["inapplicable"] == "only 1 of the steps can be reworded, 2 are asked for"
