"""wf-gate: decide which candidates are still equivalent to their goldens; the exit code is the answer."""

from typing import TYPE_CHECKING, Any

import click

from wfkit import __version__, exit_codes
from wfkit.errors import UsageProblem
from wfkit.filters.gate_reports import Reports, report_options
from wfkit.filters.options import read_json
from wfkit.filters.reading import open_side_input
from wfkit.skeleton import Told, fold_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.gate.expectation import Expectation
    from wfkit.gate.policy import Policy, Require
    from wfkit.gate.tally import FailOn
    from wfkit.jsonl import Record

EXAMPLES = """
# the default policy is Table 1 of the paper
wf-gate scored.jsonl > verdicts.jsonl

# your own policy; a golden that never came, or a stream cut in the middle, is noticed
wf-gate --policy policy.json --expect goldens.jsonl scored.jsonl > verdicts.jsonl

# what a policy means, in words
wf-gate --policy policy.json --explain-policy
"""


@fold_filter("wf-gate", writes="pair", awaits="scored pair records", examples=EXAMPLES)
@click.option("--policy", "policy_file", metavar="FILE", help="The rules, in JSON.  [default: Table 1 of the paper]")
@click.option(
    "--require", type=click.Choice(["primary", "both", "either"]),
    help="Which thresholds of a rule must be broken; overrides the policy.",
)  # fmt: skip
@click.option("--expect", metavar="FILE", help="Goldens; those that never come are missing (exit code 4).")
@click.option(
    "--fail-on", type=click.Choice(["fail", "review"]), default="fail", show_default=True,
    help="The mildest verdict that makes the exit code 1.",
)  # fmt: skip
@click.option("--explain-policy", is_flag=True, help="Say the policy in words and exit.")
@report_options
def main(
    policy_file: str | None,
    require: "Require | None",
    expect: str | None,
    fail_on: "FailOn",
    explain_policy: bool,
    **report_files: str | None,
) -> "Stage":
    """Gate scored pairs by a policy: pass, review, fail, or unmeasured, which is never a pass.

    Reads pairs from wf-score. Writes each with its verdict, then one summary record; a short table on stderr says
    which workflows failed and why.
    """
    from wfkit import jsonl
    from wfkit.engine import Ending, Stage
    from wfkit.gate.policy import with_require
    from wfkit.gate.policy_words import explain
    from wfkit.gate.table import WorstRows, table_lines
    from wfkit.gate.tally import Tally, outcome, summarise
    from wfkit.gate.verdict import judge
    from wfkit.signature import SignatureGuard
    from wfkit.streams import tell

    policy = _policy(policy_file)
    if require is not None:
        policy = with_require(policy, require)
    if explain_policy:
        raise Told(explain(policy))
    reports = Reports(**report_files)
    expectation = _expectation(expect, reports) if expect is not None else None
    tally, worst, guard = Tally(), WorstRows(), SignatureGuard()

    def step(record: "Record") -> "Record":
        guard.check(record)
        verdict = judge(record, policy)
        tally.add(record, verdict)
        worst.add(record, verdict)
        if expectation is not None:
            expectation.saw_pair(record)
        judged = {**record, "verdict": verdict}
        reports.add(judged)
        return judged

    def collect(error: Any) -> None:
        if error is not None:
            tally.add_error()
            reports.add_error(error)
            if expectation is not None:
                expectation.saw_error({"id": jsonl.id_of(error)})

    def finish() -> "Ending":
        if expectation is not None:
            tally.missing = len(expectation.missing())
        rules = [rule.name for rule in policy.rules]
        counts = summarise(tally, rules, guard.signatures, expectation)
        summary = {"kind": "summary", "filter": "wf-gate", "version": __version__, **counts}
        codes = {outcome(tally, fail_on)}
        for complaint in reports.write(counts, policy, fail_on=fail_on, policy_file=policy_file):
            tell(f"wf-gate: {complaint}")
            if exit_codes.NO not in codes:  # the answer stands
                codes.add(exit_codes.USAGE)
        return Ending(
            records=[summary],
            codes=codes,
            report=table_lines(worst, tally, expectation),
            summary=counts,
        )

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


def _policy(name: str | None) -> "Policy":
    from wfkit.gate.policy import DEFAULT_POLICY, load_policy

    return load_policy(DEFAULT_POLICY if name is None else read_json(name))


def _expectation(name: str, reports: Reports) -> "Expectation":
    """The ids of the expected goldens: workflow records, or pairs, which stand for their golden."""
    from wfkit import jsonl, streams
    from wfkit.errors import DataError
    from wfkit.gate.expectation import Expectation

    ids = []
    for batch in streams.read_batches(open_side_input([name], "wf-gate", "goldens"), jsonl.MAX_LINE_BYTES):
        for line in batch:
            try:
                record = jsonl.loads(line.raw)
                ids.append(record["golden"]["id"] if record["kind"] == "pair" else record["id"])
                reports.expect(ids[-1], line.file, line.number)
            except (DataError, KeyError, TypeError) as error:
                reason = error if isinstance(error, DataError) else "not a workflow record with an id"
                raise UsageProblem(f"{line.file}:{line.number}: {reason}") from None
    if not ids:
        raise UsageProblem(f"{name} holds no golden: there is nothing to expect")
    return Expectation(ids)


build = main.build

if __name__ == "__main__":
    main()
