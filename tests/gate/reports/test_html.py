"""The page as a file: complete in itself, closed to the network, its data whole and within bounds."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from wfkit.gate.reports import html
from wfkit.gate.reports.html import render

Record = dict[str, Any]


class Page(HTMLParser):
    """Elements with their attributes, the contents of scripts and styles, and the text in between."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw.append((self.open[-1], data))
        else:
            self.text += data


def data_of(page: str) -> Record:
    [found] = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    data: Record = json.loads(found)
    return data


def test_nothing_is_loaded_and_only_its_own_script_runs(judged: Any, findings: Any) -> None:
    page = Page(render(findings([judged("tea", "fail")]), "0.1.0"))
    for tag, attributes in page.elements:
        assert not {"src", "srcset", "action", "style"} & set(attributes), tag
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    [policy] = [one["content"] for _, one in page.elements if one.get("http-equiv") == "Content-Security-Policy"]
    digests = {
        kind: f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for kind, text in page.raw
        if not text.startswith("{")
    }
    assert policy == (
        f"default-src 'none'; style-src {digests['style']}; script-src {digests['script']}; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_data_has_all_workflows_worst_first(judged: Any, waived: Any, findings: Any) -> None:
    shorter = ["boil the water", "put the tea in a cup", "pour the water over it", "drink"]
    records = [judged("good", "pass"), waived("known"), judged("shorter", "pass", candidate=shorter)]
    records += [judged("lost", "fail", candidate=shorter), judged("unknown", "unmeasured")]
    data = data_of(render(findings(records), "0.1.0"))
    assert [(row["id"], row["status"]) for row in data["rows"]] == [
        ("lost", "fail"), ("unknown", "unmeasured"), ("known", "waived"), ("good", "pass"), ("shorter", "pass"),
    ]  # fmt: skip
    lost, unknown, _, good, changed = data["rows"]
    assert "detail" not in good
    assert changed["changed"] and changed["detail"]["drawing"] is None
    assert lost["rules"] == ["missing_steps"]
    assert lost["detail"]["drawing"]["golden"]["steps"][3] == ["4", "wait for four minutes", 1]
    assert lost["detail"]["drawing"]["partners"][-1] == [4, 3, 1.0]
    assert [metric["name"] for metric in data["metrics"]] == ["graph_f1", "chain_f1", "kendall_tau", "bleu", "gleu"]
    assert data["metrics"][0]["bars"] == [{"below": 0.75, "action": "fail"}]
    assert unknown["scores"] == [1.0, 1.0, None, 1.0, 1.0]


def test_a_score_that_a_record_lacks_is_told_from_one_that_is_null(judged: Any, findings: Any) -> None:
    record = judged("tea", "pass")
    record["scores"] = {"own": 2.5, "bleu": None}
    data = data_of(render(findings([record]), "0.1.0"))
    assert dict(zip([metric["name"] for metric in data["metrics"]], data["rows"][0]["scores"], strict=True)) == {
        "graph_f1": False, "chain_f1": False, "kendall_tau": False, "bleu": None, "gleu": False, "own": 2.5,
    }  # fmt: skip


def test_whatever_else_was_found_is_in_the_tables(findings: Any, everything: Record, error_record: Record) -> None:
    page = Page(render(findings([], [error_record], unnamed_errors=4, **everything), "0.1.0"))
    for text in (
        "Workflow gate failed",
        "and something else",
        "the mean of chain_f1 is 0.800 < 0.9 (20 values)",
        "18 of 20 workflows are measured, 0.9 < 0.95",
        "no candidate came for this golden",
        "wf-score: the steps form a cycle: 1 -> 2 -> 1",
        "… and 4 more.",
        "waiver expired on 2026-01-01 and was not applied: g2, every rule: old (me)",
        "chain_f1: wfkit=1|enc=all-mpnet-base-v2@78c0197b|align=0.8",
        "missing_steps: a workflow fails if all of graph_f1 and chain_f1 are below 0.75.",
    ):
        assert text in page.text


def test_it_stays_small_and_says_which_details_it_left_out(
    judged: Any, findings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = [f"step {number} " + "x" * 200 for number in range(40)]
    records = [judged(f"flow {number}", "fail", golden, golden[:20]) for number in range(20)]
    monkeypatch.setattr(html, "DETAIL_BYTES", 60_000)
    data = data_of(render(findings(records), "0.1.0"))
    kept = [row["id"] for row in data["rows"] if "detail" in row]
    assert [row["id"] for row in data["rows"] if row.get("leftOut")] == [f"flow {n}" for n in range(len(kept), 20)]
    assert 0 < sum(len(json.dumps(row["detail"])) for row in data["rows"] if "detail" in row) < 80_000


def test_more_workflows_than_it_lists_are_counted(judged: Any, findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "ROW_LIMIT", 2)
    page = render(findings([judged(f"flow {number}", "pass") for number in range(5)]), "0.1.0")
    assert len(data_of(page)["rows"]) == 2
    assert "3 workflows left out; the worst come first." in page
