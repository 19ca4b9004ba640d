import pytest

from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.aggregation.labels import label_figures

LABEL_SET = {"awareness": ["never_flagged", "flagged"], "behaviour": ["accepted", "gave_up"]}


def figures_of(short, rows, success=1.0):
    """One record for each (clean, perturbed, labels)."""
    requests = [short.asked(f"p{place}", f"t{place}") for place in range(len(rows))]
    grades = [
        short.graded(request, clean, perturbed, labels=labels)
        for request, (clean, perturbed, labels) in zip(requests, rows, strict=True)
    ]
    read = short.read(requests, grades)
    assert read.error_records == 0
    (evidence,) = collect(read)
    return label_figures(evidence, read, LABEL_SET, success=success, level=0.95)


def said(annotator="rules", **labels):
    return {"annotator": annotator, **labels}


def test_thirty_failures_of_which_twenty_seven_never_flagged_an_error(short):
    rows = [(1, 0, [said(awareness="never_flagged", behaviour="accepted")])] * 13
    rows += [(1, 0, [said(awareness="never_flagged")])] * 14 + [(1, 0, [said(awareness="flagged")])] * 2 + [(1, 0, [])]
    figures = figures_of(short, rows)
    (rules,) = figures["annotators"]
    never, flagged = rules["awareness"]["labels"]
    assert (figures["failures"], never["count"], never["share"]) == (30, 27, 0.9)
    assert never["interval"] == pytest.approx([0.7438, 0.9654], abs=5e-5)
    assert (flagged["count"], rules["awareness"]["unlabelled"]) == (2, 1)
    accepted, gave_up = rules["behaviour"]["labels"]
    assert (accepted["count"], gave_up["count"], rules["behaviour"]["unlabelled"]) == (13, 0, 17)


def test_only_clean_success_with_perturbed_failure_counts(short):
    label = [said(awareness="flagged")]
    rows = [(1, 0, label), (1, 1, label), (0, 0, label), (1, None, label), (None, 0, label)]
    figures = figures_of(short, rows)
    assert figures["failures"] == 1
    assert figures["annotators"][0]["awareness_by_outcome"] == {"flagged": {"failed": 1, "recovered": 1}}


def test_a_label_outside_the_set_is_shown_and_named(short):
    (rules,) = figures_of(short, [(1, 0, [said(behaviour="danced")])])["annotators"]
    assert [label["label"] for label in rules["behaviour"]["labels"]] == ["accepted", "gave_up", "danced"]
    assert rules["behaviour"]["not_in_label_set"] == ["danced"]


def test_agreement_of_two_annotators(short):
    """20 agree on never, 5 and 10 differ, 15 agree on flagged: kappa (.7 - .5) / .5 = .4; one has a single label."""
    rows = []
    for first, second, count in [
        ("never_flagged", "never_flagged", 20),
        ("never_flagged", "flagged", 5),
        ("flagged", "never_flagged", 10),
        ("flagged", "flagged", 15),
    ]:
        rows += [(1, 0, [said("ann", awareness=first), said("bob", awareness=second)])] * count
    rows.append((1, 0, [said("ann", awareness="flagged")]))
    awareness, behaviour = figures_of(short, rows)["agreement"]
    assert awareness == {"annotators": ["ann", "bob"], "aspect": "awareness", "episodes": 50, "kappa": 0.4}
    assert (behaviour["episodes"], behaviour["kappa"]) == (0, None)


def test_without_labels_there_are_no_figures(short):
    assert figures_of(short, [(1, 0, [])]) is None
