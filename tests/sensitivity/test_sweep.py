import numpy as np
import pytest

from wfkit.errors import DataError, UsageProblem
from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.rendering import as_text
from wfkit.sensitivity.response import Resampling
from wfkit.sensitivity.sections import report
from wfkit.sensitivity.study import Plan
from wfkit.sensitivity.sweep import Sweep, parse_sweep

PLAN = Plan(load_policy(DEFAULT_POLICY), 10, 30, Resampling(50, 0))


class TwoVectors:
    """Embeds texts on a circle: a text that ends in an angle in degrees lies at it, so cosines are known by hand."""

    signature = "enc=circle@00000000"

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        angles = np.radians([float(text.rpartition(" ")[2]) for text in texts])
        return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def reworded(severity, golden="g"):
    """Three steps far apart, of which the last is reworded so that its cosine is cos 45° = .7071."""
    nodes = [{"id": "1", "text": "a 0"}, {"id": "2", "text": "b 90"}, {"id": "3", "text": "c 180"}]
    edges = [["1", "2"], ["2", "3"]]
    identifier = f"{golden}/description_changes/{severity}"
    changed = [*nodes[:2], {"id": "3", "text": "c 225"}]
    return {
        "kind": "pair",
        "id": identifier,
        "golden": {"kind": "workflow", "id": golden, "nodes": nodes, "edges": edges},
        "candidate": {"kind": "workflow", "id": identifier, "nodes": changed, "edges": edges},
        "perturbation": {"type": "description_changes", "severity": severity},
        "scores": {"chain_f1": 0.123, "bleu": 0.5},
        "signatures": {"chain_f1": "wfkit=1|align=0.8", "bleu": "wfkit=1"},
    }


def swept(*pairs, thresholds=(0.6, 0.7, 0.8), metrics=("chain_f1", "bleu", "kendall_tau")):
    sweep = Sweep(thresholds, metrics, (), TwoVectors())
    for pair in pairs:
        sweep.add(pair)
    return sweep


def test_the_threshold_decides_whether_a_paraphrase_is_the_same_step():
    # At .6 and .7 all three steps match: chain F1 6/6. At .8 the last one does not: 2·2/6.
    records = [
        r
        for r in swept(reworded(30)).study(PLAN, {"bleu": "wfkit=1"})
        if r["kind"] == "sensitivity" and r["stratum"] is None
    ]
    chain = {r["align"]: r for r in records if r["metric"] == "chain_f1"}
    assert {align: r["severities"][0]["mean"] for align, r in chain.items()} == {
        0.6: 1,
        0.7: 1,
        0.8: pytest.approx(2 / 3),
    }
    assert {r["signature"] for r in chain.values()} == {
        f"wfkit=1|enc=circle@00000000|align={align}" for align in (0.6, 0.7, 0.8)
    }
    assert {r["signature"] for r in records if r["metric"] == "bleu"} == {"wfkit=1"}


def test_metrics_that_belong_to_another_threshold_are_left_out():
    pair = reworded(30)
    pair["scores"] |= {"graph_f1": 1, "judge:m": 0.9}
    records = [r for r in swept(pair).study(PLAN, {}) if r["kind"] == "sensitivity"]
    assert {r["metric"] for r in records} == {"chain_f1", "kendall_tau", "bleu", "judge:m"}


def test_the_bundle_is_derived_again_at_every_threshold():
    pairs = [reworded(30), reworded(10)]
    pairs[1]["candidate"] = {**pairs[1]["candidate"], "nodes": pairs[1]["golden"]["nodes"]}  # nothing reworded at 10 %
    pairs[1]["scores"]["bleu"] = 0.5
    records = swept(*pairs, metrics=("chain_f1",)).study(PLAN, {})
    roles = {(r["align"], r["metric"]): r["separation"]["role"] for r in records if r.get("separation")}
    assert {align: roles[align, "chain_f1"] for align in (0.6, 0.7, 0.8)} == {0.6: None, 0.7: None, 0.8: "primary"}
    assert "chain_f1" in as_text(report(records, []))


def test_rules_fire_on_the_scores_derived_again_and_on_the_others_of_the_record():
    firing = [
        r
        for r in swept(reworded(30)).study(PLAN, {"bleu": "wfkit=1"})
        if r["kind"] == "firing" and r["stratum"] is None
    ]
    fired = {(r["rule"], r["align"]): r["rate"] for r in firing}
    assert fired["description_changes", 0.6] == fired["description_changes", 0.8] == 1  # bleu .5 < .7
    assert fired["compressed_steps", 0.6] == 0
    assert fired["missing_steps", 0.8] is None  # graph_f1 was not asked for


def test_texts_are_encoded_together_once():
    pairs = [reworded(30), reworded(50, golden="h")]
    sweep = Sweep((0.6, 0.8), ("chain_f1",), (), embedder := TwoVectors())
    sweep.prepare([*pairs, {**pairs[0], "candidate": None}])
    assert embedder.asked == [["a 0", "b 90", "c 180", "c 225"]]


def test_bad_pairs_are_refused_at_once():
    sweep = Sweep((0.6, 0.8), ("chain_f1",), (), TwoVectors())
    pair = reworded(30)
    with pytest.raises(DataError):
        sweep.add({**pair, "golden": {**pair["golden"], "edges": [["1", "9"]]}})
    assert [len(one) for one in sweep.observations] == [0, 0]


@pytest.mark.parametrize(
    ("text", "thresholds"),
    [
        ("align=0.6:0.9:0.05", [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9]),
        ("align=0.6:0.9:0.2", [0.6, 0.8]),
        ("align=0.8:0.8:0.1", [0.8]),
        ("align=-1:1:1", [-1, 0, 1]),
    ],
)
def test_sweeps(text, thresholds):
    assert parse_sweep(text) == thresholds


@pytest.mark.parametrize(
    "text",
    ["", "align", "align=0.6", "align=0.6:0.9", "align=a:b:c", "bleu=0.1:0.2:0.1", "align=0.9:0.6:0.1", "align=0:1:0",
     "align=0:1:-0.1", "align=0:2:0.5", "align=0:1:0.001", "align=nan:1:0.1", "align=0:inf:0.1", "0.6:0.9:0.1"],
)  # fmt: skip
def test_other_sweeps_are_refused(text):
    with pytest.raises(UsageProblem, match="--sweep"):
        parse_sweep(text)
