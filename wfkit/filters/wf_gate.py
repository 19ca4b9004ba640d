"""wf-gate: decide which candidates are still equivalent to their goldens; the exit code is the answer."""

from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from wfkit import __version__, exit_codes
from wfkit.errors import UsageProblem
from wfkit.filters.gate_reports import Reports, report_options
from wfkit.filters.options import NumberRange
from wfkit.skeleton import Told, fold_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.gate.decision import FailOn
    from wfkit.gate.policy import Require
    from wfkit.jsonl import Record

EXAMPLES = """
# the default policy is Table 1 of the paper
wf-gate scored.jsonl > verdicts.jsonl

# your own policy; a golden that never came, or a stream cut in the middle, is noticed
wf-gate --policy policy.yaml --expect goldens.jsonl scored.jsonl > verdicts.jsonl

# no worse than the last approved run, which was blessed
wf-gate --bless baseline.jsonl approved.jsonl > verdicts.jsonl
wf-gate --baseline baseline.jsonl scored.jsonl > verdicts.jsonl

# failures that were accepted, each with its reason and until its day
wf-gate --waivers waivers.yaml scored.jsonl > verdicts.jsonl

# reports for a CI server and for people, written whatever the answer is
wf-gate --junit gate.xml --markdown summary.md --html gate.html --sarif gate.sarif scored.jsonl > verdicts.jsonl

# what a policy means, in words
wf-gate --policy policy.yaml --explain-policy
"""


@fold_filter("wf-gate", writes="pair", awaits="scored pair records", examples=EXAMPLES)
@click.option(
    "--policy", "policy_file", metavar="FILE",
    help="The rules, in JSON, YAML or TOML.  [default: Table 1 of the paper]",
)  # fmt: skip
@click.option(
    "--require", type=click.Choice(["primary", "both", "either"]),
    help="Which thresholds of a rule must be broken; overrides the policy.",
)  # fmt: skip
@click.option("--expect", metavar="FILE", help="Goldens; those that never come are missing (exit code 4).")
@click.option(
    "--fail-on", type=click.Choice(["fail", "review"]), default="fail", show_default=True,
    help="The mildest verdict that makes the exit code 1.",
)  # fmt: skip
@click.option("--baseline", metavar="FILE", help="The last approved run: a file of --bless, or scored pairs.")
@click.option(
    "--max-drop", type=NumberRange(0), metavar="DROP",
    help="How far a mean may drop since the baseline; a larger drop fails if it is outside noise.  [default: 0.02]",
)  # fmt: skip
@click.option("--bless", metavar="FILE", help="Write the scores as the new baseline, if the gate passes.")
@click.option(
    "--waivers", "waivers_file", metavar="FILE",
    help="Accepted failures: golden, rule, reason and expires of each, in JSON lines, YAML or TOML.",
)  # fmt: skip
@click.option("--today", metavar="DAY", help="The day by which waivers expire.  [default: the clock's, in UTC]")
@click.option("--explain-policy", is_flag=True, help="Say the policy in words and exit.")
@report_options
def main(
    policy_file: str | None,
    require: "Require | None",
    expect: str | None,
    fail_on: "FailOn",
    baseline: str | None,
    max_drop: float | None,
    bless: str | None,
    waivers_file: str | None,
    today: str | None,
    explain_policy: bool,
    **report_files: str | None,
) -> "Stage":
    """Gate scored pairs by a policy: pass, review, fail, or unmeasured, which is never a pass.

    Reads pairs from wf-score. Writes each with its verdict, then one summary record with the answer of the whole run
    and its reasons; a short table on stderr says which workflows failed and why.
    """
    from wfkit import jsonl
    from wfkit.engine import Ending, Stage
    from wfkit.filters import gate_options
    from wfkit.gate.baseline import MAX_DROP
    from wfkit.gate.policy import with_require
    from wfkit.gate.policy_words import explain
    from wfkit.gate.run import Run
    from wfkit.streams import tell

    policy = gate_options.read_policy(policy_file)
    if require is not None:
        policy = with_require(policy, require)
    if max_drop is not None and not isfinite(max_drop):
        raise UsageProblem(f"--max-drop {max_drop:g} would let every drop pass: give a finite number")
    if max_drop is not None and baseline is None:
        raise UsageProblem("--max-drop needs --baseline FILE")
    if today is not None and waivers_file is None:
        raise UsageProblem("--today needs --waivers FILE")
    allowed = MAX_DROP if max_drop is None else max_drop
    waivers = gate_options.read_waivers(waivers_file, policy, today) if waivers_file is not None else None
    if explain_policy:
        raise Told([*explain(policy), *gate_options.explain_options(fail_on, baseline, allowed, waivers)])
    reports = Reports(**report_files)
    run = Run(
        policy,
        fail_on,
        waivers=waivers,
        baseline=gate_options.read_baseline(baseline, policy) if baseline is not None else None,
        max_drop=allowed,
        expectation=gate_options.read_expectation(expect, reports.expect) if expect is not None else None,
    )
    blessing = gate_options.Blessing(bless) if bless is not None else None

    def step(record: "Record") -> "Record":
        verdict = run.judge(record)
        if blessing is not None:
            blessing.add(record)
        judged = {**record, "verdict": verdict}
        reports.add(judged)
        return judged

    def collect(error: Any) -> None:
        if error is not None:
            run.saw_error({"id": jsonl.id_of(error)})
            reports.add_error(error)

    def finish() -> "Ending":
        conclusion = run.finish()
        codes = {conclusion.exit_code}
        complaints = list(reports.write(conclusion, policy, fail_on=fail_on, policy_file=policy_file))
        if blessing is not None:
            complaints += blessing.write(passed=conclusion.exit_code == exit_codes.OK)
        for complaint in complaints:
            tell(f"wf-gate: {complaint}")
            if exit_codes.NO not in codes:  # the answer stands
                codes.add(exit_codes.USAGE)
        summary = {"kind": "summary", "filter": "wf-gate", "version": __version__, **conclusion.summary}
        return Ending(records=[summary], codes=codes, report=conclusion.lines, summary=conclusion.summary)

    return Stage(
        reads=("pair",),
        writes=("pair", "summary"),
        step=step,
        adds=("verdict",),
        note=lambda record: record if record["kind"] == "error" else None,
        collect=collect,
        finish=finish,
        read=reports.read if reports.wanted else None,
    )


build = main.build

if __name__ == "__main__":
    main()
