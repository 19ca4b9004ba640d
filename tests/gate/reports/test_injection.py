"""Texts that try to break out: every report stays well-formed and shows them as texts, in any field of a record."""

import json
from typing import Any

import pytest
from junitparser import JUnitXml
from markdown_it import MarkdownIt

from tests.gate.reports.test_annotations import parsed
from tests.gate.reports.test_html import Page, data_of
from wfkit import jsonl
from wfkit.gate.reports import annotations, html, junit, markdown, sarif
from wfkit.gate.reports.entries import Findings, Place

Record = dict[str, Any]

TEXTS = {
    "end of CDATA": "]]>",
    "end of script": "</script><script>alert(1)</script>",
    "comment": "<!--<script>",
    "attribute": "\" onload=alert(1) x='",
    "fence": "```\n```js\nx\n```",
    "backticks": "`` ` ``",
    "pipes": "a | b || c |\n|---|",
    "details": "</details></summary>\n\n# heading",
    "colours": "\x1b[31mred\x1b]0;title\x07",
    "directive": "%%{init: {\"theme\": \"dark\"}}%%",
    "diagram": "x\"] --> evil[\"y\nclick evil href \"http://example.org\"",
    "command": "x\n::error::forged\r\n##[error]forged",
    "properties": "a,file=evil.py,line=1::forged%0A",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029\ufeff\ufffe\uffff",
    "surrogate": "\udc80",
    "right to left": "\u202e\u2066evil\u2069",
    "long": "word " * 20_000,
    "longer": "x" * 100_000,
    "template": "{{script}} {{data}} ${x} {0} %s",
    "link": "[click](http://example.org) ![x](http://example.org/x.png) <http://example.org>",
    "entities": "&lt;b&gt; &#60; &amp;lt;",
    "blank": " ",
    "emoji": "👩‍🚀 日本語 नमस्ते",
}  # fmt: skip


@pytest.fixture(params=TEXTS.values(), ids=list(TEXTS))
def hostile(request: pytest.FixtureRequest, judged: Any, waived: Any, findings: Any) -> Findings:
    """Findings in which every text of a record is one that tries to break out."""
    text: str = request.param
    failed = judged(f"id {text}", "fail", ["boil", text, "drink"], ["boil", "drink", f"{text} too"])
    failed["golden"]["source"] = text
    unmeasured = judged(f"other {text}", "unmeasured", [text], [text])
    error = {"filter": text, "message": text, "id": text, "where": {"file": text, "line": 1}}
    return findings(
        [failed, unmeasured, waived(f"third {text}", reason=text)],
        [error],
        place=Place(text, 1),
        reasons=[text],
        set_rules=[
            {
                "name": "on average", "status": "fail", "statistic": "mean", "metric": "chain_f1",
                "slice": {text: text}, "n": 1, "unknown": 0, "value": 0.1, "below": 0.5, "reason": text,
            }
        ],
        expected={"goldens": 1, "missing": [text], "unexpected": 0, "unexpected_ids": []},
        signatures={"chain_f1": text},
        waivers={"unused": [{"golden": text, "rule": text, "reason": text, "expires": "2027-01-01"}], "expired": []},
    )  # fmt: skip


def is_clean(text: str) -> bool:
    """No control, bidirectional or half character is left; what joins emoji and scripts may be."""
    return all(mark.isprintable() or mark in "\n\u200c\u200d" for mark in text)


def test_junit(hostile: Findings) -> None:
    text = junit.render(hostile)
    assert is_clean(text)
    document = JUnitXml.fromstring(text.encode())
    assert [suite.name for suite in document] == ["workflows", "set", "goldens", "input", "gate"]
    assert sum(1 for suite in document for _ in suite) == 7


def test_markdown(hostile: Findings) -> None:
    text = markdown.render(hostile)
    assert is_clean(text)
    assert len(text.encode()) < 100_000
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    assert [token.info for token in tokens if token.type == "fence"] == ["mermaid"] * 3
    assert [token.tag for token in tokens if token.type == "heading_open"][:1] == ["h2"]
    inline = {child.type for token in tokens if token.type == "inline" for child in token.children}
    assert inline <= {"text", "text_special", "strong_open", "strong_close"}
    blocks = [token.content for token in tokens if token.type == "html_block"]
    assert len(blocks) == 6  # <details> with its <summary>, and </details>, of three workflows
    for opening in blocks[::2]:
        assert [tag for tag, _ in Page(opening).elements] == ["details", "summary", "b"]
    assert {block.strip() for block in blocks[1::2]} == {"</details>"}


def test_mermaid_in_markdown(hostile: Findings) -> None:
    merman = pytest.importorskip("merman")
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(markdown.render(hostile)):
        if token.type == "fence":
            chart = json.loads(merman.MermanEngine(None, None).parse_json(token.content, None))
            assert chart["nodes"]
            assert all(node["id"][0] in "cg" and node["id"][1:].isdigit() for node in chart["nodes"])


def test_html(hostile: Findings) -> None:
    text = html.render(hostile, "0.1.0")
    assert is_clean(text)
    page, plain = Page(text), Page(html.render(hostile._replace(entries=[], faults=[]), "0.1.0"))
    scripts = [raw for kind, raw in page.raw if kind == "script"]
    assert len(scripts) == 2 and json.loads(scripts[0]) == data_of(text)
    assert scripts[1] == [raw for kind, raw in plain.raw if kind == "script"][1]
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | {
        "figure", "figcaption", "svg", "line", "rect", "text", "span", "div", "b",
    }  # fmt: skip
    assert len(text) < 150_000


def test_sarif(hostile: Findings) -> None:
    run = json.loads(jsonl.dumps(sarif.render(hostile, "0.1.0")))["runs"][0]
    for result in run["results"]:
        assert is_clean(result["message"]["text"])
        assert "](" not in result["message"]["text"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii() and uri.isprintable() and not set(uri) & set(' <>"{}|\\^`')


def test_annotations(hostile: Findings) -> None:
    lines = annotations.render(hostile)
    assert len(lines) == 6
    for line in lines:
        assert is_clean(line) and "\n" not in line
        _, properties, _ = parsed(line)
        assert set(properties) <= {"title", "file", "line"}
