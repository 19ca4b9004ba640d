"""wf-gate as its user runs it: which exit code wins, what it expects, and whose rules count."""

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from wfkit.errors import Unavailable
from wfkit.filters.configuration import read_configuration

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

GOOD = {"chain_f1": 1.0, "graph_f1": 1.0, "kendall_tau": 1.0, "bleu": 1.0, "gleu": 1.0}
FAILING = {**GOOD, "chain_f1": 0.5, "graph_f1": 0.5}
REVIEWED = {**GOOD, "gleu": 0.5}
UNMEASURED = {**GOOD, "kendall_tau": None}
ERROR = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
OWN_POLICY = '{"version":1,"rules":[{"name":"%s","primary":{"any_of":["bleu"],"below":%s},"action":"fail"}]}'


def workflow(record_id: str) -> Record:
    return {"kind": "workflow", "id": record_id, "nodes": [{"id": "1", "text": "boil"}], "edges": []}


def scored(record_id: str, scores: Record, golden: str | None = None) -> Record:
    return {
        "kind": "pair",
        "id": record_id,
        "golden": workflow(golden or record_id),
        "candidate": workflow(record_id),
        "scores": scores,
        "reasons": {name: "unavailable: no encoder" for name, value in scores.items() if value is None},
    }


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def goldens(tmp_path: Path) -> Path:
    path = tmp_path / "goldens.jsonl"
    path.write_bytes(lines(workflow("a"), workflow("b")))
    return path


@pytest.mark.parametrize(
    ("records", "options", "code"),
    [
        ([scored("a", GOOD)], (), 0),
        ([scored("a", REVIEWED)], (), 0),
        ([scored("a", REVIEWED)], ("--fail-on", "review"), 1),
        ([scored("a", UNMEASURED)], (), 4),
        ([scored("a", UNMEASURED), scored("b", FAILING)], (), 1),
        ([ERROR, scored("a", FAILING)], (), 1),
        ([ERROR, scored("a", UNMEASURED)], (), 3),
        ([ERROR, scored("a", REVIEWED)], ("--fail-on", "review"), 1),
        ([ERROR], (), 3),
        ([], (), 4),
    ],
    ids=[
        "pass", "review", "review asked for", "unmeasured", "fail before unmeasured", "fail before error",
        "error before unmeasured", "review before error", "error alone", "nothing",
    ],
)  # fmt: skip
def test_the_exit_code_is_the_gravest_answer(
    run: Run, records: list[Record], options: Sequence[str], code: int
) -> None:
    done = run("wf-gate", *options, stdin=lines(*records))
    assert done.returncode == code
    assert records_of(done)[-1]["kind"] == "summary"


@pytest.mark.parametrize(
    ("records", "code", "missing"),
    [
        ([scored("a", GOOD), scored("b", GOOD)], 0, []),
        ([scored("a", GOOD), scored("b1", GOOD, golden="b"), scored("b2", GOOD, golden="b")], 0, []),
        ([scored("a", GOOD)], 4, ["b"]),
        ([scored("a", FAILING)], 1, ["b"]),
        ([scored("a", GOOD), {**ERROR, "id": "b"}], 3, []),
        ([scored("a", GOOD), ERROR], 3, ["b"]),
        ([], 4, ["a", "b"]),
    ],
    ids=["all", "two of one", "one missing", "missing and failed", "error in its place", "other error", "nothing"],
)
def test_what_is_expected_and_does_not_come_is_missing(
    run: Run, goldens: Path, records: list[Record], code: int, missing: list[str]
) -> None:
    done = run("wf-gate", "--expect", goldens, stdin=lines(*records))
    assert done.returncode == code
    assert records_of(done)[-1]["expected"]["missing"] == missing


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", b"holds no golden: there is nothing to expect"),
        (b"not JSON\n", b"expected.jsonl:1: not JSON"),
        (b"[1]\n", b"expected.jsonl:1: not a workflow record with an id"),
        (b'{"kind":"workflow"}\n', b"expected.jsonl:1: not a workflow record with an id"),
        (None, b"cannot read expected.jsonl: No such file or directory"),
    ],
)
def test_expectations_that_say_nothing_are_refused(
    run: Run, tmp_path: Path, content: bytes | None, words: bytes
) -> None:
    if content is not None:
        (tmp_path / "expected.jsonl").write_bytes(content)
    done = run("wf-gate", "--expect", "expected.jsonl", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


def test_standard_input_is_either_expected_or_judged(run: Run, tmp_path: Path) -> None:
    stream = lines(scored("a", GOOD))
    done = run("wf-gate", "--expect", "-", stdin=stream)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input cannot be both the goldens and the input" in done.stderr
    (tmp_path / "scored.jsonl").write_bytes(stream)
    assert run("wf-gate", "--expect", "-", tmp_path / "scored.jsonl", stdin=stream).returncode == 0


@pytest.mark.parametrize(
    ("require", "codes"),
    [
        ("primary", [1, 0, 1]),
        ("both", [0, 0, 1]),
        ("either", [1, 1, 1]),
    ],
)
def test_require_overrides_the_policy(run: Run, tmp_path: Path, require: str, codes: list[int]) -> None:
    """Of three pairs bleu is low in the first, gleu in the second, both in the third."""
    policy = tmp_path / "policy.json"
    rule = {
        "name": "r",
        "primary": {"any_of": ["bleu"], "below": 0.7},
        "secondary": {"any_of": ["gleu"], "below": 0.7},
        "action": "fail",
    }
    policy.write_text(json.dumps({"version": 1, "rules": [rule]}))
    command = ("wf-gate", "-q", "--policy", policy, "--require", require)
    answers = [
        run(*command, stdin=lines(scored("a", {"bleu": bleu, "gleu": gleu}))).returncode
        for bleu, gleu in ((0.5, 0.9), (0.9, 0.5), (0.5, 0.5))
    ]
    assert answers == codes


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version":1,"rules":[]}', OWN_POLICY % ("r", "NaN"), OWN_POLICY % ("r", '"x"')]
)
def test_a_policy_that_is_none(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "policy.json").write_text(text)
    done = run("wf-gate", "--policy", "policy.json", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)


def test_records_keep_everything_and_come_in_order(run: Run) -> None:
    pairs = [scored(f"p{number}", FAILING if number % 3 else GOOD) | {"own": [number]} for number in range(50)]
    done = run("wf-gate", stdin=lines(*pairs))
    *judged, summary = records_of(done)
    assert [{**one, "verdict": None} for one in judged] == [{**one, "verdict": None} for one in pairs]
    assert [one["verdict"]["status"] for one in judged] == ["fail" if number % 3 else "pass" for number in range(50)]
    assert summary["status"] == {"fail": 33, "unmeasured": 0, "review": 0, "waived": 0, "pass": 17}
    again = run("wf-gate", stdin=lines(*pairs))
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)


def test_the_gate_judges_its_own_output_anew(run: Run, tmp_path: Path) -> None:
    first = run("wf-gate", "-q", stdin=lines(scored("a", FAILING)))
    (tmp_path / "policy.json").write_text(OWN_POLICY % ("r", "0.1"))
    pair_line = first.stdout.splitlines(keepends=True)[0]
    second = run("wf-gate", "-q", "--policy", tmp_path / "policy.json", stdin=pair_line)
    assert (first.returncode, second.returncode) == (1, 0)
    assert records_of(second)[0]["verdict"]["status"] == "pass"


def test_quiet_leaves_the_table_out_but_not_the_answer(run: Run) -> None:
    told, quiet = (run("wf-gate", *options, stdin=lines(scored("a", FAILING))) for options in ((), ("-q",)))
    assert (told.returncode, told.stdout) == (quiet.returncode, quiet.stdout)
    assert told.stderr and not quiet.stderr


# --- configuration files ----------------------------------------------------------------------------------------------

POLICIES = {
    "policy.json": OWN_POLICY % ("r", "0.7"),
    "policy.yaml": "version: 1\nrules:\n  - name: r\n    primary: {metric: bleu, below: .7}\n    action: fail\n",
    "policy.yml": "# ours\n---\nversion: 1\nrules: [{name: r, primary: {metric: bleu, below: 7.0e-1}, action: fail}]\n",
    "policy.toml": 'version = 1\n[[rules]]\nname = "r"\naction = "fail"\nprimary = {any_of = ["bleu"], below = 0.7}\n',
}


@pytest.mark.parametrize("name", sorted(POLICIES))
@pytest.mark.parametrize("named", [True, False], ids=["by name", "by content"])
def test_a_policy_may_be_json_yaml_or_toml(run: Run, tmp_path: Path, name: str, named: bool) -> None:
    path = tmp_path / (name if named else "policy")
    path.write_text(POLICIES[name], encoding="utf-8-sig" if name == "policy.json" else "utf-8")
    scores = [scored("a", {"bleu": 0.7}), scored("b", {"bleu": 0.69})]
    done = run("wf-gate", "-q", "--policy", path, stdin=lines(*scores))
    assert [one["verdict"]["status"] for one in records_of(done)[:-1]] == ["pass", "fail"], done.stderr
    explained = run("wf-gate", "--policy", path, "--explain-policy")
    assert explained.stdout.startswith(b"r: a workflow fails if bleu is below 0.7.\n")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("p.json", '{"version":1,"version":1}', "p.json: not JSON"),
        ("p.json", "version: 1", "p.json: not JSON"),
        ("p.yaml", "version: 1\nversion: 1\n", 'p.yaml: not YAML: line 2, column 1: found duplicate key "version"'),
        ("p.yaml", "version: [1\n", "p.yaml: not YAML: line 2"),
        ("p.yaml", "version: 1\nrules: &a [*a]\n", "p.yaml: nested too deeply"),
        ("p.yaml", "[" * 2000, "p.yaml: nested too deeply"),
        ("p.yaml", "a: 1\n---\nb: 2\n", "p.yaml: not YAML"),
        ("p.yaml", "version: !!python/object:os.system 1", "p.yaml: not YAML"),
        (
            "p.yaml",
            "version: 1\nrules: [{name: r, primary: {metric: a, below: .nan}, action: fail}]",
            "a finite number",
        ),
        ("p.yaml", "version: 1\nrules: [{name: r, primary: {metric: a, below: '.7'}, action: fail}]", "without quotes"),
        ("p.yaml", "version: 1\nrules: [{name: r, primary: {metric: a, bellow: 1}, action: fail}]", "mean 'below'"),
        ("p.yaml", "1: 2\n", "the policy: unknown key 1"),
        ("p.yaml", "", "the policy: expected an object, got null"),
        ("p.toml", "version = 1\nversion = 1\n", "p.toml: not TOML: Cannot overwrite a value"),
        ("p.toml", "version 1\n", "p.toml: not TOML: Expected '='"),
        ("p.toml", "version = 1979-05-27\n", "policies of version 1, not '1979-05-27'"),
        ("p.toml", "version = 1\nrules = []\n", "the policy has no rules, so it could not fail anything"),
        ("p", "\x00\x01", "p: not YAML"),
        ("p", "{nothing", "p: not JSON"),
    ],
)
def test_a_policy_file_with_a_fault_is_told_in_one_line(
    run: Run, tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text)
    done = run("wf-gate", "--policy", name, stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1), done.stderr.decode()
    assert words in done.stderr.decode()


def test_bytes_that_are_no_utf_8_are_no_policy(run: Run, tmp_path: Path) -> None:
    for name in ("p.yaml", "p.toml", "p.json"):
        (tmp_path / name).write_bytes(b"version = \xff")
        done = run("wf-gate", "--policy", name, cwd=tmp_path)
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr


def test_yaml_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.yaml").write_text("version: 1\n")
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(Unavailable, match=re.escape("pip install 'wfkit[formats]'")):
        read_configuration(str(tmp_path / "p.yaml"))


# --- rules on the set, coverage, repeats ------------------------------------------------------------------------------


def policy_file(folder: Path, **fields: Any) -> Path:
    path = folder / "policy.json"
    rule = {"name": "r", "primary": {"metric": "m", "below": 0.1}, "action": "fail"}
    path.write_text(json.dumps({"version": 1, "rules": [rule], **fields}))
    return path


MEAN = {"name": "average", "metric": "m", "statistic": "mean", "below": 0.8}


@pytest.mark.parametrize(
    ("rule", "scores", "code", "words"),
    [
        (MEAN, [0.7, 0.9], 0, "set rule pass: average: the mean of m is 0.800 >= 0.8 (2 values)"),
        (MEAN, [0.7, 0.8], 1, "set rule fail: average: the mean of m is 0.750 < 0.8 (2 values)"),
        ({**MEAN, "action": "review"}, [0.7], 0, "set rule review: average: the mean of m is 0.700 < 0.8 (1 value)"),
        ({**MEAN, "min_n": 3}, [0.9, 0.9], 4, "the mean of m is unmeasured: 2 scores, and at least 3 are asked for"),
        ({**MEAN, "metric": "n"}, [0.9], 4, "unmeasured: no record has the metric n; known are m"),
        (
            {**MEAN, "slice": {"golden.source": "asl"}},
            [0.9],
            4,
            "the mean of m over golden.source = asl is unmeasured: no workflow has golden.source = asl",
        ),
        (
            {"name": "all", "statistic": "pass_rate", "below": 1},
            [0.9, 0.05],
            1,
            "the share of workflows that pass is 0.500 < 1.0",
        ),
    ],
)
def test_rules_on_the_set_decide_with_their_statistic_named(
    run: Run, tmp_path: Path, rule: Record, scores: list[float], code: int, words: str
) -> None:
    policy = policy_file(tmp_path, set_rules=[rule])
    done = run(
        "wf-gate",
        "--policy",
        policy,
        stdin=lines(*(scored(f"p{number}", {"m": score}) for number, score in enumerate(scores))),
    )
    assert done.returncode == code, done.stderr.decode()
    assert words in done.stderr.decode()
    summary = records_of(done)[-1]
    assert summary["exit_code"] == code
    assert [one["name"] for one in summary["set_rules"]] == [rule["name"]]


def test_a_policy_of_set_rules_alone_passes_every_pair(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"version": 1, "set_rules": [MEAN]}))
    stdin = lines(scored("a", {"m": 0.5}), scored("b", {"m": 1.0}))
    done = run("wf-gate", "--policy", tmp_path / "p.json", stdin=stdin)
    assert done.returncode == 1
    assert [one["verdict"]["status"] for one in records_of(done)[:-1]] == ["pass", "pass"]


@pytest.mark.parametrize("records", [[], [ERROR]], ids=["nothing", "only an error"])
def test_rules_on_the_set_of_nothing_pass_nothing(run: Run, tmp_path: Path, records: list[Record]) -> None:
    policy = policy_file(tmp_path, set_rules=[MEAN], coverage=0, repeats="all")
    done = run("wf-gate", "--policy", policy, stdin=lines(*records))
    assert done.returncode == (3 if records else 4)
    assert records_of(done)[-1]["set_rules"][0]["status"] == "unmeasured"


def test_a_coverage_floor_tolerates_what_is_missing_and_says_so(run: Run, tmp_path: Path, goldens: Path) -> None:
    for floor, code in ((0.5, 0), (0.6, 4)):
        policy = policy_file(tmp_path, coverage=floor)
        done = run("wf-gate", "--policy", policy, "--expect", goldens, stdin=lines(scored("a", {"m": 0.9})))
        assert done.returncode == code
        assert records_of(done)[-1]["coverage"]["share"] == 0.5
        assert b"coverage: 1 of 2 workflows are measured, 0.5 " in done.stderr


@pytest.mark.parametrize(
    ("repeats", "code"),
    [(None, 1), ("all", 1), ("any", 0), ("mean", 0), ({"rule": "k_of_n", "k": 2}, 0), ({"rule": "k_of_n", "k": 4}, 4)],
)
def test_repeats_of_one_golden(run: Run, tmp_path: Path, repeats: Any, code: int) -> None:
    """One of three repeats fails (0.05 < 0.1); their mean is 0.65."""
    policy = policy_file(tmp_path, repeats=repeats)
    pairs = [scored(f"a{number}", {"m": score}, golden="a") for number, score in enumerate((0.9, 0.05, 1.0))]
    done = run("wf-gate", "--policy", policy, stdin=lines(*pairs))
    assert done.returncode == code, done.stderr
    *judged, summary = records_of(done)
    assert [one["verdict"]["status"] for one in judged] == ["pass", "fail", "pass"]
    assert summary["status"]["fail"] == 1
    assert summary.get("goldens", {}).get("groups") == (None if repeats is None else 1)


def test_of_several_goldens_the_best_counts(run: Run) -> None:
    pairs = [
        {**scored(f"c@{golden}", scores, golden=golden), "group": "tea", "candidate": workflow("c")}
        for golden, scores in (("g1", FAILING), ("g2", GOOD))
    ]
    done = run("wf-gate", stdin=lines(*pairs))
    assert done.returncode == 0
    assert b"of several goldens the best counts: 1 candidate: 1 pass" in done.stderr
    assert run("wf-gate", stdin=lines(pairs[0])).returncode == 1


# --- baseline ---------------------------------------------------------------------------------------------------------


def signed(record_id: str, score: float | None, version: int = 1, **fields: Any) -> Record:
    return {**scored(record_id, {"bleu": score}), "signatures": {"bleu": f"wfkit={version}"}, **fields}


def many(score: float, count: int = 10) -> list[Record]:
    return [signed(f"g{number}", score) for number in range(count)]


@pytest.fixture
def blessed(run: Run, tmp_path: Path) -> Path:
    """A baseline of ten goldens with bleu 0.9, and beside it a policy that looks at bleu."""
    (tmp_path / "policy.json").write_text(OWN_POLICY % ("r", "0.5"))
    baseline = tmp_path / "baseline.jsonl"
    done = run("wf-gate", "-q", "--policy", tmp_path / "policy.json", "--bless", baseline, stdin=lines(*many(0.9)))
    assert done.returncode == 0
    assert len(baseline.read_bytes().splitlines()) == 10
    return baseline


@pytest.mark.parametrize(
    ("now", "options", "code", "words"),
    [
        (many(0.9), (), 0, "baseline: mean bleu is as before, 0.9000"),
        (many(0.95), (), 0, "baseline: mean bleu rose by 0.0500, from 0.9000 to 0.9500"),
        (
            many(0.89),
            (),
            0,
            "dropped by 0.0100, from 0.9000 to 0.8900, 95 % interval of the drop 0.0100 to 0.0100: within",
        ),
        (many(0.8), (), 1, "dropped by 0.1000, from 0.9000 to 0.8000"),
        (many(0.8), ("--max-drop", "0.2"), 0, "within the 0.2 allowed"),
        (many(0.89), ("--max-drop", "0"), 1, "more than the 0 allowed"),
        (many(0.9, 9), (), 4, "baseline: 1 of its workflows is missing from this run: g9"),
        ([*many(0.9, 9), signed("g9", None)], (), 4, "1 score of the baseline cannot be measured now: g9"),
        ([*many(0.9), signed("new", 0.6)], (), 0, "baseline: 1 golden of this run is not in it"),
        ([*many(0.9, 9), signed("g9", 0.6)], (), 0, "more than the 0.02 allowed, but not outside noise"),
    ],
)
def test_a_drop_since_the_baseline(
    run: Run, tmp_path: Path, blessed: Path, now: list[Record], options: Sequence[str], code: int, words: str
) -> None:
    command = ("wf-gate", "--policy", tmp_path / "policy.json", "--baseline", blessed, *options)
    done = run(*command, stdin=lines(*now))
    assert done.returncode == code, done.stderr.decode()
    assert words in done.stderr.decode()
    summary = records_of(done)[-1]
    assert summary["baseline"]["file"] == str(blessed)
    assert bool(summary["reasons"]) == (code != 0)
    again = run(*command, stdin=lines(*now))
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)


def test_scored_and_judged_pairs_are_baselines_too(run: Run, tmp_path: Path, blessed: Path) -> None:
    judged = run("wf-gate", "-q", "--policy", tmp_path / "policy.json", stdin=lines(*many(0.9), ERROR))
    (tmp_path / "verdicts.jsonl").write_bytes(judged.stdout)
    command = ("wf-gate", "-q", "--policy", tmp_path / "policy.json", "--baseline")
    for baseline in (blessed, tmp_path / "verdicts.jsonl"):
        assert run(*command, baseline, stdin=lines(*many(0.9))).returncode == 0
        assert run(*command, baseline, stdin=lines(*many(0.8))).returncode == 1


def test_a_baseline_of_another_metric_version_is_refused_and_both_are_named(
    run: Run, tmp_path: Path, blessed: Path
) -> None:
    output = tmp_path / "verdicts.jsonl"
    done = run(
        "wf-gate", "--policy", tmp_path / "policy.json", "--baseline", blessed, "-o", output,
        stdin=lines(signed("g0", 0.9, version=2)),
    )  # fmt: skip
    assert (done.returncode, output.exists()) == (2, False)
    assert b"was measured as wfkit=1, and in this run as wfkit=2 (record 'g0'); they differ in wfkit" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no scored pair: there is nothing to compare with"),
        ("not JSON\n", "old.jsonl:1: not JSON"),
        ("[1]\n", "old.jsonl:1: expected baseline records or scored pairs"),
        ('{"kind":"workflow","id":"a"}\n', "old.jsonl:1: expected baseline records or scored pairs"),
        ('{"kind":"baseline","id":"a"}\n', 'old.jsonl:1: $: "golden" is a required property'),
        ('{"kind":"baseline","id":"a","golden":"a","scores":{"bleu":"0.9"}}\n', "old.jsonl:1: $.scores.bleu"),
        (json.dumps(ERROR) + "\n", "holds no scored pair: there is nothing to compare with"),
        (None, "cannot read old.jsonl: No such file or directory"),
    ],
)
def test_a_baseline_that_is_none(run: Run, tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "old.jsonl").write_text(text)
    done = run("wf-gate", "--baseline", "old.jsonl", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    assert words in done.stderr.decode()


@pytest.mark.parametrize(
    ("record", "code"), [(scored("a", FAILING), 1), (scored("a", UNMEASURED), 4), (ERROR, 3)], ids=["1", "4", "3"]
)
def test_only_a_run_that_passes_becomes_the_baseline(run: Run, tmp_path: Path, record: Record, code: int) -> None:
    baseline = tmp_path / "baseline.jsonl"
    baseline.write_text("the old one")
    done = run("wf-gate", "-q", "--bless", baseline, stdin=lines(scored("b", GOOD), record))
    assert (done.returncode, baseline.read_text()) == (code, "the old one")
    assert b"baseline.jsonl is not written: only a run that passes can be blessed" in done.stderr


def test_a_run_may_be_compared_with_the_baseline_that_it_replaces(run: Run, tmp_path: Path, blessed: Path) -> None:
    command = ("wf-gate", "-q", "--policy", tmp_path / "policy.json", "--baseline", blessed, "--bless", blessed)
    assert run(*command, stdin=lines(*many(0.95))).returncode == 0
    assert {json.loads(line)["scores"]["bleu"] for line in blessed.read_bytes().splitlines()} == {0.95}
    assert [path.name for path in tmp_path.glob("*.partial")] == []


def test_a_baseline_that_cannot_be_written_does_not_hide_the_answer(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "no such folder" / "baseline.jsonl"
    done = run("wf-gate", "-q", "--bless", place, stdin=lines(scored("a", GOOD)))
    assert done.returncode == 2
    assert records_of(done)[-1]["result"] == "pass"
    assert b"cannot write" in done.stderr
    done = run("wf-gate", "--bless", "-", stdin=lines(scored("a", GOOD)))
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--max-drop", "0.1"), b"--max-drop needs --baseline FILE"),
        (("--today", "2026-01-31"), b"--today needs --waivers FILE"),
        (("--max-drop", "-1"), b"is not in the range x>=0"),
        (("--max-drop", "nan"), b"nan is no number"),
        (("--max-drop", "inf"), b"--max-drop inf would let every drop pass"),
    ],
)
def test_options_that_mean_nothing_by_themselves(run: Run, options: Sequence[str], words: bytes) -> None:
    done = run("wf-gate", *options, stdin=lines(scored("a", GOOD)))
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


# --- waivers ----------------------------------------------------------------------------------------------------------

WAIVERS = {
    "waivers.jsonl": '{"golden":"a","rule":"*","reason":"on purpose","expires":"2026-12-31"}\n',
    "waivers.json": '[{"golden":"a","rule":"*","reason":"on purpose","expires":"2026-12-31"}]',
    "waivers.yaml": "- {golden: a, rule: '*', reason: on purpose, expires: 2026-12-31}\n",
    "waivers.toml": '[[waivers]]\ngolden = "a"\nrule = "*"\nreason = "on purpose"\nexpires = 2026-12-31\n',
}


@pytest.mark.parametrize("name", sorted(WAIVERS))
@pytest.mark.parametrize("named", [True, False], ids=["by name", "by content"])
def test_one_line_waives_a_failure_until_its_day(run: Run, tmp_path: Path, name: str, named: bool) -> None:
    path = tmp_path / (name if named else "waivers")
    path.write_text(WAIVERS[name])
    stdin = lines(scored("a", FAILING), scored("b", GOOD))
    for today, code in (("2026-12-31", 0), ("2027-01-01", 1)):
        done = run("wf-gate", "--waivers", path, "--today", today, stdin=stdin)
        assert done.returncode == code, done.stderr.decode()
        verdict, summary = records_of(done)[0]["verdict"], records_of(done)[-1]
        assert verdict["status"] == ("fail" if code else "waived")
        assert len(verdict["breaches"]) == 2
        kind, count = ("expired", 0) if code else ("used", 1)
        assert [one["reason"] for one in summary["waivers"][kind]] == ["on purpose"]
        assert summary["status"]["waived"] == count
    assert b"waiver expired on 2026-12-31 and was not applied: a, every rule: on purpose" in done.stderr


def test_an_unused_waiver_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text("- {golden: b, rule: missing_steps, reason: why, expires: 2026-12-31}\n")
    done = run("wf-gate", "--waivers", tmp_path / "w.yaml", "--today", "2026-01-01", stdin=lines(scored("a", GOOD)))
    assert done.returncode == 0
    assert b"waiver not used, as its golden does not break the rule: b, missing_steps: why" in done.stderr
    assert len(records_of(done)[-1]["waivers"]["unused"]) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- {golden: a, rule: missing_steps, expires: 2026-12-31}", "w.yaml: waiver 1: 'reason' is missing"),
        ("- {golden: a, rule: missing_steps, reason: '', expires: 2026-12-31}", "w.yaml: waiver 1.reason: is empty"),
        ("- {golden: a, rule: missing_steps, reason: b}", "w.yaml: waiver 1: 'expires' is missing"),
        (
            "- {golden: a, rule: missing_steps, reason: b, expires: soon}",
            "expected a day such as 2026-01-31, got 'soon'",
        ),
        ("- {golden: a, rule: mising_steps, reason: b, expires: 2026-12-31}", "did you mean 'missing_steps'?"),
        ("golden: a", "w.yaml: waiver 1: 'rule' is missing"),
        ("waver: []", "w.yaml: the waivers: unknown key 'waver'; did you mean 'waivers'?"),
        ("- [", "w.yaml: not YAML"),
    ],
)
def test_waivers_with_a_fault_are_refused(run: Run, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "w.yaml").write_text(text)
    done = run("wf-gate", "--waivers", "w.yaml", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1), done.stderr
    assert words in done.stderr.decode()


def test_the_policy_in_words_with_what_the_options_add(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(WAIVERS["waivers.yaml"])
    done = run(
        "wf-gate", "--explain-policy", "--fail-on", "review", "--baseline", "old.jsonl", "--waivers", "w.yaml",
        "--today", "2026-01-01", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[-3:] == [
        "A workflow that goes to review makes the run fail.",
        "Since old.jsonl no mean may drop by more than 0.02, unless that is within noise.",
        "Until 2026-12-31 it is accepted that a breaks any rule: on purpose",
    ]


def test_a_day_that_is_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text("[]")
    done = run("wf-gate", "--waivers", "w.yaml", "--today", "tomorrow", stdin=b"", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--today: expected a day such as 2026-01-31, got 'tomorrow'" in done.stderr


def test_a_waived_failure_passes_under_the_pass_rate_and_may_be_blessed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(WAIVERS["waivers.yaml"].replace("2026-12-31", "9999-12-31"))
    rate = {"name": "all", "statistic": "pass_rate", "below": 1}
    policy = policy_file(tmp_path, set_rules=[rate])
    done = run(
        "wf-gate", "--policy", policy, "--waivers", tmp_path / "w.yaml", "--bless", tmp_path / "new.jsonl",
        stdin=lines(scored("a", {"m": 0.05})),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "new.jsonl").read_text())["scores"] == {"m": 0.05}
