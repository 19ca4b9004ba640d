"""Workflows of letters: equal letters are equal steps, other letters are as different as can be."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from wfkit.alignment import align
from wfkit.metrics.base import Comparison
from wfkit.workflow import Step, Workflow

Compare = Callable[..., Comparison]


def letters(texts, edges=None, name="w"):
    """A workflow with one step per letter.

    Edges are written ``"ab bc"``, by letter, or ``"01 12"``, by place where letters repeat; None is a chain.
    """
    if edges is None:
        pairs = [(place, place + 1) for place in range(len(texts) - 1)]
    else:
        pairs = [tuple(int(end) if end.isdigit() else texts.index(end) for end in edge) for edge in edges.split()]
    return Workflow(name, tuple(Step(f"s{place}", text) for place, text in enumerate(texts)), tuple(pairs))


def compared(golden, candidate, similarity=None):
    """The comparison of two workflows, aligned by their texts or by the given matrix [candidate, golden]."""
    if similarity is None:
        similarity = np.array([[float(left == right) for right in golden.texts] for left in candidate.texts])
    return Comparison(golden, candidate, align(golden, candidate, similarity))


def drawn(seed, longest=6):
    """A random comparison: the candidate loses, adds and shuffles steps; now and then texts repeat.

    Edges follow a random order of the steps that has nothing to do with how they are listed.
    """
    source = random.Random(seed)

    def workflow(name, texts):
        order = source.sample(range(len(texts)), len(texts))
        density = source.random()
        edges = [
            (order[early], order[late])
            for late in range(len(order))
            for early in range(late)
            if source.random() < density
        ]
        return Workflow(name, tuple(Step(f"s{n}", text) for n, text in enumerate(texts)), tuple(edges))

    golden = [source.choice("abcdefgh"[: longest + 2]) for _ in range(source.randint(1, longest))]
    if source.random() < 0.7:
        golden = sorted(set(golden))
    kept = [text for text in golden if source.random() < 0.9]
    candidate = (kept + [source.choice("abxyz") for _ in range(source.randint(0, 2))])[:longest] or ["a"]
    if source.random() < 0.5:
        source.shuffle(candidate)
    return compared(workflow("golden", golden), workflow("candidate", candidate))


@pytest.fixture(scope="session")
def compare() -> Compare:
    """Compare two workflows of letters; see `letters` for how edges are written."""

    def build(golden, candidate, golden_edges=None, candidate_edges=None, similarity=None):
        return compared(letters(golden, golden_edges), letters(candidate, candidate_edges), similarity)

    return build


@pytest.fixture(scope="session")
def draw() -> Compare:
    """Draw a random comparison from a seed."""
    return drawn
