"""Description changes without a language model: say the same step in other words.

The rules are data (``rewording_rules.toml``, which explains their fields); this module only applies them. A sentence
is first turned round by at most one *alternation* ("Use X to do Y" becomes "Do Y using X"), then read word by word,
each *verb* and *phrase* being replaced where its context allows, and only if nothing applied it is *wrapped* ("Be
sure to ..."). Numbers, names, quotations and code are out of the rules' sight (`protected_spans`); no rule
reads or writes a negation.

The perturbation is the Description Changes of the WorkflowPerturb paper, section 3.1 and Appendix A.5.
"""

import random
import re
import string
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from wfkit.perturb.protected_spans import ACTION, OPEN_QUOTATION, STAND_IN, protect, restore
from wfkit.perturb.words import wording

Table = dict[str, Any]
"""One rule as the rule file has it."""

_WORD = re.compile(r"[^\W_]+(?:['’-]\w+)*")
_SENTENCE_BREAK = re.compile(r"([.!?]+[\"”')*]*\s+|\s*\n\s*)")
_SENTENCE_PARTS = re.compile(rf"(?P<lead>[\s*#>•_-]*)(?P<body>.*?)(?P<end>[\s.!?:;,…*{OPEN_QUOTATION}]*)", re.DOTALL)
_VOWEL_SOUND = re.compile(r"(?!uni|use|usu|one|eu)(?:[aeiou]|hour|honest)")
_BEFORE_VERB = frozenset({"to", "and", "then", "or", "please", "also", "not", "don't", "never"})
_CLAUSE_BREAKS = (",", ";", ":", "(", "-", "–", "—")
_INDEFINITE_ARTICLE = re.compile(r"\ban? $")
_DETERMINER_WORDS = "the|an?|your|its?|them|their|his|her|our|this|that|these|those|each|every|any|all|some|both"
_DETERMINER = rf"(?:(?:{_DETERMINER_WORDS})\b|{STAND_IN})"
_OBJECT = re.compile(rf"\s+{_DETERMINER}")


@dataclass(frozen=True)
class WordRule:
    """One verb or phrase with its alternatives; ``matches`` holds the phrase and what may follow it."""

    find: str
    matches: re.Pattern[str]
    alternatives: tuple[str, ...]
    is_verb: bool
    not_after: frozenset[str]


@dataclass(frozen=True)
class SentenceRule:
    """One alternation or wrapper: the shape of a whole sentence and the sentences that may take its place."""

    matches: re.Pattern[str]
    templates: tuple[str, ...]


@dataclass(frozen=True)
class SentenceRules:
    """Sentence rules by the word that their sentences begin with, and those for any sentence."""

    by_opening: dict[str, tuple[SentenceRule, ...]]
    for_any: tuple[SentenceRule, ...]


@dataclass(frozen=True)
class Rules:
    """The rule file, compiled: word rules are listed by first word and longest first."""

    words: dict[str, tuple[WordRule, ...]]
    alternations: SentenceRules
    wrappers: SentenceRules
    openers: frozenset[str]


def reword(text: str, rng: random.Random) -> str | None:
    """Paraphrase one step text.

    Args:
        text: a step text of any length.
        rng: the only source of chance; the same state gives the same words.

    Returns:
        A text of the same meaning whose words differ, articles aside, with every number, name, quotation, piece
        of code and negation word kept, the case of its first letter and its final punctuation; or None where no rule
        applies.
    """
    return apply_rules(text, rng, load_rules())


def apply_rules(text: str, rng: random.Random, rules: Rules) -> str | None:
    """Paraphrase one step text with the given rules (see `reword`)."""
    protected = protect(text)
    if protected is None:
        return None
    masked, spans = protected
    pieces = _SENTENCE_BREAK.split(masked)
    pieces[::2] = [_reword_sentence(sentence, rng, rules) for sentence in pieces[::2]]
    reworded = restore("".join(pieces), spans)
    return reworded if wording(reworded) != wording(text) else None


@cache
def load_rules() -> Rules:
    """Read and compile the rule file of the package (once a process)."""
    source = resources.files("wfkit.perturb").joinpath("rewording_rules.toml").read_text(encoding="utf-8")
    return compile_rules(tomllib.loads(source))


def compile_rules(source: dict[str, Any]) -> Rules:
    """Compile the tables of a rule file (its head explains the fields)."""
    imperatives = source["imperatives"]
    shapes = {"DET": _DETERMINER, "VERB": rf"(?:{'|'.join(imperatives)})\b", "ITEM": STAND_IN, "ACTION": ACTION}
    shapes |= {name: _fill(shape, shapes) for name, shape in source["shapes"].items()}
    by_first_word: dict[str, list[WordRule]] = {}
    for kind in ("verbs", "phrases"):
        for table in source[kind]:
            rule = _word_rule(table, shapes, is_verb=kind == "verbs")
            by_first_word.setdefault(rule.find.split()[0], []).append(rule)
    words = {first: tuple(sorted(group, key=lambda rule: -len(rule.find))) for first, group in by_first_word.items()}
    return Rules(
        words=words,
        alternations=_sentence_rules(source["alternations"], shapes),
        wrappers=_sentence_rules(source["wrappers"], shapes),
        openers=frozenset(imperatives) | words.keys() | frozenset(source["openers"]),
    )


def _word_rule(table: Table, shapes: dict[str, str], *, is_verb: bool) -> WordRule:
    find: str = table["find"]
    pattern = r"\s+".join(re.escape(word) for word in find.split()) + r"(?![\w'’-])"
    if "next" in table:
        pattern += rf"(?=\s*(?:{_fill(str(table['next']), shapes)}))"
    if "unless_next" in table:
        pattern += rf"(?!\s*(?:{_fill(str(table['unless_next']), shapes)}))"
    return WordRule(find, re.compile(pattern), tuple(table["use"]), is_verb, frozenset(table.get("unless_after", ())))


def _sentence_rules(tables: list[Table], shapes: dict[str, str]) -> SentenceRules:
    rules = [SentenceRule(re.compile(_fill(table["find"], shapes)), tuple(table["use"])) for table in tables]
    openings = [table.get("opens") for table in tables]
    by_opening = {
        word: tuple(rule for rule, words in zip(rules, openings, strict=True) if words is None or word in words)
        for word in {word for words in openings for word in words or ()}
    }
    return SentenceRules(by_opening, tuple(rule for rule, words in zip(rules, openings, strict=True) if words is None))


def _fill(pattern: str, shapes: dict[str, str]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda match: shapes[match.group(1)], pattern)


def _reword_sentence(sentence: str, rng: random.Random, rules: Rules) -> str:
    parts = _SENTENCE_PARTS.fullmatch(sentence)
    if parts is None or not parts["body"]:
        return sentence
    body = parts["body"]
    opening = _WORD.match(body)
    if opening is not None and opening.group().lower() in rules.openers:
        body = body[0].lower() + body[1:]
    turned = _turn_round(body, rng, rules.alternations)
    reworded = _replace_words(turned, rng, rules)
    if reworded == body:
        reworded = _turn_round(body, rng, rules.wrappers).text
    if parts["body"][0].isupper():
        reworded = reworded[0].upper() + reworded[1:]
    return parts["lead"] + reworded + parts["end"]


class _Turned(NamedTuple):
    """A sentence and which of its characters a template has written: those words are not reworded again."""

    text: str
    settled: list[tuple[int, int]]


def _turn_round(body: str, rng: random.Random, sentence_rules: SentenceRules) -> _Turned:
    """Apply one of the sentence rules that match, chosen by chance, or none."""
    opening = _WORD.match(body)
    candidates = sentence_rules.by_opening.get(opening.group() if opening else "", sentence_rules.for_any)
    fitting = [(rule, match) for rule in candidates if (match := rule.matches.fullmatch(body))]
    if not fitting:
        return _Turned(body, [])
    rule, match = rng.choice(fitting)
    text = ""
    settled = []
    for literal, group, _, _ in string.Formatter().parse(rng.choice(rule.templates)):
        settled.append((len(text), len(text) + len(literal)))
        text += literal + (match[group] if group else "")
    return _Turned(text, settled)


def _replace_words(turned: _Turned, rng: random.Random, rules: Rules) -> str:
    """Replace verbs and phrases from left to right; what was replaced is not looked at again."""
    body, settled = turned
    written: list[str] = []
    done = 0
    for word in _WORD.finditer(body):
        candidates = rules.words.get(word.group())
        if candidates is None or word.start() < done:
            continue
        before = body[done : word.start()]
        rule, end = _fitting_rule(candidates, body, word.start(), "".join((*written[-1:], before)))
        if rule is None or any(start < end and word.start() < stop for start, stop in settled):
            continue
        replacement = rng.choice(rule.alternatives)
        written += [_INDEFINITE_ARTICLE.sub(_article_for(replacement), before), replacement]
        done = end
    return "".join(written) + body[done:]


def _article_for(phrase: str) -> str:
    return "an " if _VOWEL_SOUND.match(phrase) else "a "


def _fitting_rule(candidates: tuple[WordRule, ...], body: str, at: int, before: str) -> tuple[WordRule | None, int]:
    """Find the first rule that fits a phrase in its context; with it comes the end of what it replaces.

    A verb is known by its place: it opens the sentence, or follows "to", "and" or a break and is itself followed by
    a determiner or a protected span. (In "cut and clean paper" and "a place to clean" nothing is a verb for sure.)
    """
    previous = before.split()[-1] if before[-1:].isspace() else before[-1:]
    opens_clause = previous.replace("’", "'") in _BEFORE_VERB or previous.endswith(_CLAUSE_BREAKS)
    for rule in candidates:
        match = rule.matches.match(body, at)
        if match is None or previous in rule.not_after:
            continue
        if not rule.is_verb or at == 0 or (opens_clause and _OBJECT.match(body, match.end())):
            return rule, match.end()
    return None, at
