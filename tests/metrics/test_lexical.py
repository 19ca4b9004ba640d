"""BLEU and GLEU: worked documents, and equality with NLTK on real and on random ones."""

import json
import math
import random
import re
import subprocess
import sys

import pytest

from wfkit.errors import Unavailable
from wfkit.metrics import tokens
from wfkit.metrics.base import Comparison
from wfkit.metrics.lexical import Bleu, Gleu
from wfkit.metrics.tokens import document_words
from wfkit.workflow import Step, Workflow


def comparison(golden, candidate):
    """Two workflows without edges, one step per text."""
    sides = [
        Workflow("w", tuple(Step(str(number), text) for number, text in enumerate(texts)), ())
        for texts in (golden, candidate)
    ]
    return Comparison(*sides)


@pytest.mark.parametrize(
    ("golden", "candidate", "bleu", "gleu"),
    [
        # All n-grams of the candidate are in the golden; brevity exp(1 - 5/4). N-grams 4+3+2+1 of 5+4+3+2.
        ("a b c d e", "a b c d", math.exp(-1 / 4), 10 / 14),
        # Precisions 5/6 4/5 3/4 2/3, whose product is 1/3; longer, so no brevity. 14 of 6+5+4+3.
        ("a b c d e", "a b c d e f", (1 / 3) ** (1 / 4), 14 / 18),
        # Words 4 of 5, pairs ab de 2 of 4, no triple of 3 and no quadruple of 2: 0.1 in place of each zero.
        ("a b c d e", "a b x d e", (4 / 5 * 2 / 4 * 0.1 / 3 * 0.1 / 2) ** (1 / 4), 6 / 14),
        # One word of two: orders without any n-gram count as 0.1 of 1; brevity exp(1 - 2). 1 of 2+1.
        ("a b", "a", (1 * 0.1 * 0.1 * 0.1) ** (1 / 4) * math.exp(-1), 1 / 3),
        # A word counts as often as the golden has it: a 1 of 3, a a 0 of 2, a a a 0 of 1. 1 of max(6, 6).
        ("a b c", "a a a", (1 / 3 * 0.1 / 2 * 0.1 / 1 * 0.1 / 1) ** (1 / 4), 1 / 6),
        # Same words in another order: 3 of 3, b c 1 of 2, none of 1. 3 + 1 of 6.
        ("a b c", "b c a", (1 * 1 / 2 * 0.1 * 0.1) ** (1 / 4), 4 / 6),
        ("a b c", "x y z", 0.0, 0.0),
        # Identical word lists are 1 by definition; method1 alone would give 0.316 for two words.
        ("a b", "a b", 1.0, 1.0),
        ("a", "a", 1.0, 1.0),
        ("a b c d e", "a b c d e", 1.0, 1.0),
    ],
)
def test_worked_by_hand(golden, candidate, bleu, gleu):
    pair = comparison(golden.split(), candidate.split())
    assert Bleu().score(pair).value == pytest.approx(bleu, abs=1e-15)
    assert Gleu().score(pair).value == pytest.approx(gleu, abs=1e-15)


def test_only_the_joined_text_counts():
    # Two steps against one step with the same words: the word lists are identical.
    pair = comparison(["Open the door.", "Take the key."], ["Open the door. Take the key."])
    assert Bleu().score(pair).value == 1.0
    assert Gleu().score(pair).value == 1.0


def test_an_empty_candidate_scores_zero():
    for candidate in ([], [""], [" \t"]):
        pair = comparison(["Open the door."], candidate)
        assert Bleu().score(pair).value == 0.0
        assert Gleu().score(pair).value == 0.0
        assert Gleu().score(pair).details == {"matched": 0, "recall": 0.0}


def test_an_empty_golden_scores_zero_unless_the_candidate_is_empty_too():
    assert Bleu().score(comparison([], ["Open the door."])).value == 0.0
    assert Gleu().score(comparison([], ["Open the door."])).value == 0.0
    for metric in (Bleu(), Gleu()):
        score = metric.score(comparison([], []))
        assert score.value is None
        assert score.reason == "undefined: neither golden nor candidate has a word"


def test_gleu_counts_ngrams_in_its_details():
    # 4+3+2+1 n-grams, all in the golden, which has 14.
    score = Gleu().score(comparison("abcde", "abcd"))
    assert score.details == {"matched": 10, "precision": 1.0, "recall": 10 / 14}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("Open the door. Take the key.", ["Open", "the", "door", ".", "Take", "the", "key", "."]),
        # No full stop between steps: one sentence.
        ("go to desk 1 take mug 2 from desk 1", ["go", "to", "desk", "1", "take", "mug", "2", "from", "desk", "1"]),
        # An untrained Punkt knows no abbreviation, so "Dr." ends a sentence and its stop is split off.
        ("Ask Dr. Smith, don't wait!", ["Ask", "Dr", ".", "Smith", ",", "do", "n't", "wait", "!"]),
        ('Say "stop" (twice).', ["Say", "``", "stop", "''", "(", "twice", ")", "."]),
        ("Wait... then cannot", ["Wait", "...", "then", "can", "not"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_words(document, words):
    assert document_words(document) == words


@pytest.fixture(scope="module")
def reference():
    """The definition of the design, with NLTK imported as a whole: document to words."""
    from nltk.tokenize import word_tokenize
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    def words(document):
        sentences = PunktSentenceTokenizer().tokenize(document)
        return [word for sentence in sentences for word in word_tokenize(sentence, preserve_line=True)]

    return words


def test_real_goldens_are_split_as_nltk_does(corpus, reference):
    documents = []
    for file in sorted((corpus / "worfbench").glob("*.json")):
        for row in json.loads(file.read_bytes()):
            answer = row["conversations"][-1]["content"]
            documents.append(" ".join(re.findall(r"^\s*\d+[.:](.*)$", answer, re.MULTILINE)))
    assert len(documents) > 1000
    for document in documents[::4]:
        assert document_words(document) == reference(document)


PIECES = [
    *"ab x12 ,.:;!?'\"`()[]{}<>*%$#@&-»«”“’‘\t\n\u00a0\u2028",
    *(
        " ",
        " ",
        " ",
        "...",
        "--",
        "''",
        "``",
        "n't",
        "'ll",
        "'s",
        "cannot",
        "gonna",
        "'tis",
        "A.",
        "3.5",
        "e.g.",
        "Dr. B",
    ),
]


def test_random_documents_are_split_as_nltk_does(reference):
    source = random.Random(1)
    for _ in range(1500):
        document = "".join(source.choices(PIECES, k=source.randint(0, 16)))
        assert document_words(document) == reference(document), repr(document)


def test_the_arithmetic_is_that_of_nltk():
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.gleu_score import sentence_gleu

    source = random.Random(2)
    smoothing = SmoothingFunction().method1
    scores = set()
    for _ in range(2000):
        golden = source.choices("abcdefgh"[: source.randint(1, 8)], k=source.randint(1, 25))
        candidate = [word for word in golden if source.random() < 0.9] or ["a"]
        candidate += source.choices("abcxyz", k=source.randint(0, 5))
        if source.random() < 0.3:
            source.shuffle(candidate)
        pair = comparison(golden, candidate)
        bleu = 1.0 if golden == candidate else sentence_bleu([golden], candidate, smoothing_function=smoothing)
        assert Bleu().score(pair).value == pytest.approx(bleu, abs=1e-12)
        assert Gleu().score(pair).value == pytest.approx(sentence_gleu([golden], candidate), abs=1e-12)
        scores.add(bleu)
    assert len(scores) > 500


def test_the_tokenizers_load_without_the_rest_of_nltk():
    program = (
        "import sys; from wfkit.metrics.tokens import document_words; document_words('Open it. Close it.');"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'nltk'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_library_that_is_already_imported_is_left_alone():
    import nltk.redos

    tokens._tokenizers.cache_clear()
    tokens._sentence_words.cache_clear()
    assert document_words("Open it.") == ["Open", "it", "."]
    assert sys.modules["nltk.redos"] is nltk.redos
    assert nltk.redos.DEFAULT_TIMEOUT is not None


def test_a_tokenizer_that_needs_more_of_the_library_is_imported_with_it(monkeypatch):
    def refuse(package, names):
        raise ImportError(package)

    monkeypatch.setattr(tokens, "_load_alone", refuse)
    tokens._tokenizers.cache_clear()
    tokens._sentence_words.cache_clear()
    assert document_words("Open it.") == ["Open", "it", "."]
    tokens._tokenizers.cache_clear()


def test_a_missing_nltk_is_named(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    tokens.nltk_version.cache_clear()
    with pytest.raises(Unavailable, match="pip install nltk"):
        tokens.nltk_version()


def test_the_signature_names_what_the_number_depends_on():
    version = tokens.nltk_version()
    assert Bleu().signature() == f"wfkit=1|nltk={version}|tok=punkt-untrained|smooth=method1"
    assert Gleu().signature() == f"wfkit=1|nltk={version}|tok=punkt-untrained"
