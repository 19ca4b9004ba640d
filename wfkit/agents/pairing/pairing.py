"""From one instance to one `ap_pair` record for each family asked for: propose, verify, try again, keep everything."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wfkit.agents.command import LineCommand
from wfkit.agents.pairing import digests
from wfkit.agents.pairing.candidate import CHECKS, Candidate, Check, Checks, Verifier
from wfkit.agents.pairing.edit import Inapplicable
from wfkit.agents.pairing.native.schemas import candidate_problem, native_problem
from wfkit.agents.pairing.native.sentinels import FULL, Scores, sentinel_scores
from wfkit.agents.pairing.proposals import Proposal, Proposer, Source
from wfkit.agents.pairing.verifiers.command import asked
from wfkit.agents.pairing.view import View

Record = dict[str, Any]


@dataclass(frozen=True)
class Pairing:
    """How pairs are made and decided on.

    Attributes:
        proposer: where candidates come from.
        verifier: who decides the four semantic checks; never the proposer.
        validator: a command that decides the native check beside the built-in one, or None.
        grader: a command that grades the sentinels, or None.
        seed: another seed edits other slots.
        attempts: how many candidates are tried for one pair.
        per_family: how many pairs are asked for, for each instance and family.
        accept_unverified: the checks that need not be decided.
    """

    proposer: Proposer
    verifier: Verifier
    validator: LineCommand | None
    grader: LineCommand | None
    seed: int
    attempts: int
    per_family: int
    accept_unverified: Sequence[str]

    def pairs(self, instance: Mapping[str, Any], families: Sequence[str]) -> Iterator[Record]:
        """One record for each family and repeat, in order, whatever becomes of it.

        Raises:
            DataError: the instance's own pointers are wrong.
        """
        view = View(instance)
        scores = sentinel_scores(self.grader, instance) if self.grader is not None else None
        fault = native_problem(view.public, view.pointers, view.dialect)
        base = self._base(view, scores)
        for family in families:
            try:
                if fault is not None:
                    raise Inapplicable(f"the clean instance itself is not valid: {fault}")
                check_surface(view, family)
                source: Source | None = self.proposer.source(view, family)
                reason = ""
            except Inapplicable as inapplicable:
                source, reason = None, str(inapplicable)
            for repeat in range(1, self.per_family + 1):
                head = self._head(base, family, repeat)
                if source is None:
                    yield _finished(head, status="inapplicable", reason=reason)
                else:
                    yield self._pair(head, view, family, repeat, source, scores)

    def _base(self, view: View, scores: Scores | None) -> Record:
        instance = view.instance
        tail: Record = {"pointers": {target: list(places) for target, places in view.pointers.items()}}
        tail |= {"dialect": view.dialect, "envelope": ...}
        if scores is not None:
            tail |= {"reference_score": scores.reference, "noop_score": scores.noop}
        return {
            "first": {name: instance[name] for name in ("benchmark", "task", "scale")},
            "clean": {"id": digests.clean_id(instance["id"], self.seed), "public": view.public},
            "tail": tail,
            "instance": instance,
        }

    def _head(self, base: Record, family: str, repeat: int) -> Record:
        """The record with everything that is known before a candidate is made.

        It has all keys in the order that the documentation shows, with ``...`` for those that it may not have in the
        end.
        """
        instance = base["instance"]
        target, _, type_ = family.partition("/")
        return {
            "kind": "ap_pair",
            "id": digests.pair_id(instance["id"], family, repeat, self.seed),
            "instance": instance["id"],
            **base["first"],
            "target": target,
            "type": type_,
            "repeat": repeat,
            "edit": ...,
            "status": ...,
            "reason": ...,
            "clean": base["clean"],
            "perturbed": None,
            **base["tail"],
            "checks": {},
            "recovery": None,
            "attempts": [],
            "seed": self.seed,
            "generator": self.proposer.name,
            "verifier": self.verifier.name,
            "private": instance["private"],
            "accepted_unverified": ...,
        }

    def _pair(
        self, head: Record, view: View, family: str, repeat: int, source: Source, scores: Scores | None
    ) -> Record:
        """The record of one request: up to ``attempts`` candidates, until one passes."""
        history: list[Record] = []
        reasons: list[str] = []
        latest: Record = {}
        side = digests.perturbed_id(view.instance["id"], family, repeat, self.seed)
        for _ in range(self.attempts):
            try:
                proposal = source.next(reasons)
            except Inapplicable as exhausted:
                if not history:
                    return _finished(head, status="inapplicable", reason=str(exhausted))
                break
            if proposal.perturbed is None:
                reasons.append(proposal.problem or "")
                history.append({"status": "invalid", "envelope": {"answer": proposal.envelope}, "reason": reasons[-1]})
                continue
            record = _with(head, proposal, {"id": side, "public": proposal.perturbed})
            checks = self._checks(record, view, proposal, scores)
            record["checks"] = {name: checks[name].as_record() for name in CHECKS}
            problem, waived = self._decision(checks)
            if problem is None:
                if waived:
                    record["accepted_unverified"] = waived
                return _finished(record, status="accepted", attempts=[*history, {"status": "accepted"}])
            reasons.append(problem)
            latest = record
            history.append(failed(record, problem))
        return _finished(latest or head, status="rejected", reason=reasons[-1], attempts=history)

    def _checks(self, record: Record, view: View, proposal: Proposal, scores: Scores | None) -> Checks:
        shown = _without_explanation(record)
        assert proposal.perturbed is not None
        candidate = Candidate(
            shown, view.public, proposal.perturbed, view.pointers, view.dialect, view.private, proposal.foreign
        )
        return {**self.verifier.verify(candidate), "native": self._native(candidate, scores)}

    def _native(self, candidate: Candidate, scores: Scores | None) -> Check:
        problem = candidate_problem(candidate)
        if problem is not None:
            return Check("fail", problem)
        if self.validator is not None:
            check = asked(self.validator, candidate.record, ("native",))["native"]
            if check.result != "pass":
                return check
        if scores is None:
            return Check("pass", "tools and messages are well formed")
        if scores.problem is not None:
            return Check("unverified", scores.problem)
        if scores.reference is None:
            return Check(
                "unverified", "there is no reference, so the native grader cannot tell that the task is solvable"
            )
        if scores.reference < FULL:
            return Check("fail", f"the reference itself scores {scores.reference:g} on the native grader")
        return Check("pass", "tools and messages are well formed; the reference succeeds on the native grader")

    def _decision(self, checks: Checks) -> tuple[str | None, list[str]]:
        """Why a candidate is not accepted, None if it is; and the unverified checks that were let through."""
        failed = [f"{name} fails: {checks[name].note}" for name in CHECKS if checks[name].result == "fail"]
        if failed:
            return failed[0], []
        unverified = [name for name in CHECKS if checks[name].result == "unverified"]
        kept_out = [name for name in unverified if name not in self.accept_unverified]
        if kept_out:
            return f"{kept_out[0]} is unverified: {checks[kept_out[0]].note}", []
        return None, unverified


def check_surface(view: View, family: str) -> None:
    """Refuse a family whose surface the instance does not have, or has nothing in."""
    target = family.partition("/")[0]
    if target not in view.pointers:
        raise Inapplicable(f"the instance has no {target} surface")
    if target == "tools":
        if not view.tools:
            raise Inapplicable("the instance shows no tools")
    elif family != "context/redundant" and not view.passages(target):
        raise Inapplicable(f"the {target} surface holds no text")


def _with(head: Record, proposal: Proposal, side: Record) -> Record:
    """The record of a candidate."""
    record = {**head, "perturbed": side, "recovery": proposal.recovery}
    if proposal.edit is not None:
        record["edit"] = proposal.edit
    if proposal.envelope is not None:
        record["envelope"] = proposal.envelope
    return record


def _filled(record: Record) -> Record:
    """The record without the places of what it does not have."""
    return {key: value for key, value in record.items() if value is not ...}


def _without_explanation(record: Record) -> Record:
    envelope = record["envelope"]
    if envelope is ...:
        return _filled(record)
    return _filled({**record, "envelope": {key: value for key, value in envelope.items() if key != "explanation"}})


def failed(record: Record, problem: str) -> Record:
    """The entry of a candidate that was not accepted."""
    told = {key: record.get(key) for key in ("edit", "envelope", "checks", "recovery")}
    kept = {key: value for key, value in told.items() if value is not None and value is not ...}
    return {"status": "rejected", **kept, "reason": problem}


def _finished(record: Record, *, status: str, reason: str | None = None, attempts: Sequence[Record] = ()) -> Record:
    finished = {**record, "status": status, "attempts": list(attempts)}
    if reason is not None:
        finished["reason"] = reason
    return _filled(finished)
