"""Laws that every metric of the registry obeys, whatever it measures."""

import math
import random

import numpy as np
import pytest

from wfkit.alignment import align
from wfkit.errors import DataError
from wfkit.metrics.base import Comparison
from wfkit.registry import METRICS, find
from wfkit.workflow import Step, Workflow

# These need a model or a service; their own tests cover them.
ELSEWHERE = {"bertscore", "judge"}
NAMES = [name for name in METRICS if name not in ELSEWHERE]


@pytest.fixture(scope="module", params=NAMES)
def metric(request):
    """One metric with its defaults."""
    return find(METRICS, request.param, "metric")()


def with_itself(workflow):
    """A workflow beside itself; the encoder finds nothing alike but equal texts."""
    size = len(workflow.steps)
    return Comparison(workflow, workflow, align(workflow, workflow, np.zeros((size, size))))


def check_value(score):
    """A finite number from -1 to 1, or null with a reason."""
    if score.value is None:
        assert score.reason.startswith("undefined: ")
        return
    assert score.reason is None
    assert isinstance(score.value, float)
    assert math.isfinite(score.value)
    assert -1.0 <= score.value <= 1.0


def test_it_introduces_itself(metric):
    assert METRICS[metric.name]
    assert metric.summary
    assert "\n" not in metric.summary
    assert metric.signature().startswith("wfkit=")


def test_a_workflow_scores_one_against_itself(metric, draw):
    for seed in range(200):
        for workflow in (draw(seed).golden, draw(seed).candidate):
            assert metric.score(with_itself(workflow)).value in (1.0, None), seed


def test_repeated_texts_score_one_against_themselves(metric, compare):
    for texts in ("aa", "aba", "abab", "aabbaa", "abcabcabc"):
        assert metric.score(compare(texts, texts)).value == 1.0


def test_a_golden_listed_against_its_own_edges_scores_one_against_itself(metric, compare):
    assert metric.score(compare("abcd", "abcd", "dc cb ba", "dc cb ba")).value == 1.0
    assert metric.score(compare("aba", "aba", "21 10", "21 10")).value == 1.0


def test_one_step_is_one_or_undefined(metric, compare):
    assert metric.score(compare("a", "a")).value in (1.0, None)


def test_an_empty_candidate_scores_zero(metric, compare):
    assert metric.score(compare("abc", "")).value == 0.0


def test_an_empty_golden_is_no_accident(metric, compare):
    for candidate in ("", "abc"):
        assert metric.score(compare("", candidate)).value in (0.0, None)


def test_values_are_in_range(metric, draw):
    source = random.Random(3)
    for seed in range(300):
        pair = draw(seed)
        check_value(metric.score(pair))
        # The same steps under arbitrary similarities.
        shape = (len(pair.candidate.steps), len(pair.golden.steps))
        similarity = np.array([[source.uniform(-0.2, 1) for _ in range(shape[1])] for _ in range(shape[0])])
        check_value(
            metric.score(Comparison(pair.golden, pair.candidate, align(pair.golden, pair.candidate, similarity)))
        )


def renamed(workflow, prefix):
    """The same workflow under other ids."""
    steps = tuple(Step(f"{prefix}{99 - place}", step.text) for place, step in enumerate(workflow.steps))
    return Workflow(f"{prefix}{workflow.id}", steps, workflow.edges, workflow.task)


def test_ids_mean_nothing(metric, draw):
    for seed in range(100):
        pair = draw(seed)
        other = Comparison(renamed(pair.golden, "g"), renamed(pair.candidate, "c"), pair.alignment)
        assert metric.score(other) == metric.score(pair), seed


def test_the_order_of_edges_means_nothing(metric, draw):
    for seed in range(100):
        pair = draw(seed)
        golden = pair.golden._replace(edges=pair.golden.edges[::-1])
        candidate = pair.candidate._replace(edges=pair.candidate.edges[::-1])
        assert metric.score(Comparison(golden, candidate, pair.alignment)) == metric.score(pair), seed


def test_the_same_pair_gives_the_same_score(metric, draw):
    for seed in range(50):
        assert metric.score(draw(seed)) == metric.score(draw(seed))


def test_a_cyclic_golden_is_a_data_error_or_no_matter(metric, compare):
    # Metrics that follow precedence refuse it; the others never walk along edges.
    try:
        check_value(metric.score(compare("abc", "abc", "ab bc ca")))
    except DataError as error:
        assert error.code == "E-CYCLE"
