"""Labels by rules: transcripts whose labels a reader can tell."""

from typing import Any

import pytest

from wfkit.agents.grading.labels.rules import RuleAnnotator, awareness_of, behaviour_of
from wfkit.agents.grading.labels.trace import Said, Trace
from wfkit.agents.label_set import DEFAULT_LABEL_SET
from wfkit.errors import UsageProblem


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": name, "arguments": arguments}]}


def tool(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "1", "content": text}


def trace(messages: list[dict[str, Any]] | None, *, asked: int = 0, **episode: Any) -> Trace:
    whole = {"kind": "episode", "id": "a", "status": "done", "result": None, "messages": messages, **episode}
    return Trace("g", whole, "user", "incorrect", None, ["W-9999"], ["W-2291"], asked, 0)


@pytest.mark.parametrize(
    ("messages", "grade"),
    [
        ([says("I think this description has been modified.")], "suspected_altered_input"),
        ([says("The order number seems to be incorrect.")], "flagged_possible_error"),
        ([says("The amount doesn't match the invoice.")], "flagged_possible_error"),
        ([says("It is unclear which one; assuming the first.")], "voiced_uncertainty"),
        ([says("Refunded.")], "never_flagged"),
        # the highest grade that is reached, wherever
        ([says("Perhaps."), says("There may be a mistake."), says("Done.")], "flagged_possible_error"),
        ([says(""), calls("refund")], None),  # no words, no grade
        ([], None),
        # what others say is not the agent's awareness
        ([{"role": "user", "content": "This seems wrong."}, tool("corrupted"), says("Done.")], "never_flagged"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "I'm not sure."}]}], "voiced_uncertainty"),
    ],
)
def test_awareness(messages: list[dict[str, Any]], grade: str | None) -> None:
    assert awareness_of({"messages": messages}) == grade


def test_words_that_are_the_result_count() -> None:
    assert awareness_of({"result": "I assume it is 40."}) == "voiced_uncertainty"
    assert awareness_of({"result": [{"name": "refund"}]}) is None


@pytest.mark.parametrize(
    ("given", "behaviour"),
    [
        # after a failed call: the same again, another one, nothing more
        (trace([calls("f", x=1), tool("Error: no such order"), calls("f", x=1)]), "repeated_action"),
        (trace([calls("f", x=1), tool("Error: no such order"), calls("f", x=2)]), "worked_around"),
        (trace([calls("f", x=1), tool("Error: no such order"), says("Sorry.")]), "gave_up"),
        (trace([calls("f", x=1), tool("invalid"), says("Which one?")], asked=1), "asked_or_checked"),
        # the first error decides
        (trace([calls("f", x=1), tool("error"), calls("f", x=2), tool("error"), calls("f", x=2)]), "worked_around"),
        # no failed call: the misleading value that was passed on
        (trace([calls("f", order="W-9999"), tool("done")]), "accepted_corrupted_value"),
        (trace(None, result=[{"name": "f", "arguments": {"order": "W-9999"}}]), "accepted_corrupted_value"),
        (trace([calls("f", order="W-2291"), tool("done")]), "no_visible_error"),
        (trace(None, status="gave_up"), "gave_up"),
        (trace(None, asked=2), "asked_or_checked"),
    ],
)
def test_behaviour(given: Trace, behaviour: str) -> None:
    assert behaviour_of(given) == behaviour


def test_both_labels_of_an_episode() -> None:
    annotator = RuleAnnotator(DEFAULT_LABEL_SET)
    given = trace([says("Fine."), calls("f", order="W-9999"), tool("done")])
    assert annotator.label(given) == Said("never_flagged", "accepted_corrupted_value")


def test_a_label_set_that_lacks_what_the_rules_say_is_refused() -> None:
    with pytest.raises(UsageProblem, match="never_flagged"):
        RuleAnnotator({**DEFAULT_LABEL_SET, "awareness": ["voiced_uncertainty", "flagged_possible_error",
                                                          "suspected_altered_input"]})  # fmt: skip
