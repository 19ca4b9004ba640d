"""The job summary: what it names, that it fits, and what an independent Markdown reader makes of it."""

from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt

from wfkit.gate.reports.markdown import BYTE_LIMIT, escaped, render

Record = dict[str, Any]


def tokens(text: str) -> list[Any]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(text)


def shown(text: str) -> str:
    """What a reader sees of one paragraph; raw tags would be seen as such."""
    reader = MarkdownIt("gfm-like", {"linkify": False})
    [_, inline, _] = reader.parse(text)
    assert {token.type for token in inline.children} <= {"text", "text_special"}
    return "".join(token.content for token in inline.children)


def test_it_names_the_workflow_the_step_and_the_reason(judged: Callable[..., Record], findings: Any) -> None:
    record = judged("refund", "fail", candidate=["boil the water", "put the tea in a cup", "drink"])
    text = render(findings([record, judged("tea", "pass")], result="fail", reasons=["1 workflow failed"]))
    assert text.startswith("## Workflow gate: failed\n\n**2 workflows: 1 passed, 1 failed**\n\n- 1 workflow failed\n")
    row = next(line for line in text.splitlines() if line.startswith("| ❌"))
    assert row == (
        "| ❌ failed | refund | graph\\_f1 0.500 &lt; 0.75, chain\\_f1 0.500 &lt; 0.75 "
        "(the pattern points to missing\\_steps); golden step 3 «pour the water over it» has no counterpart |"
    )
    fences = [token for token in tokens(text) if token.type == "fence"]
    assert [token.info for token in fences] == ["mermaid"]
    assert 'g2{{"lost 3: pour the water over it"}}:::lost' in fences[0].content
    assert "tea" not in [token.content for token in tokens(text)]  # a plain pass is only counted


def test_the_worst_come_first_and_a_changed_pass_is_told(judged: Any, findings: Any, waived: Any) -> None:
    changed = judged("changed", "pass", candidate=["boil the water", "put the tea in a cup", "drink"])
    records = [changed, waived("known"), *(judged(status, status) for status in ("review", "unmeasured", "fail"))]
    text = render(findings(records))
    order = [text.index(f"<b>{name}</b>") for name in ("fail", "unmeasured", "review", "known", "changed")]
    assert order == sorted(order)
    assert (
        "| 🔕 waived | known | missing\\_steps waived until 2027-01-31: the new model says it shorter (it was: fail);"
        in text
    )
    assert "| ✅ passed changed | changed | golden step 3 «pour the water over it» has no counterpart;" in text


def test_whatever_else_was_found_has_a_table(findings: Any, everything: Record, error_record: Record) -> None:
    text = render(findings([], [error_record], **everything))
    for line in (
        "| on average | failed | the mean of chain\\_f1 is 0.800 &lt; 0.9 (20 values) |",
        "| long ones over golden.source = wikihow | not measured | the 10th percentile of bleu over "
        "golden.source = wikihow is unmeasured: 3 scores, and at least 30 are asked for |",
        "| coverage | not measured | 18 of 20 workflows are measured, 0.9 &lt; 0.95 |",
        "| chain\\_f1 | failed | mean chain\\_f1 dropped by 0.1000, from 0.9000 to 0.8000, "
        "95 % interval of the drop 0.0500 to 0.1500: more than the 0.02 allowed |",
        "| missing from this run | not measured | 1 of its workflows is missing from this run: forgotten |",
        "| lost\\_one | not measured | no candidate came for this golden |",
        "| wobbly | failed | fails, all its pairs taken together (repeats: 2 of n) |",
        "| further goldens | failed | 2 more: each fails, all its pairs taken together (repeats: 2 of n) |",
        "| vague | not measured | cannot be measured, all its pairs taken together (repeats: 2 of n) |",
        "| broken | not decided: bad input | wf-score: the steps form a cycle: 1 -&gt; 2 -&gt; 1 |",
        "- waiver expired on 2026-01-01 and was not applied: g2, every rule: old (me)",
        "- waiver not used, as its golden does not break the rule: g1, missing\\_steps: not needed",
        "- measured by wfkit=1\\|enc=all-mpnet-base-v2\\@78c0197b\\|align=0.8",
    ):
        assert line in text.splitlines()
    assert text.startswith(
        "## Workflow gate: failed\n\n**0 workflows: 0 passed, 1 error record, 1 missing**\n\n- 1 of 20"
    )


@pytest.mark.parametrize("limit", [BYTE_LIMIT, 20_000, 2_000])
def test_it_never_outgrows_its_limit_and_counts_what_it_left_out(judged: Any, findings: Any, limit: int) -> None:
    golden = [f"step {number} " + "日本" * 30 for number in range(40)]
    records = [judged(f"flow {number}", "fail", golden, golden[:20]) for number in range(120)]
    text = render(findings(records), limit)
    assert len(text.encode()) <= limit
    told = sum(f"<b>flow {number}</b>" in text for number in range(120))
    [note] = [line for line in text.splitlines() if line.startswith("_")]
    left_out = int(note[1:].split()[0])
    assert left_out == 120 - told + (0 if "| ❌" in text else 1)
    assert "**120 workflows: 0 passed, 120 failed**" in text


def test_no_room_gives_nothing(judged: Any, findings: Any) -> None:
    assert render(findings([judged("tea", "fail")]), 0) == ""
    assert render(findings([judged("tea", "fail")]), -5) == ""


@pytest.mark.parametrize(
    "text",
    [
        "a | b", "`code`", "*bold* _it_ ~~no~~", "<b>x</b>", "[link](http://a.b)", "![x](y)", "&lt; & &amp;", "\\*",
        "$x$", "http://example.org", "www.example.org", "# no heading", "<!-- no comment -->", "a@b.cc", "``` fence",
        "# | #",
    ],
)  # fmt: skip
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    assert shown(f"x {escaped(text)}") == f"x {text}"
