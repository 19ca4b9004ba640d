import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from wfkit.gate.policy import DEFAULT_POLICY, load_policy, with_require
from wfkit.gate.policy_words import explain, percent
from wfkit.gate.waivers import load_waivers

BEST = "Of several goldens of one candidate the best counts."
LAST = "A score equal to its bar passes. A rule that cannot be decided makes a workflow unmeasured."


def words_of(**fields):
    return explain(load_policy({"version": 1, **fields}))


def mean(**fields):
    return {"name": "average", "metric": "chain_f1", "statistic": "mean", "below": 0.9, **fields}


def test_the_default_policy_in_words():
    assert explain(load_policy(DEFAULT_POLICY)) == [
        "missing_steps: a workflow fails if all of graph_f1 and chain_f1 are below 0.75.",
        "compressed_steps: a workflow fails if kendall_tau is below 0.65.",
        "description_changes: a workflow goes to review if any of bleu or gleu is below 0.7.",
        LAST,
        BEST,
    ]


def test_secondary_clauses_where_they_decide():
    both = explain(with_require(load_policy(DEFAULT_POLICY), "both"))
    assert both[0] == (
        "missing_steps: a workflow fails if all of graph_f1 and chain_f1 are below 0.75, and judge is below 0.75."
    )
    either = explain(with_require(load_policy(DEFAULT_POLICY), "either"))
    assert either[1] == (
        "compressed_steps: a workflow fails if kendall_tau is below 0.65 "
        "or if any of graph_f1 or chain_f1 is below 0.75."
    )


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        (mean(), "average: the run fails if the mean of chain_f1 is below 0.9."),
        (mean(statistic="median"), "average: the run fails if the median of chain_f1 is below 0.9."),
        (mean(statistic="min"), "average: the run fails if the smallest chain_f1 is below 0.9."),
        (mean(statistic="p10"), "average: the run fails if the 10th percentile of chain_f1 is below 0.9."),
        (
            mean(statistic="ci_lower"),
            "average: the run fails if the lower end of the 95 % interval of the mean of chain_f1 is below 0.9.",
        ),
        (
            {"name": "enough", "statistic": "pass_rate", "below": 0.95},
            "enough: the run fails if the share of workflows that pass is below 0.95.",
        ),
        (
            mean(action="review", slice={"golden.source": "n8n", "perturbation.severity": 30}),
            "average: the run goes to review if the mean of chain_f1 over the workflows with golden.source = n8n and "
            "perturbation.severity = 30 is below 0.9.",
        ),
        (
            mean(by="golden.source", min_n=20),
            "average: the run fails if the mean of chain_f1 for any one golden.source is below 0.9. "
            "With fewer than 20 values it is unmeasured.",
        ),
    ],
)
def test_a_rule_on_the_set_names_its_statistic_and_its_slice(rule, line):
    assert words_of(set_rules=[rule]) == [line, LAST, BEST]


@pytest.mark.parametrize(
    ("repeats", "words"),
    [
        ("all", "all of them must pass"),
        ("any", "one that passes is enough"),
        ({"rule": "k_of_n", "k": 2}, "2 of them must pass"),
    ],
)
def test_repeats_and_coverage(repeats, words):
    assert words_of(set_rules=[mean()], repeats=repeats, coverage=0.985)[2:] == [
        "At least 98.5 % of the workflows that are expected must be measured.",
        f"Of several candidates of one golden, {words}.",
        BEST,
    ]


def test_the_mean_of_repeats():
    rule = {"name": "r", "primary": {"metric": "bleu", "below": 0.5}, "action": "fail"}
    assert words_of(rules=[rule], repeats="mean")[-2] == (
        "Of several candidates of one golden, the means of their scores are held against the rules."
    )


def test_the_policy_and_the_waivers_of_the_readme_can_be_read():
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    blocks = [YAML(typ="safe", pure=True).load(block) for block in re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)]
    [policy] = [load_policy(block) for block in blocks if "set_rules" in block]
    assert [rule.name for rule in policy.set_rules] == ["average", "each source", "n8n"]
    waivers = [one for block in blocks if isinstance(block, list) for one in block if "golden" in one]
    assert waivers
    for waiver in waivers:
        assert load_waivers([{**waiver, "expires": waiver["expires"].isoformat()}], policy)


@pytest.mark.parametrize(("share", "text"), [(0, "0 %"), (1, "100 %"), (0.07, "7 %"), (1 / 3, "33.33333333 %")])
def test_percent(share, text):
    assert percent(share) == text
