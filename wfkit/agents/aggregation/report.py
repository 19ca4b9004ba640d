"""From the records read to `ap_aggregate` records: every figure of every group, with its coverage, bounds and notes."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wfkit.agents.aggregation.bootstrap import effect_intervals
from wfkit.agents.aggregation.capability import (
    Capability,
    across_benchmarks,
    capability_figures,
    differing_outcomes,
)
from wfkit.agents.aggregation.cost import paired_ratios, rollout_tests, side_costs
from wfkit.agents.aggregation.cross_family import change_rows, cross_family
from wfkit.agents.aggregation.evidence import Evidence, collect
from wfkit.agents.aggregation.figures import (
    complete,
    complete_case,
    imposed_zeros,
    mean_model_degradation,
    one_sided,
    paired_figures,
    status_counts,
)
from wfkit.agents.aggregation.grades import Grades
from wfkit.agents.aggregation.groups import Group, groups
from wfkit.agents.aggregation.labels import label_figures
from wfkit.agents.aggregation.matched_tests import mcnemar_test, wilcoxon_test
from wfkit.agents.aggregation.multiplicity import benjamini_hochberg, holm
from wfkit.agents.aggregation.notes import group_notes, run_notes
from wfkit.agents.aggregation.settings import Settings
from wfkit.agents.aggregation.sign_flip import sign_flip_test
from wfkit.agents.aggregation.tool_edits import tool_edit_figures

Figures = dict[str, Any]


def aggregate(
    grades: Grades, settings: Settings, capabilities: Mapping[str, Capability] | None = None
) -> list[Figures]:
    """All `ap_aggregate` records: for each benchmark itself, its models, targets, types, cells and the user's fields.

    Args:
        grades: everything that was read.
        settings: the user's choices.
        capabilities: the capability of models, if known.

    Returns:
        Records in a fixed order, equal for any order of the input. Benchmarks are never pooled.

    Raises:
        Unavailable: no record and no model.
    """
    records: list[Figures] = []
    of_benchmarks: dict[str, dict[str, float | None]] = {}
    overall: list[Figures] = []
    for evidence in collect(grades):
        kept = complete(evidence)
        divided = [
            (group, _group_record(evidence.where(group.chosen), kept[group.chosen], group, grades, settings))
            for group in groups(evidence, grades.requests)
        ]
        _adjust_tests(divided)
        whole = divided[0][1]
        of_models = {record["group"]["model"]: record for group, record in divided if group.dimension == "model"}
        of_benchmarks[evidence.benchmark] = {model: record["degradation"] for model, record in of_models.items()}
        whole["differing_outcomes"] = differing_outcomes(evidence)
        if capabilities is not None:
            whole["capability"] = capability_figures(
                of_models, capabilities, most_capable=settings.most_capable, seed=settings.seed
            )
        rows = change_rows(evidence, settings.change)
        whole["cross_family"] = cross_family(
            rows, replicates=settings.replicates, seed=settings.seed, level=settings.level
        )
        for group, record in divided:
            record["notes"] = group_notes(record) + (
                run_notes(grades, evidence) if group.dimension == "overall" else []
            )
            records.append(record)
        overall.append(whole)
    if len(overall) > 1:
        ranks = across_benchmarks(of_benchmarks, settings.seed)
        for whole in overall:
            whole["across_benchmarks"] = [each for each in ranks if whole["group"]["benchmark"] in each["benchmarks"]]
            whole["pooled_across_benchmarks"] = None
    return records


def _group_record(
    part: Evidence, kept: np.ndarray[Any, np.dtype[np.bool_]], group: Group, grades: Grades, settings: Settings
) -> Figures:
    """The record of one group; `kept` says which of its requests belong to a complete (model, repeat, task)."""
    constructed = int(np.count_nonzero(part.constructed))
    figures = paired_figures(part)
    record: Figures = {
        "kind": "ap_aggregate",
        "group": group.key,
        "scale": part.scale,
        "requested": figures["requested"],
        "constructed": constructed,
        "scored": figures["scored"],
        "coverage": figures["coverage"],
        "constructed_coverage": constructed / len(part),
        "one_sided": one_sided(part),
    }
    record |= figures | mean_model_degradation(part)
    record["constructed_only"] = paired_figures(part.where(part.constructed))
    record["complete_case"] = complete_case(part, kept) | {"bounds": figures["bounds"]}
    record["sensitive_only"] = _sensitive_only(part, settings.success)
    record["ci"] = _interval(part, settings)
    record["tests"] = _tests(part, settings.seed)
    record["status_counts"] = status_counts(part)
    record["imposed_zeros"] = imposed_zeros(part)
    record["cost"] = side_costs(part, settings.success) | {"paired_ratio": paired_ratios(part)}
    if group.dimension in ("target", "type"):
        for measure, test in rollout_tests(part, settings.seed).items():
            record["cost"]["paired_ratio"][measure]["test"] = test
    if group.dimension in ("overall", "model"):
        labels = label_figures(part, grades, settings.label_set, success=settings.success, level=settings.level)
        if labels is not None:
            record["labels"] = labels
        if edits := tool_edit_figures(part, grades.requests, settings.success):
            record["tool_edits"] = edits
    record["settings"] = {
        "seed": settings.seed,
        "replicates": settings.replicates,
        "level": settings.level,
        "success": settings.success,
        "change": settings.change,
        "actor_failure": grades.actor_failure,
    }
    return record


def _sensitive_only(part: Evidence, success: float) -> Figures | None:
    """The figures without tasks that an actor passes by doing nothing; None where nobody tried such an actor."""
    tried = ~np.isnan(part.noop_score)
    if not tried.any():
        return None
    insensitive = tried & (part.noop_score >= success)
    return {
        "insensitive_tasks": len(np.unique(part.task[insensitive])),
        "untried_tasks": len(np.unique(part.task[~tried])),
        **paired_figures(part.where(~insensitive)),
    }


def _interval(part: Evidence, settings: Settings) -> Figures:
    scored = part.scored
    return effect_intervals(
        part.task[scored],
        part.clean.score[scored],
        part.perturbed.score[scored],
        replicates=settings.replicates,
        seed=settings.seed,
        level=settings.level,
    )


def _tests(part: Evidence, seed: int) -> Figures:
    """The sign-flip test by task, and a test of single pairs where every task gives one pair."""
    scored = part.scored
    changes = part.changes[scored]
    _, cluster, pairs = np.unique(part.task[scored], return_inverse=True, return_counts=True)
    tests: Figures = {"sign_flip": sign_flip_test(np.bincount(cluster, changes), seed)}
    if len(pairs) and pairs.max() == 1:
        if part.scale == "binary":
            tests["mcnemar"] = mcnemar_test(part.clean.score[scored], part.perturbed.score[scored])
        else:
            tests["wilcoxon"] = wilcoxon_test(changes)
    return tests


def _adjust_tests(divided: Iterable[tuple[Group, Figures]]) -> None:
    """Adjust p over the groups of each dimension, and over all rollout tests of targets and types."""
    listed = list(divided)
    for dimension in dict.fromkeys(group.dimension for group, _ in listed):
        of_dimension = [record["tests"] for group, record in listed if group.dimension == dimension]
        for name in ("sign_flip", "mcnemar", "wilcoxon"):
            _adjust([tests[name] for tests in of_dimension if name in tests])
    _adjust(
        [ratio["test"] for _, record in listed for ratio in record["cost"]["paired_ratio"].values() if "test" in ratio]
    )


def _adjust(tests: list[Figures]) -> None:
    """Add the adjusted p values and the size of the family to each test; tests without p are not in the family."""
    family = [test for test in tests if test["p"] is not None]
    raw = [test["p"] for test in family]
    for test in tests:
        test |= {"holm": None, "benjamini_hochberg": None, "family_size": len(family)}
    for test, strict, lenient in zip(family, holm(raw), benjamini_hochberg(raw), strict=True):
        test |= {"holm": strict, "benjamini_hochberg": lenient}
