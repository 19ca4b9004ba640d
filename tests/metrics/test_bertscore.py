"""Which steps are compared and what becomes of the rest; a table of scores stands for the model."""

from pathlib import Path

import pytest

from tests.small_models import small_bert
from wfkit.errors import Unavailable
from wfkit.metrics.base import Comparison
from wfkit.metrics.bertscore import Bertscore
from wfkit.models.bertscore import find_setup
from wfkit.models.pair_scorer import PairScorer
from wfkit.workflow import Step, Workflow


class Table:
    """Scores of pairs of letters: how far apart they are in the alphabet, in tenths."""

    signature = "wfkit=1|table"

    def __init__(self) -> None:
        self.asked: list[list[tuple[str, str]]] = []

    def scores(self, pairs):
        self.asked.append(list(pairs))
        return [1 - abs(ord(one) - ord(other)) / 10 for one, other in pairs]


def workflow(texts, edges=()):
    return Workflow("w", tuple(Step(f"s{place}", text) for place, text in enumerate(texts)), edges)


def compared(golden, candidate):
    return Comparison(workflow(golden), workflow(candidate))


@pytest.mark.parametrize(
    ("golden", "candidate", "value", "pairs"),
    [
        ("abc", "abc", 1.0, 3),
        ("abc", "abcxyz", 1.0, 3),  # what is too much is not looked at
        ("abcd", "ab", 1.0, 2),  # nor what is missing at the end
        ("abcd", "bcd", 0.9, 3),  # a is missing: (b,a), (c,b), (d,c) are one letter apart
        ("abc", "acb", (1 + 0.9 + 0.9) / 3, 3),
        ("a", "k", 0.0, 1),
        ("a", "z", -1.5, 1),  # less alike than the baseline
        ("abc", "", 0.0, 0),
        ("", "abc", 0.0, 0),
    ],
)
def test_the_first_steps_are_compared_place_by_place(golden, candidate, value, pairs) -> None:
    score = Bertscore(Table()).score(compared(golden, candidate))
    assert score.value == pytest.approx(value, abs=1e-12)
    assert (score.details, score.reason) == ({"pairs": pairs}, None)


def test_two_workflows_without_steps_have_no_score() -> None:
    score = Bertscore(Table()).score(compared("", ""))
    assert (score.value, score.reason) == (None, "undefined: neither golden nor candidate has a step")


def test_the_order_is_that_in_which_steps_are_listed_whatever_the_edges() -> None:
    golden, candidate = workflow("abc", ((2, 1), (1, 0))), workflow("abc", ((0, 1), (1, 2)))
    assert Bertscore(Table()).score(Comparison(golden, candidate)).value == 1


def test_prepare_asks_for_the_steps_of_all_workflows_at_once() -> None:
    table = Table()
    Bertscore(table).prepare([(["a", "b", "x"], ["a", "c"]), ([], ["a"]), (["d"], ["e"])])
    assert table.asked == [[("a", "a"), ("b", "c"), ("d", "e")]]


def test_a_model_that_cannot_be_used_is_no_zero() -> None:
    class Broken(Table):
        def scores(self, pairs):
            raise Unavailable("bertscore cannot run its model")

    score = Bertscore(Broken()).score(compared("ab", "ba"))
    assert (score.value, score.reason) == (None, "unavailable: bertscore cannot run its model")


def test_with_a_model_the_mean_is_that_of_its_pairs(tmp_path: Path) -> None:
    (tmp_path / "baseline.tsv").write_text("LAYER,P,R,F\n2,0.5,0.5,0.5\n")
    setup = find_setup(str(small_bert(tmp_path / "bert")), 2, str(tmp_path / "baseline.tsv"))
    scorer = PairScorer(setup, None)
    golden, candidate = ["open the door", "go in", "sit"], ["open the house", "", "sit"]
    single = scorer.scores(list(zip(candidate, golden, strict=True)))
    metric = Bertscore(scorer)
    assert single[1:] == [0, 1]
    assert metric.score(compared(golden, candidate)).value == pytest.approx((single[0] + 0 + 1) / 3)
    assert metric.score(compared(golden, golden)).value == 1
    assert metric.signature() == setup.signature
