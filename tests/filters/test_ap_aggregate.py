"""ap-aggregate as its user runs it: worked examples, every kind of bad input, forms, figures, the page, the gate."""

import csv
import io
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wfkit import schema

ROOT = Path(__file__).resolve().parents[2]
MADE_UP = ROOT / "examples" / "agents" / "made_up_runs.py"
# pair, task, clean, perturbed; None: the grader stopped
FIVE = [("p1", "t1", 1, 1), ("p2", "t2", 1, 0), ("p3", "t3", 0, 0), ("p4", "t4", 1, None), ("p5", "t5", None, 1)]
FEW = ("--replicates", "50")
FIGURE_COLUMNS = {"clean C", "perturbed P", "Δ", "Δ = C − P", "D", "D = Δ / C", "D [bounds]", "D \\[bounds\\]"}


def asked(pair, task="t1", family="user/missing", **more):
    target, type_ = family.split("/")
    record = {"kind": "ap_pair", "id": pair, "benchmark": "b", "task": task, "scale": "binary"}
    return record | {"target": target, "type": type_, "status": "accepted"} | more


def side(score, **more):
    return {"episode": None, "score": score, "status": "grader_error" if score is None else "graded"} | more


def graded(request, clean, perturbed, model="m", **more):
    record = {name: request[name] for name in ("benchmark", "task", "target", "type", "scale")}
    record |= {"kind": "ap_grade", "id": f"{request['id']}/{model}", "pair": request["id"], "model": model, "repeat": 0}
    return record | {"clean": side(clean), "perturbed": side(perturbed), "actor_failure": "unknown"} | more


def lines(records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def five():
    requests = [asked(pair, task) for pair, task, _, _ in FIVE]
    return requests, [graded(request, *row[2:]) for request, row in zip(requests, FIVE, strict=True)]


def records_of(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def overall(done):
    return next(record for record in records_of(done) if record["kind"] == "ap_aggregate")


@pytest.fixture
def aggregate(run, tmp_path):
    """Run ap-aggregate on requests and grades."""

    def call(requests, grades, *options, **more):
        (tmp_path / "requested.jsonl").write_bytes(lines(requests))
        stdin = grades if isinstance(grades, bytes) else lines(grades)
        arguments = ("--requested", tmp_path / "requested.jsonl", *FEW, *options)
        return run("ap-aggregate", *arguments, stdin=stdin, **more)

    return call


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """The files of the example."""
    folder = tmp_path_factory.mktemp("made_up")
    for what, name in (("requested", "requested.jsonl"), ("grades", "grades.jsonl"), ("capability", "capability.csv")):
        done = subprocess.run([sys.executable, MADE_UP, what], capture_output=True, check=True)
        (folder / name).write_bytes(done.stdout)
    return folder


def on_made_up(run, folder, *options):
    files = ("--requested", folder / "requested.jsonl", "--capability", folder / "capability.csv")
    return run("ap-aggregate", *files, "--replicates", "50", *options, folder / "grades.jsonl")


# The worked examples


def test_five_requests_and_a_sixth_without_a_record(aggregate):
    requests, grades = five()
    done = aggregate(requests, grades)
    record = overall(done)
    assert done.returncode == 0, done.stderr
    assert (record["scored"], record["coverage"], record["degradation"]) == (3, 3 / 5, 0.5)
    assert record["bounds"]["delta"] == [0, 0.4] and record["bounds"]["degradation"] == [0, 0.5]
    sixth = overall(aggregate([*requests, asked("p6", "t6")], grades))
    assert (sixth["scored"], sixth["coverage"], sixth["degradation"]) == (3, 3 / 6, 0.5)
    assert sixth["bounds"]["delta"] == [-1 / 6, 1 / 2] and sixth["bounds"]["degradation"] == [-1 / 3, 3 / 5]


def test_no_clean_success_has_no_degradation(aggregate):
    requests = [asked("p1", "t1"), asked("p2", "t2")]
    done = aggregate(requests, [graded(requests[0], 0, 0), graded(requests[1], 0, 1)], "--max-degradation", "0.9")
    record = overall(done)
    assert (record["delta"], record["degradation"], record["bounds"]["degradation"]) == (-0.5, None, [None, None])
    assert done.returncode == 4  # the gate: unmeasured is no pass
    assert b"unmeasured  b, m" in done.stderr


def test_the_printed_forms_of_the_worked_example(aggregate):
    """C 2/3 in [3/5, 4/5], D 1/2 in [0, 1/2], three of five scored."""
    table = aggregate(*five(), "--format", "table").stdout.decode()
    row = next(line for line in table.splitlines() if line.strip().startswith("all "))
    assert row.split() == [
        "all", "5", "3", "0.600", "0.667", "[0.600,", "0.800]", "0.333", "[0.400,", "0.600]", "0.333", "[0.000,",
        "0.400]", "0.500", "[0.000,", "0.500]",
    ]  # fmt: skip
    markdown = aggregate(*five(), "--format", "markdown").stdout.decode()
    assert "| all | 5 | 3 | 0.600 | 0.667 [0.600, 0.800] | 0.333 [0.400, 0.600] |" in markdown
    (first, *_) = csv.DictReader(io.StringIO(aggregate(*five(), "--format", "csv").stdout.decode()))
    expected = {"requested": "5", "scored": "3", "coverage": "0.6", "degradation": "0.5"}
    assert {name: first[name] for name in expected} == expected
    assert (first["degradation_bound_low"], first["degradation_bound_high"]) == ("0.0", "0.5")
    assert first["mcnemar_p"] == "1.0" and first["wilcoxon_p"] == ""


def test_two_scales_stand_in_two_tables(aggregate):
    rows = [("x", "unit", 0.6, 0.3), ("x", "unit", 0.4, 0.2), ("y", "binary", 1, 1), ("y", "binary", 1, 0)]
    requests = [asked(f"{row[0]}{n}", f"t{n}", benchmark=row[0], scale=row[1]) for n, row in enumerate(rows)]
    grades = [graded(request, *row[2:]) for request, row in zip(requests, rows, strict=True)]
    whole = [record for record in records_of(aggregate(requests, grades)) if list(record["group"]) == ["benchmark"]]
    figures = [(record["group"]["benchmark"], record["degradation"], record["delta"]) for record in whole]
    assert figures == [("x", 0.5, 0.25), ("y", 0.5, 0.5)]
    assert [record["pooled_across_benchmarks"] for record in whole] == [None, None]
    table = aggregate(requests, grades, "--format", "table").stdout.decode()
    assert "x: paired robustness" in table and "y: paired robustness" in table


# Bad input


@pytest.mark.parametrize("score", [1.2, -0.1, "nan", True, "1", 0.5], ids=repr)
@pytest.mark.parametrize("check", ["--check", "--no-check"])
def test_a_score_that_is_none_leaves_its_pair_unknown(aggregate, score, check):
    requests, grades = five()
    raw = lines([{**grades[0], "perturbed": {**grades[0]["perturbed"], "score": 12345}}, *grades[1:]])
    raw = raw.replace(b"12345", b"NaN" if score == "nan" else json.dumps(score).encode())
    done = aggregate(requests, raw, check)
    assert done.returncode == 3
    error, *rest = records_of(done)
    assert error["kind"] == "error" and error["id"] == "p1/m"
    assert rest[0]["scored"] == 2 and rest[0]["requested"] == 5
    assert any(note.startswith("1 error record in the input") for note in rest[0]["notes"])


@pytest.mark.parametrize("check", ["--check", "--no-check"])
@pytest.mark.parametrize("same_id", [True, False])
def test_of_one_pair_twice_neither_record_counts(aggregate, check, same_id):
    """The second says that p2 held; whichever came first, p2 is unknown, and what is lost is said."""
    requests, grades = five()
    second = graded(requests[1], 1, 1) | ({} if same_id else {"id": "other"})
    for order in ([*grades, second], [second, *grades]):
        done = aggregate(requests, order, check)
        assert done.returncode == 3
        codes = [record["code"] for record in records_of(done) if record["kind"] == "error"]
        assert codes == ["E-DUP-ID" if same_id else "E-DUPLICATE"]
        record = overall(done)
        assert (record["scored"], record["degradation"]) == (2, 0)
        # known: clean 1 + 0 + 1 and two unknown, perturbed 1 + 0 + 1 and two unknown
        assert record["bounds"]["degradation"] == [(2 - 4) / 2, (4 - 2) / 4]


def test_a_duplicate_too_long_to_be_kept_is_said_to_be_unattributed(aggregate):
    requests, grades = five()
    done = aggregate(requests, [*grades, grades[1] | {"padding": "x" * 70_000}])
    assert done.returncode == 3
    assert b"1 of them were too long to be kept, so that their pairs are not known" in done.stderr
    assert overall(done)["scored"] == 3


def test_a_pair_that_was_never_requested(aggregate):
    requests, grades = five()
    done = aggregate(requests[1:], grades)
    error, record = records_of(done)[:2]
    assert done.returncode == 3 and error["code"] == "E-UNREQUESTED" and b"p1 was never requested" in done.stderr
    assert (record["requested"], record["scored"]) == (4, 2)


def test_error_records_pass_and_keep_their_pairs_unknown(aggregate):
    requests, grades = five()
    error = {"kind": "error", "id": "p1/m", "filter": "ap-grade", "code": "E-X", "message": "m", "where": {}}
    done = aggregate(requests, [error | {"input": json.dumps(grades[0])}, *grades])
    assert [r["code"] for r in records_of(done) if r["kind"] == "error"] == ["E-X", "E-DUPLICATE"]
    assert done.returncode == 3
    assert overall(done)["scored"] == 2  # of a pair that an error record names no other record can be trusted
    table = aggregate(requests, [error | {"input": "not JSON"}, *grades], "--format", "table")
    assert table.returncode == 3 and b"1 error record in the input" in table.stdout and b'"kind"' not in table.stdout


@pytest.mark.parametrize("changed", [
    {"actor_failure": "zero"},
    {"digests": {"actor": None, "grader": "g2"}},
    {"digests": {"actor": "a2", "grader": None}},
    {"scale": "unit"},
])  # fmt: skip
def test_what_has_no_common_mean_is_refused(aggregate, changed):
    requests, grades = five()
    done = aggregate(requests, [grades[0], grades[1] | changed, *grades[2:]])
    assert (done.returncode, done.stdout) == (2, b"")
    assert any(word in done.stderr for word in (b"settings", b"digests", b"two scales"))


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([], b"the list of requests is empty"),
        ([asked("p1"), asked("p1")], b"has the pair p1 twice"),
        ([asked("p1"), asked("p2", scale="unit")], b"two scales"),
        ([asked("p1", status=None)], b"status should be a text"),
        ([asked("p1", family="user/lost")], b"type should be one of"),
        ([{"kind": "ap_grade", "id": "p1"}], b"holds ap_pair records"),
    ],
)
def test_a_list_of_requests_that_is_no_denominator(aggregate, requests, words):
    done = aggregate(requests, [])
    assert (done.returncode, done.stdout) == (2, b"") and words in done.stderr


def test_an_error_record_in_the_list_of_requests_is_said(aggregate):
    requests, grades = five()
    error = {"kind": "error", "filter": "ap-pair", "code": "E-X", "message": "m", "where": {}, "input": ""}
    done = aggregate([error, *requests], grades)
    assert done.returncode == 3 and b"1 error records in the list of requests: N lacks their pairs" in done.stderr


def test_without_the_list_of_requests_there_is_no_coverage(run):
    done = run("ap-aggregate", stdin=lines(five()[1]))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--requested FILE is missing: without the list of requests there is no coverage" in done.stderr


def test_empty_input(aggregate):
    done = aggregate(five()[0], b"")
    assert (done.returncode, done.stdout) == (4, b"") and b"othing to measure" in done.stderr
    named = aggregate(five()[0], b"", "--models", "m", "--max-degradation", "0.5")
    record = overall(named)
    assert named.returncode == 4 and b"unmeasured  b, m" in named.stderr
    assert (record["requested"], record["scored"], record["coverage"]) == (5, 0, 0)
    assert record["bounds"]["degradation"] == [None, 1]


def test_nothing_scored_in_a_cell_and_one_task_and_one_model(aggregate):
    requests = [asked("p1"), asked("p2", family="tools/incorrect", status="inapplicable")]
    missing = {"episode": None, "score": None, "status": "not_constructed"}
    done = aggregate(requests, [graded(requests[0], 1, 0), graded(requests[1], 1, None) | {"perturbed": missing}])
    assert done.returncode == 0
    cell = next(r for r in records_of(done) if r["group"] == {"benchmark": "b", "target": "tools", "type": "incorrect"})
    assert (cell["scored"], cell["degradation"], cell["coverage"], cell["constructed"]) == (0, None, 0, 0)
    assert cell["bounds"]["degradation"] == [0, 1]  # the clean side is known to be 1
    record = overall(done)
    assert record["ci"]["degradation"] is None and record["ci"]["too_few"] and record["tests"]["sign_flip"]["too_few"]


def test_a_lost_record_of_a_hundred_never_improves_the_worst_bound(aggregate):
    requests = [asked(f"p{n}", f"t{n}") for n in range(6)]
    chance = random.Random(0)
    grades = [graded(request, 1, chance.randrange(2), repeats=1) for request in requests]
    whole = overall(aggregate(requests, grades, "--models", "m"))["bounds"]["degradation"][1]
    for lost in range(len(grades)):
        left = overall(aggregate(requests, grades[:lost] + grades[lost + 1 :], "--models", "m"))
        assert left["bounds"]["degradation"][1] >= whole


# The gate


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--max-degradation", "0.5"), 0),  # D is 0.5 on the common set: equal passes
        (("--max-degradation", "0.49"), 1),
        (("--max-degradation", "0.5", "--worst-bound", "--models", "m", "--repeats", "1"), 1),  # at worst 0.6
        (("--max-degradation", "0.6", "--worst-bound", "--models", "m", "--repeats", "1"), 0),
        (("--max-degradation", "0.6", "--worst-bound", "--models", "m,lost", "--repeats", "1"), 1),
        (("--min-coverage", "0.5"), 0),  # three of six
        (("--min-coverage", "0.51"), 1),
        (("--max-degradation", "0.5", "--min-coverage", "0.51"), 1),
    ],
)
def test_gate(aggregate, options, code):
    requests, grades = five()
    done = aggregate([*requests, asked("p6", "t6")], grades, *options)
    assert done.returncode == code, done.stderr
    assert (b"fail  b, " if code else b"pass  b, m") in done.stderr


def test_a_failed_gate_outranks_bad_records_and_they_outrank_the_unmeasured(aggregate):
    requests, grades = five()
    bad = b'{"kind":"ap_grade"}\n'
    assert aggregate(requests, lines(grades) + bad, "--max-degradation", "0.1").returncode == 1
    assert aggregate(requests, lines(grades[3:]) + bad, "--max-degradation", "0.1").returncode == 3
    assert aggregate(requests, lines(grades[3:]), "--max-degradation", "0.1").returncode == 4


def test_the_worst_bound_must_know_what_should_have_come(aggregate):
    requests, grades = five()
    for options, words in (((), b"name all models"), (("--models", "m"), b"how often each pair was run")):
        done = aggregate(requests, grades, "--max-degradation", "0.9", "--worst-bound", *options)
        assert (done.returncode, done.stdout) == (2, b"") and words in done.stderr
    told = [grade | {"repeats": 1} for grade in grades]
    options = ("--max-degradation", "0.9", "--worst-bound", "--models", "m")
    assert aggregate(requests, told, *options).returncode == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--worst-bound",), b"needs --max-degradation"),
        (("--by", "model"), b"without being named"),
        (("--capability", "absent.csv"), b"cannot read absent.csv"),
        (("--label-set", "absent.json"), b"cannot read absent.json"),
        (("--success", "0"), b"--success"),
        (("--level", "1"), b"--level"),
        (("--plot", "/dev/null/x"), b"cannot make the directory"),
        (("--requested", "absent.jsonl"), b"cannot read absent.jsonl"),
    ],
)
def test_wrong_options(aggregate, tmp_path, options, words):
    done = aggregate(*five(), *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"") and words in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model,score,source,date\nm,abc,s,d\n", b"should be a number"),
        ("model,score,source,date\nother,1,s,d\n", b"unknown model other"),
        ("model,score,source\nm,1,s\n", b"without date"),
        ("model,score,source,date\nm,1,s,d\nm,2,s,d\n", b"two capabilities"),
        ("", b"is empty"),
        ('{"model": "m", "score": NaN}\n', b"capability:1"),
        ('{"model": "m", "score": true, "source": "s", "date": "d"}\n', b"should be a number"),
    ],
)
def test_a_capability_that_is_none(aggregate, tmp_path, text, words):
    (tmp_path / "capability").write_text(text)
    done = aggregate(*five(), "--capability", tmp_path / "capability")
    assert (done.returncode, done.stdout) == (2, b"") and words in done.stderr, done.stderr


def test_capability_as_csv_or_jsonl_is_the_same(aggregate, tmp_path):
    (tmp_path / "c.csv").write_text("\ufeffmodel,score,source,date\nm,1.5,s,d\n")
    (tmp_path / "c.jsonl").write_text('{"model": "m", "score": 1.5, "source": "s", "date": "d"}\n')
    first, second = (aggregate(*five(), "--capability", tmp_path / name).stdout for name in ("c.csv", "c.jsonl"))
    assert first == second and b'"capability":' in first


def test_an_own_label_set(aggregate, tmp_path):
    (tmp_path / "labels.json").write_text('{"awareness": ["none", "some"], "behaviour": ["went on"]}')
    requests, grades = five()
    grades[1]["labels"] = [{"annotator": "a", "awareness": "some", "behaviour": "stopped"}]
    labels = overall(aggregate(requests, grades, "--label-set", tmp_path / "labels.json"))["labels"]
    said = labels["annotators"][0]
    assert [label["label"] for label in said["awareness"]["labels"]] == ["none", "some"]
    assert said["behaviour"]["not_in_label_set"] == ["stopped"]
    (tmp_path / "labels.json").write_text("[]")
    assert aggregate(requests, grades, "--label-set", tmp_path / "labels.json").returncode == 2


# Forms


@pytest.mark.parametrize("form", ["jsonl", "table", "markdown", "csv"])
def test_neither_the_order_nor_the_cut_into_files_changes_a_byte(run, made_up, tmp_path, form):
    grades = (made_up / "grades.jsonl").read_bytes().splitlines(keepends=True)
    shuffled = random.Random(1).sample(grades, len(grades))
    files = [tmp_path / "a", tmp_path / "b"]
    for file, part in zip(files, (shuffled[:300], shuffled[300:]), strict=True):
        file.write_bytes(b"".join(part))
    options = (
        "--requested",
        made_up / "requested.jsonl",
        "--replicates",
        "20",
        "--format",
        form,
        "--by",
        "edit.operation",
    )
    whole = run("ap-aggregate", *options, made_up / "grades.jsonl")
    parts = run("ap-aggregate", *options, *files)
    assert (whole.returncode, whole.stdout, whole.stderr) == (0, parts.stdout, parts.stderr)
    assert whole.stdout


def test_records_fit_their_schema_and_cover_every_group(run, made_up):
    done = on_made_up(run, made_up, "--by", "edit.operation")
    records = records_of(done)
    for record in records:
        schema.checker("ap_aggregate")(record)
    groups = [tuple(record["group"])[1:] for record in records]
    assert [groups.count(one) for one in ((), ("model",), ("target",), ("type",), ("target", "type"))] == [
        1,
        5,
        4,
        3,
        12,
    ]
    assert groups.count(("edit.operation",)) == 7  # three on tools, three on texts, and none
    whole = records[0]
    assert whole["requested"] == 5 * 24 * 12
    assert len(whole["cross_family"]["pairs"]) == 66
    assert whole["cross_family"]["groups"]["same_target"]["pairs"] == 12
    assert whole["capability"]["items"] == 5
    assert whole["sensitive_only"]["insensitive_tasks"] == 2


def test_no_figure_on_the_common_set_is_printed_without_coverage_and_bounds(run, made_up):
    """A table with a column C, P, Δ or D has coverage, and every cell of the column has bounds."""
    text = on_made_up(run, made_up, "--format", "markdown").stdout.decode()
    seen = 0
    for part in text.split("### ")[1:]:
        table = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        if not table:
            continue
        header, _, *rows = table
        figures = [n for n, name in enumerate(header) if name in FIGURE_COLUMNS]
        if figures:
            assert "coverage" in header, header
            bare = [row[n] for row in rows for n in figures if row[n].strip() and "[" not in row[n]]
            assert bare == [], header
            seen += 1
    assert seen == 4  # effects, other denominators, capability, edits of tools


def test_every_table_has_rows_of_one_width(run, made_up):
    text = on_made_up(run, made_up, "--format", "markdown").stdout.decode()
    assert text.count("### made") >= 13
    for part in text.split("### ")[1:]:
        widths = {line.count(" | ") for line in part.splitlines() if line.startswith("|")}
        assert len(widths) <= 1, part.splitlines()[0]


def test_hostile_names_are_harmless_in_every_form(aggregate, tmp_path):
    name = "<script>alert(1)</script>\u202e\x1b[31m|`"
    requests = [asked(f"p{n}", f"t{n}", benchmark=name, edit={"operation": name}, target="tools") for n in range(2)]
    grades = [
        graded(request, 1, 0, model=name, labels=[{"annotator": name, "awareness": name}]) for request in requests
    ]
    for form in ("table", "markdown"):
        text = aggregate(requests, grades, "--format", form).stdout
        assert b"\x1b" not in text and "\u202e".encode() not in text
        assert form == "table" or b"<script" not in text
    done = aggregate(requests, grades, "--html", tmp_path / "page.html", "--plot", tmp_path / "figures")
    page = (tmp_path / "page.html").read_text()
    assert done.returncode == 0 and "<script" not in page and "&lt;script&gt;" in page and "\x1b" not in page
    assert all(path.parent == tmp_path / "figures" for path in (tmp_path / "figures").iterdir())


# Figures and the page


def test_figures_are_drawn_and_equal_every_time(run, made_up, tmp_path):
    for folder in ("one", "two"):
        assert on_made_up(run, made_up, "--plot", tmp_path / folder).returncode == 0
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    kinds = ("capability", "cells", "cost-ratios", "families", "marginals", "models")
    assert names == [f"made_up_errands-{kind}.{form}" for kind in kinds for form in ("png", "svg")]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_figures_of_next_to_nothing(aggregate, tmp_path):
    done = aggregate(five()[0], b"", "--models", "m", "--plot", tmp_path / "figures", "--html", tmp_path / "page.html")
    assert done.returncode == 4
    drawn = sorted(path.stem for path in (tmp_path / "figures").glob("*.svg"))
    assert drawn == ["b-cells", "b-marginals", "b-models"]
    assert "no pair is scored on both sides" in (tmp_path / "page.html").read_text()


def test_the_page_needs_nothing_else(run, made_up, tmp_path):
    pages = []
    for name in ("one.html", "two.html"):
        options = ("--html", tmp_path / name, "--max-degradation", "0.3")
        assert on_made_up(run, made_up, *options).returncode == 1
        pages.append((tmp_path / name).read_text())
    page = pages[0]
    assert page == pages[1]
    assert "http:" not in page and "https:" not in page and "<script" not in page and "url(" not in page
    assert "default-src 'none'" in page and "prefers-color-scheme: dark" in page
    assert "made_up_errands · ash" in page and "coverage" in page and page.count("<details>") >= 13


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(run, made_up, tmp_path, width):
    """Nothing sticks out at the sides, whatever the width, and no mark lies outside its track."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not here")
    on_made_up(run, made_up, "--html", tmp_path / "page.html")
    probe = """<script>onload = () => {
      const page = document.querySelector("iframe").contentDocument, root = page.documentElement;
      const marks = [...page.querySelectorAll(".mark")].filter(mark => {
        const own = mark.getBoundingClientRect(), track = mark.parentElement.getBoundingClientRect();
        return own.left < track.left - 8 || own.right > track.right + 8;
      });
      document.title = [root.scrollWidth, page.querySelectorAll(".mark").length, marks.length].join(" ");
    }</script>"""
    frame = f'<iframe src="page.html" style="width:{width}px;height:900px;border:0"></iframe>'
    (tmp_path / "frame.html").write_text(f"<!doctype html><title></title><body>{frame}{probe}")
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / "frame.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    title = done.stdout.partition("<title>")[2].partition("</title>")[0]
    needed, marks, outside = map(int, title.split())
    assert needed <= width and marks > 30 and outside == 0


def test_no_numeric_library_before_the_records_are_read(tmp_path):
    (tmp_path / "requested.jsonl").write_bytes(lines(five()[0]))
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from wfkit.filters.ap_aggregate import main
given = main.make_context("ap-aggregate", ["--requested", sys.argv[1]]).params
common = ("files", "output", "on_error", "check", "summary", "progress", "quiet")
main.build(**{{name: value for name, value in given.items() if name not in common}})
assert not {{"numpy", "matplotlib", "jinja2"}}.intersection(sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "requested.jsonl"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
