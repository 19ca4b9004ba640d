"""The rules of the description changes: each does what its example says, and none changes what carries the meaning."""

import json
import random
import re
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.worf import parse
from wfkit.perturb import rewording
from wfkit.perturb.protected_spans import protect, restore
from wfkit.perturb.rewording import apply_rules, compile_rules, reword
from wfkit.perturb.words import wording

RULES: dict[str, Any] = tomllib.loads(
    Path(rewording.__file__).with_name("rewording_rules.toml").read_text(encoding="utf-8")
)
KINDS = ("verbs", "phrases", "alternations", "wrappers")
EVERY_RULE = [pytest.param(kind, rule, id=f"{kind}: {rule['find'][:60]}") for kind in KINDS for rule in RULES[kind]]

NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|nothing|nobody|nowhere|without|cannot|unless|except|\w+n['’]t)\b",
    re.IGNORECASE,
)
# Written anew and simpler than in the code: what a reader sees at once as a number, a quotation, code or a name.
NUMBER = re.compile(r"\d+(?:[.,/:]\d+)*")
QUOTATION = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^'\n]+'(?!\w)|\w+\[[^\]]*\]|\{[^}]*\}")
CODE = re.compile(r"\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|https?://[^\s\"]*\w|(?<!\S)--[a-z][\w-]*")
NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w*")


def alone(kind: str, rule: dict[str, Any]) -> rewording.Rules:
    return compile_rules(RULES | {other: [] for other in KINDS} | {kind: [rule]})


def results(text: str, rules: rewording.Rules) -> set[str | None]:
    return {apply_rules(text, random.Random(seed), rules) for seed in range(20)}


@pytest.mark.parametrize(("kind", "rule"), EVERY_RULE)
def test_rule_turns_its_example_as_written(kind: str, rule: dict[str, Any]) -> None:
    before, after = rule["example"]
    rules = alone(kind, rule)
    assert after in results(before, rules)
    for counter_example in rule.get("leave", ()):
        assert results(counter_example, rules) == {None}


@pytest.mark.parametrize(("kind", "rule"), EVERY_RULE)
def test_rule_writes_no_negation_and_no_number(kind: str, rule: dict[str, Any]) -> None:
    for alternative in rule["use"]:
        assert not NEGATION.search(alternative)
        assert not NUMBER.search(alternative)
    if kind in ("verbs", "phrases"):
        assert Counter(NEGATION.findall(rule["find"])) == Counter()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Use the 'Free Codes' API to fetch the list", ["'Free Codes'"]),
        ("click on the “Buy Now” button to purchase it", ["“Buy Now”"]),
        ("search[use the lamp] to find the lamp", ["search[use the lamp]"]),
        ("Run `go to start` to find the mug", ["`go to start`"]),
        ("Call get_user_info(go to) to find the mug", ["get_user_info(go to)"]),
        ("Put {the thing} in the box", ["{the thing}"]),
        ("Visit https://go.to/find?the=mug to find the mug", ["https://go.to/find?the=mug"]),
        ("Write to find.the@mug.org to get the mug", ["find.the@mug.org"]),
        ("Pass --use-the-cache to get the data", ["--use-the-cache"]),
        ("Heat the oven to 105 to 110 °F (41 °C)", ["105", "110 °F", "41 °C"]),
        ("Add 2 large eggs and one small cup of water", ["2", "one"]),
        ("Obtain the birthplace of Will Find in New York", ["Will Find", "New York"]),
        ("Set C:\\use\\the.ini and open the file", ["C:\\use\\the.ini"]),
    ],
)
def test_protected_spans_are_carried_over(text: str, kept: list[str]) -> None:
    for seed in range(20):
        reworded = reword(text, random.Random(seed))
        assert reworded is not None
        for span in kept:
            assert span in reworded


@pytest.mark.parametrize("text", ["", " ", "?", "42", "う/ウ", "Vaccinations.", "C:\\php", "\U000f0000"])
def test_nothing_to_reword(text: str) -> None:
    # A text that is one protected span may still be wrapped ("run search[x]"); a number or a name is no action.
    assert reword(text, random.Random(0)) is None


@pytest.mark.parametrize(
    ("text", "start"),
    [("Use a suitable tool.", ("Make use of a fitting", "Make use of an appropriate", "Employ a", "Employ an"))],
)
def test_article_fits_the_new_word(text: str, start: tuple[str, ...]) -> None:
    outputs = {str(reword(text, random.Random(seed))) for seed in range(30)}
    assert all(output.startswith(start) for output in outputs)
    assert not any("a appropriate" in output or "an fitting" in output for output in outputs)


def test_same_state_of_chance_gives_the_same_words() -> None:
    text = "Use the search tool to find the appropriate product, then go to the shelf."
    assert reword(text, random.Random(5)) == reword(text, random.Random(5))
    assert len({reword(text, random.Random(seed)) for seed in range(20)}) > 3


@given(st.text(max_size=200))
def test_any_text_is_restored_exactly_and_never_crashes(text: str) -> None:
    protected = protect(text)
    assert protected is not None
    assert restore(*protected) == text
    reworded = reword(text, random.Random(0))
    assert reworded is None or wording(reworded) != wording(text)


def test_more_spans_than_stand_ins_are_left_alone() -> None:
    assert reword("go to " + "7 , " * 66_000, random.Random(0)) is None


@pytest.fixture(scope="module")
def step_texts(corpus: Path) -> list[str]:
    """The distinct step texts of the six WorFBench files."""
    texts: set[str] = set()
    for file in sorted((corpus / "worfbench").glob("*.json")):
        for draft in parse(Source(value=json.loads(file.read_text(encoding="utf-8"))), ParseOptions()):
            texts.update(node["text"] for node in draft.nodes)
    return sorted(texts)


@pytest.fixture(scope="module")
def reworded_texts(step_texts: list[str]) -> list[tuple[str, str]]:
    pairs = [(text, reword(text, random.Random(number))) for number, text in enumerate(step_texts)]
    return [(text, reworded) for text, reworded in pairs if reworded is not None]


def test_most_of_the_corpus_is_reworded(step_texts: list[str], reworded_texts: list[tuple[str, str]]) -> None:
    assert len(step_texts) > 4000
    assert len(reworded_texts) >= 0.95 * len(step_texts)


@pytest.mark.parametrize("pattern", [NUMBER, QUOTATION, CODE, NEGATION], ids=["numbers", "quotations", "code", "nots"])
def test_corpus_keeps_what_carries_the_meaning(reworded_texts: list[tuple[str, str]], pattern: re.Pattern[str]) -> None:
    for text, reworded in reworded_texts:
        assert Counter(found.casefold() for found in pattern.findall(text)) == Counter(
            found.casefold() for found in pattern.findall(reworded)
        ), (text, reworded)


def test_corpus_keeps_names(reworded_texts: list[tuple[str, str]]) -> None:
    for text, reworded in reworded_texts:
        missing = Counter(NAME.findall(text)) - Counter(re.findall(r"\b[A-Z]\w*", reworded))
        assert not missing, (text, reworded)


def test_corpus_keeps_its_look_and_changes_its_words(reworded_texts: list[tuple[str, str]]) -> None:
    for text, reworded in reworded_texts:
        assert wording(text) != wording(reworded)
        assert text[0].isupper() == reworded[0].isupper() or not text[0].isalpha(), (text, reworded)
        assert re.findall(r"[.!?:]*\s*\Z", text) == re.findall(r"[.!?:]*\s*\Z", reworded), (text, reworded)
        assert "  " in text or "  " not in reworded, (text, reworded)


def test_rewording_keeps_up_with_the_corpus(step_texts: list[str]) -> None:
    reword("go to the fridge", random.Random(0))  # the rule file is read once
    started = time.process_time()
    for number, text in enumerate(step_texts):
        reword(text, random.Random(number))
    # Several thousand texts a second on one core; the bound leaves room for a busy machine.
    assert len(step_texts) / (time.process_time() - started) > 1000
