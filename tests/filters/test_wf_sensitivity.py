"""wf-sensitivity as its user runs it: forms, exit codes, determinism, and its policy in the hands of wf-gate."""

import csv
import io
import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from wfkit import schema

ROOT = Path(__file__).resolve().parents[2]
METRICS = ("chain_f1", "graph_f1", "kendall_tau", "bleu", "gleu")
FALLS = {"missing_steps": 0.8, "compressed_steps": 1.2, "description_changes": 0.3}


def workflow(identifier, steps=6):
    nodes = [{"id": str(step), "text": f"do {step}"} for step in range(steps)]
    return {"kind": "workflow", "id": identifier, "nodes": nodes, "edges": []}


def make_pair(golden, type_name, severity, scores, **fields):
    identifier = f"{golden}/{type_name}/{severity}"
    return {
        "kind": "pair",
        "id": identifier,
        "golden": workflow(golden, 5 + len(golden) % 2),
        "candidate": workflow(identifier, 5),
        "perturbation": {"type": type_name, "severity": severity},
        "scores": scores,
        "signatures": {metric: "wfkit=1" for metric, value in scores.items() if value is not None},
        **fields,
    }


def lines(pairs):
    return b"".join(json.dumps(pair).encode() + b"\n" for pair in pairs)


def noisy(goldens=40, metrics=METRICS):
    chance = random.Random(0)
    return [
        make_pair(
            f"g{golden}",
            type_name,
            severity,
            {metric: max(0.0, min(1.0, 1 - fall * severity / 100 + chance.gauss(0, 0.06))) for metric in metrics},
        )
        for golden in range(goldens)
        for type_name, fall in FALLS.items()
        for severity in (10, 30, 50)
    ]


def records_of(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def pairs():
    return noisy()


def test_records_fit_their_schemas_and_come_in_order(run, pairs):
    done = run("wf-sensitivity", "--by", "placement", "--replicates", "50", stdin=lines(pairs))
    assert done.returncode == 0
    records = records_of(done)
    for record in records:
        schema.checker(record["kind"])(record)
    kinds = [record["kind"] for record in records]
    assert kinds == sorted(kinds, reverse=True)  # sensitivity, then firing
    whole = [(r["type"], r["metric"]) for r in records if r["kind"] == "sensitivity" and r["stratum"] is None]
    assert whole == [(type_name, metric) for type_name in FALLS for metric in METRICS]
    assert b"360 pairs of 40 goldens." in done.stderr
    assert b"leaving such pairs out would move no mean" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_neither_the_order_nor_the_cut_into_files_changes_a_byte(run, pairs, form, tmp_path):
    shuffled = random.Random(1).sample(pairs, len(pairs))
    files = [tmp_path / "a", tmp_path / "b"]
    for file, part in zip(files, (shuffled[:100], shuffled[100:]), strict=True):
        file.write_bytes(lines(part))
    options = ("--format", form, "--replicates", "50", "--calibrate")
    whole = run("wf-sensitivity", *options, tmp_path / "p1", stdin=lines(pairs))
    parts = run("wf-sensitivity", *options, tmp_path / "p2", *files)
    assert (whole.returncode, whole.stdout, whole.stderr) == (0, parts.stdout, parts.stderr)
    assert (tmp_path / "p1").read_bytes() == (tmp_path / "p2").read_bytes()


def test_another_seed_draws_other_intervals_and_the_same_means(run, pairs):
    first, second = (
        records_of(run("wf-sensitivity", "--seed", seed, "--replicates", "50", stdin=lines(pairs)))[0]
        for seed in ("0", "1")
    )
    one, other = first["severities"][0], second["severities"][0]
    assert one["mean"] == other["mean"] and one["interval"] != other["interval"]


def test_any_key_under_scores_is_a_metric(run):
    pairs = noisy(metrics=("judge:gpt-4o", "their metric"))
    records = records_of(run("wf-sensitivity", "--replicates", "20", stdin=lines(pairs)))
    assert {r["metric"] for r in records if r["kind"] == "sensitivity"} == {"judge:gpt-4o", "their metric"}


@pytest.mark.parametrize(
    ("options", "require"),
    [
        (("--max-false-alarm", "0.1"), "primary"),
        (("--min-detect", "0.9"), "primary"),
        (("--max-false-alarm", "0.1", "--require", "both"), "both"),
    ],
)
def test_the_policy_reproduces_its_rates_in_wf_gate(run, pairs, tmp_path, options, require):
    template = tmp_path / "template.json"
    rule = {"name": "compressed_steps", "primary": {"any_of": ["kendall_tau"], "below": 0.65}, "action": "fail"}
    secondary = {"any_of": ["graph_f1", "chain_f1"], "below": 0.75}
    template.write_text(json.dumps({"version": 1, "rules": [{**rule, "secondary": secondary}]}))
    policy = tmp_path / "policy.json"
    done = run(
        "wf-sensitivity",
        "--policy",
        template,
        "--calibrate",
        policy,
        *options,
        "--replicates",
        "20",
        stdin=lines(pairs),
    )
    assert done.returncode == 0, done.stderr
    written = json.loads(policy.read_text())
    schema.checker("policy")(written)
    assert written["rules"][0].get("require", "primary") == require
    gated = records_of(run("wf-gate", "--policy", policy, stdin=lines(pairs)))
    fired = {pair["id"]: pair["verdict"]["status"] == "fail" for pair in gated[:-1]}

    def share(type_name, severities):
        hits = [fired[f"g{golden}/{type_name}/{severity}"] for golden in range(40) for severity in severities]
        return sum(hits) / len(hits)

    [outcome] = written["calibration"]["rules"]
    rates = {name: rate["rate"] for name, rate in outcome["on_all"].items()}
    assert rates == {
        "false_alarm": pytest.approx(share("compressed_steps", (10,))),
        "miss": pytest.approx(1 - share("compressed_steps", (30, 50))),
        "benign_alarm": pytest.approx(share("description_changes", (10, 30, 50))),
    }


def test_a_policy_in_yaml_keeps_its_rules_on_the_set(run, pairs, tmp_path):
    (tmp_path / "own.yaml").write_text(
        "version: 1\ncoverage: 0.9\n"
        "rules: [{name: missing_steps, primary: {metric: chain_f1, below: .5}, action: fail}]\n"
        "set_rules: [{name: average, statistic: mean, metric: chain_f1, below: 0.9}]\n"
    )
    written = tmp_path / "policy.json"
    options = ("--policy", tmp_path / "own.yaml", "--replicates", "20", "--calibrate", written)
    assert run("wf-sensitivity", "-q", *options, stdin=lines(pairs)).returncode == 0
    policy = json.loads(written.read_text())
    assert (policy["coverage"], [rule["name"] for rule in policy["set_rules"]]) == (0.9, ["average"])
    assert policy["rules"][0]["primary"]["below"] != 0.5
    assert b"average: the run fails if" in run("wf-gate", "--policy", written, "--explain-policy").stdout


def test_a_rule_that_cannot_be_calibrated_is_left_out_and_exits_4(run, tmp_path):
    policy = tmp_path / "policy.json"
    done = run("wf-sensitivity", "-q", "--calibrate", policy, stdin=lines(noisy(metrics=("chain_f1", "graph_f1"))))
    assert done.returncode == 4
    written = json.loads(policy.read_text())
    assert [rule["name"] for rule in written["rules"]] == ["missing_steps"]
    assert [one["outcome"] for one in written["calibration"]["rules"]] == [
        "calibrated",
        "too_little_data",
        "too_little_data",
    ]


def test_no_rule_no_policy(run, tmp_path):
    done = run("wf-sensitivity", "--calibrate", tmp_path / "policy.json", stdin=lines(noisy(goldens=3)))
    assert done.returncode == 4 and not (tmp_path / "policy.json").exists()
    assert b"missing_steps: no bar, too little data: 3 goldens" in done.stderr


def test_all_scores_equal(run, tmp_path):
    pairs = [{**pair, "scores": dict.fromkeys(METRICS, 0.9)} for pair in noisy()]
    done = run("wf-sensitivity", "--replicates", "20", "--calibrate", tmp_path / "policy.json", stdin=lines(pairs))
    assert done.returncode == 4 and b"no bar, no separation" in done.stderr
    assert records_of(done)[0]["delta_average"] == 0


def test_a_single_severity_is_described_but_gives_no_bar(run, tmp_path):
    pairs = [pair for pair in noisy() if pair["perturbation"]["severity"] == 30]
    done = run("wf-sensitivity", "--replicates", "20", "--calibrate", tmp_path / "policy.json", stdin=lines(pairs))
    assert done.returncode == 4
    assert records_of(done)[0]["delta"] == [] and b"too little data: 0 goldens" in done.stderr


def test_one_golden(run):
    done = run("wf-sensitivity", stdin=lines(noisy(goldens=1)))
    record = records_of(done)[0]
    assert done.returncode == 0 and record["too_small"] is True
    assert record["severities"][0]["interval"] is None


def test_mixed_signatures_are_refused_and_both_named(run, pairs):
    other = {**pairs[1], "signatures": {**pairs[1]["signatures"], "bleu": "wfkit=2"}}
    done = run("wf-sensitivity", stdin=lines([pairs[0], other]))
    assert done.returncode == 2 and done.stdout == b""
    assert b"bleu was measured in two ways" in done.stderr
    assert b"wfkit=1" in done.stderr and b"wfkit=2" in done.stderr


def test_an_id_in_two_files_is_an_error_record(run, pairs, tmp_path):
    for name, part in (("a", pairs[:9]), ("b", pairs[8:20])):
        (tmp_path / name).write_bytes(lines(part))
    done = run("wf-sensitivity", "--replicates", "20", tmp_path / "a", tmp_path / "b")
    records = records_of(done)
    assert done.returncode == 3
    assert [(r["code"], r["id"]) for r in records if r["kind"] == "error"] == [("E-DUP-ID", pairs[8]["id"])]
    assert sum(r["pairs"] for r in records if r.get("metric") == "bleu" and r["stratum"] is None) == 20
    assert b"1 error record" in done.stderr


def test_error_records_pass_and_are_counted(run, pairs):
    error = {"kind": "error", "id": "x", "filter": "wf-score", "code": "E-X", "message": "m", "where": {}, "input": ""}
    done = run("wf-sensitivity", "--replicates", "20", stdin=lines([*pairs, error]))
    assert done.returncode == 3
    assert [r for r in records_of(done) if r["kind"] == "error"] == [error]
    table = run("wf-sensitivity", "--replicates", "20", "--format", "table", stdin=lines([*pairs, error]))
    assert table.returncode == 3 and b"1 error record." in table.stdout and b'"kind"' not in table.stdout


def test_bad_pairs_are_error_records(run, pairs):
    swapped = {**pairs[0], "golden": pairs[0]["candidate"], "candidate": pairs[0]["golden"]}
    unperturbed = {key: value for key, value in pairs[1].items() if key != "perturbation"}
    changes = [
        (swapped, "E-SWAPPED", "E-SWAPPED"),
        (unperturbed, "E-UNPERTURBED", "E-UNPERTURBED"),
        ({**pairs[2], "perturbation": {"type": "missing_steps", "severity": 0}}, "E-SCHEMA", "E-SEVERITY"),
        ({**pairs[3], "perturbation": {"type": "missing_steps", "severity": "abc"}}, "E-SCHEMA", "E-SEVERITY"),
        ({**pairs[4], "scores": {"bleu": "high"}}, "E-SCHEMA", "E-SCORE"),
        ({**pairs[5], "validation": [1]}, "E-SCHEMA", "E-SCHEMA"),
        ({**pairs[6], "kind": "workflow"}, "E-KIND", "E-KIND"),
    ]
    for column, check in ((1, "--check"), (2, "--no-check")):
        done = run(
            "wf-sensitivity", "--replicates", "20", check, stdin=lines([change[0] for change in changes] + pairs[9:])
        )
        assert done.returncode == 3, done.stderr
        codes = [record["code"] for record in records_of(done) if record["kind"] == "error"]
        assert codes == [change[column] for change in changes]
        assert b"351 pairs of 39 goldens, 7 error records." in done.stderr


def test_nulls_and_metrics_in_only_some_pairs_are_counted(run, pairs):
    changed = json.loads(json.dumps(pairs))
    changed[0]["scores"]["bleu"] = None
    changed[0]["reasons"] = {"bleu": "unavailable: nothing"}
    changed[1]["scores"]["judge"] = 0.5
    done = run("wf-sensitivity", "--replicates", "20", stdin=lines(changed))
    assert done.returncode == 0
    assert b"bleu has a score on 359 pairs (unavailable 1)." in done.stderr
    assert b"judge has a score on 1 pair (absent 359)." in done.stderr


@pytest.mark.parametrize(
    ("pairs", "form"),
    [
        ([], "table"),
        ([make_pair("g", "missing_steps", 30, {"bleu": None}, reasons={"bleu": "unavailable: x"})], "jsonl"),
        ([make_pair("g", "missing_steps", 30, {"bleu": None}, candidate=None)], "markdown"),
        ([make_pair("g", "missing_steps", 30, {})], "csv"),
    ],
    ids=["empty", "unavailable", "inapplicable", "unscored"],
)
def test_nothing_to_measure(run, pairs, form, tmp_path):
    done = run("wf-sensitivity", "--format", form, "--calibrate", tmp_path / "p", stdin=lines(pairs))
    assert done.returncode == 4, done.stderr
    assert b"othing to measure" in done.stderr and not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tolerate", "30", "--detect", "30"), b"must be less than"),
        (("--min-detect", "0.9"), b"need --calibrate"),
        (("--calibrate", "p", "--min-detect", "0.9", "--max-false-alarm", "0.1"), b"give one"),
        (("--calibrate", "p", "--max-false-alarm", "0"), b"max-false-alarm"),
        (("--calibrate", "p", "--min-detect", "1"), b"min-detect"),
        (("--sweep", "align=0.9:0.6:0.1"), b"--sweep"),
        (("--sweep", "align=0.6:0.9:0.1", "--calibrate", "p"), b"scores at one"),
        (("--sweep", "align=0.6:0.9:0.1", "--plot", "p"), b"scores at one"),
        (("--policy", "absent.json"), b"absent.json"),
        (("--by", "size"), b"without being named"),
        (("--replicates", "0"), b"replicates"),
        (("--plot", "/dev/null/x"), b"cannot make the directory"),
        (("--partial", "--merge"), b"give one"),
        (("--partial", "--seed", "0"), b"give --seed to --merge"),
        (("--partial", "--calibrate", "p"), b"give --calibrate to --merge"),
        (("--partial", "--sweep", "align=0.6:0.9:0.1"), b"keeps no texts, which --sweep needs"),
        (("--merge", "--by", "placement"), b"give --by to --partial"),
        (("--merge", "--sweep", "align=0.6:0.9:0.1"), b"no texts, which --sweep needs"),
    ],
)
def test_wrong_options(run, pairs, tmp_path, options, words):
    done = run("wf-sensitivity", *options, stdin=lines(pairs[:1]), cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_valid_only_and_what_invalid_pairs_do(run, pairs):
    changed = [{**pair, "validation": {"valid": number % 10 > 0}} for number, pair in enumerate(pairs)]
    kept, dropped = (
        run("wf-sensitivity", "--replicates", "20", *options, stdin=lines(changed))
        for options in ((), ("--valid-only",))
    )
    assert b"36 invalid pairs counted in; leaving them out would move a mean by at most 0.0" in kept.stderr
    assert b"36 invalid pairs left out, which moves a mean by at most 0.0" in dropped.stderr
    for done, count in ((kept, 360), (dropped, 324)):
        whole = [r for r in records_of(done) if r.get("metric") == "bleu" and r["stratum"] is None]
        assert sum(r["pairs"] for r in whole) == count
    means = {point["severity"]: point for point in records_of(kept)[0]["severities"]}
    for point in records_of(dropped)[0]["severities"]:
        shift = means[point["severity"]]["shift_without_invalid"]
        assert point["mean"] == pytest.approx(means[point["severity"]]["mean"] + shift)


def test_plots_and_csv(run, pairs, tmp_path):
    small = [{**pair, "scores": {"bleu": pair["scores"]["bleu"]}} for pair in pairs]
    done = run(
        "wf-sensitivity", "--format", "csv", "--plot", tmp_path / "a" / "b", "--replicates", "20", stdin=lines(small)
    )
    assert done.returncode == 0
    names = sorted(path.name for path in (tmp_path / "a" / "b").iterdir())
    assert names == sorted(
        f"{stem}.{form}"
        for stem in ("trajectory-bleu", "distribution-bleu", "delta-matrix", "firing-matrix")
        for form in ("png", "svg")
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert len([row for row in rows if row["kind"] == "sensitivity" and not row["by"]]) == 9


def test_the_summary_and_the_output_file(run, pairs, tmp_path):
    done = run(
        "wf-sensitivity",
        "-q",
        "--replicates",
        "20",
        "--summary",
        tmp_path / "s",
        "-o",
        tmp_path / "o",
        stdin=lines(pairs),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    summary = json.loads((tmp_path / "s").read_text())
    assert (summary["read"], summary["errors"], summary["pairs"]) == (360, 0, 360)
    assert summary["largest_shift_without_invalid"]["shift"] == 0
    assert json.loads((tmp_path / "o").read_bytes().splitlines()[0])["kind"] == "sensitivity"


def test_a_sweep_on_the_real_encoder(run, tmp_path):
    from wfkit.errors import Unavailable
    from wfkit.models.locate import locate

    try:
        locate("all-mpnet-base-v2")
    except Unavailable:
        pytest.skip("the encoder is not here: wf-models fetch all-mpnet-base-v2")
    pair = make_pair("g", "description_changes", 30, {"bleu": 0.5})
    texts = ("open the door", "take the key from the drawer")
    for side, changed in (("golden", "buy milk"), ("candidate", "purchase some milk")):
        pair[side]["nodes"] = [{"id": str(n), "text": text} for n, text in enumerate((*texts, changed))]
    done = run("wf-sensitivity", "--sweep", "align=0.5:1:0.5", "--replicates", "20", stdin=lines([pair]))
    assert done.returncode == 0, done.stderr
    means = {
        r["align"]: r["severities"][0]["mean"]
        for r in records_of(done)
        if r.get("metric") == "chain_f1" and r["stratum"] is None
    }
    assert means == {0.5: 1.0, 1.0: pytest.approx(2 / 3)}  # the paraphrase is the same step at .5, and not at 1
    assert {r["align"] for r in records_of(done) if r["kind"] == "firing"} == {0.5, 1.0}


def test_a_sweep_without_encoder_cannot_be_measured(run, tmp_path):
    environment = {"XDG_CACHE_HOME": str(tmp_path), "HF_HOME": str(tmp_path), "WFKIT_ENCODER": ""}
    pair = make_pair("g", "missing_steps", 30, {"bleu": 0.5})
    done = run("wf-sensitivity", "--sweep", "align=0.5:1:0.5", stdin=lines([pair]), env=environment)
    assert done.returncode == 4 and b"all-mpnet-base-v2" in done.stderr


ERROR = {"kind": "error", "id": "x", "filter": "wf-score", "code": "E-X", "message": "m", "where": {}, "input": ""}


def states_of(run, folder, shards, *options):
    """Files of the shards, and files of the states that --partial makes of them."""
    files, states = [], []
    for number, shard in enumerate(shards):
        files.append(folder / f"{number}.jsonl")
        files[-1].write_bytes(lines(shard))
        states.append(folder / f"{number}.state")
        done = run("wf-sensitivity", "-q", "--partial", *options, "-o", states[-1], files[-1])
        failed = any(record["kind"] == "error" for record in shard)
        assert (done.returncode, done.stdout) == (3 if failed else 0, b""), done.stderr
    return files, states


@pytest.mark.parametrize(
    ("cuts", "form"),
    [((120,), "jsonl"), ((0, 7, 200), "table"), ((359, 359), "markdown")],
    ids=["halves", "empty-first", "empty-between"],
)
def test_merged_states_give_the_bytes_of_one_run(run, pairs, tmp_path, cuts, form):
    ends = [0, *cuts, len(pairs)]
    shards = [pairs[start:end] for start, end in pairwise(ends)]
    files, states = states_of(run, tmp_path, [*shards, [ERROR, ERROR]], "--by", "placement")
    options = ("--replicates", "50", "--format", form, "--calibrate")
    one = run("wf-sensitivity", *options, tmp_path / "p1", "--by", "placement", *files)
    merged = run("wf-sensitivity", *options, tmp_path / "p2", "--merge", *states)
    assert (one.returncode, one.stdout, one.stderr) == (3, merged.stdout, merged.stderr)
    assert merged.returncode == 3 and b"2 error records" in merged.stderr
    assert (tmp_path / "p1").read_bytes() == (tmp_path / "p2").read_bytes()
    joined = run("wf-sensitivity", *options, tmp_path / "p3", "--merge", stdin=b"".join(s.read_bytes() for s in states))
    assert (joined.returncode, joined.stdout) == (3, merged.stdout)
    assert max(state.stat().st_size for state in states) < max(file.stat().st_size for file in files) / 2


def test_an_id_in_two_shards_is_found_as_in_one_run(run, pairs, tmp_path):
    unusable = {**pairs[3], "perturbation": {}}
    (tmp_path / "unusable.jsonl").write_bytes(lines([unusable]))
    refused = run("wf-sensitivity", "-q", "--partial", tmp_path / "unusable.jsonl", "-o", tmp_path / "unusable.state")
    assert refused.returncode == 3
    files, states = states_of(run, tmp_path, [pairs[:3], pairs[2:9]])
    files.insert(0, tmp_path / "unusable.jsonl")
    states.insert(0, tmp_path / "unusable.state")
    one, merged = run("wf-sensitivity", *files), run("wf-sensitivity", "--merge", *states)
    assert one.returncode == merged.returncode == 3
    for done in (one, merged):
        errors = [record for record in records_of(done) if record["kind"] == "error"]
        assert [(error["code"], error["id"]) for error in errors] == [
            ("E-UNPERTURBED", pairs[3]["id"]),
            ("E-DUP-ID", pairs[2]["id"]),
            ("E-DUP-ID", pairs[3]["id"]),
        ]
    rest = [[record for record in records_of(done) if record["kind"] != "error"] for done in (one, merged)]
    assert rest[0] == rest[1] and rest[0]


def test_a_state_may_be_written_with_other_blanks_and_order(run, pairs, tmp_path):
    _, states = states_of(run, tmp_path, [pairs[:20]])
    records = [json.loads(line) for line in states[0].read_bytes().splitlines()]
    reformatted = b"".join(json.dumps(record, sort_keys=True).encode() + b"\r\n" for record in records)
    first, second = (
        run("wf-sensitivity", "--replicates", "20", "--merge", stdin=data)
        for data in (states[0].read_bytes(), reformatted)
    )
    assert (first.returncode, second.returncode) == (0, 0) and first.stdout == second.stdout


def test_empty_shards_alone_are_nothing_to_measure(run, tmp_path):
    _, states = states_of(run, tmp_path, [[], []])
    assert len(states[0].read_bytes().splitlines()) == 1
    done = run("wf-sensitivity", "--merge", *states)
    assert (done.returncode, done.stdout) == (4, b"") and b"Nothing to measure" in done.stderr


def test_shards_of_error_records_alone(run, tmp_path):
    files, states = states_of(run, tmp_path, [[ERROR], [{**ERROR, "id": "y"}]])
    one, merged = run("wf-sensitivity", *files), run("wf-sensitivity", "--merge", *states)
    assert (one.returncode, one.stdout, one.stderr) == (3, merged.stdout, merged.stderr) and merged.returncode == 3


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda state: b"", b"0.state was cut: it does not end as a state does"),
        (lambda state: state[: state.rindex(b'{"kind"')], b"0.state was cut: it does not end as a state does"),
        (lambda state: state[:-30], b"0.state:7: not JSON"),
        (lambda state: state[state.index(b"\n") + 1 :], b"its end counts 6 records and 5 came"),
        (
            lambda state: state.replace(b'"version":1', b'"version":2'),
            b"0.state:1: this wfkit merges states of version 1",
        ),
        (lambda state: b"\x00" + state, b"0.state:1: not JSON"),
        (lambda state: lines([make_pair("g", "missing_steps", 10, {})]), b"0.state:1: expected a state"),
        (lambda state: state.replace(b'"severity":10.0', b'"severity":0.0', 1), b"0.state:1: $.severity"),
        (lambda state: state.replace(b'{"kind":"obs', b"{" + b" " * 17_000_000 + b'"kind":"obs', 1), b":1: 17,000,"),
    ],
    ids=["empty", "no-end", "cut-in-its-end", "no-head", "version", "binary", "pairs", "schema", "long-line"],
)
def test_a_damaged_state_is_refused_as_a_whole(run, pairs, tmp_path, damage, words):
    _, states = states_of(run, tmp_path, [pairs[:6], pairs[6:12]])
    states[0].write_bytes(damage(states[0].read_bytes()))
    done = run("wf-sensitivity", "--merge", "-o", tmp_path / "report", *states)
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert not (tmp_path / "report").exists()


def test_states_of_different_options_or_signatures_are_refused_and_both_named(run, pairs, tmp_path):
    _, (plain, *_) = states_of(run, tmp_path, [pairs[:1]])
    for name in ("by", "signed"):
        (tmp_path / name).mkdir()
    _, (by,) = states_of(run, tmp_path / "by", [pairs[1:2]], "--by", "placement")
    other = {**pairs[1], "signatures": {**pairs[1]["signatures"], "bleu": "wfkit=2"}}
    _, (signed,) = states_of(run, tmp_path / "signed", [[other]])
    done = run("wf-sensitivity", "--merge", plain, by)
    assert done.returncode == 2 and b"different options: no --by and --by placement" in done.stderr
    done = run("wf-sensitivity", "--merge", plain, signed)
    assert done.returncode == 2 and b"bleu was measured in two ways" in done.stderr
    assert b"wfkit=1" in done.stderr and b"wfkit=2" in done.stderr


def test_a_state_without_merge_is_not_taken_for_pairs(run, pairs, tmp_path):
    _, states = states_of(run, tmp_path, [pairs[:1]])
    done = run("wf-sensitivity", *states)
    assert done.returncode == 3 and b"expected pair, got observation" in done.stderr


def test_help_imports_no_numeric_library():
    code = (
        "import sys\n"
        "sys.argv = ['wf-sensitivity', '--help']\n"
        "from wfkit.filters.wf_sensitivity import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'matplotlib', 'nltk', 'torch', 'orjson', 'jsonschema'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
