"""The rule verifier: decides what can be decided without a model, and says unverified to the rest."""

from wfkit.agents.pairing.candidate import Candidate, Check, Checks
from wfkit.agents.pairing.verifiers.executable import executable
from wfkit.agents.pairing.verifiers.facts import Facts
from wfkit.agents.pairing.verifiers.goal import goal_preserved
from wfkit.agents.pairing.verifiers.single_target import single_target
from wfkit.agents.pairing.verifiers.solvable import solvable


class RuleVerifier:
    """Four checks of a candidate against the clean instance, its reference and the recovery."""

    name = "rules"

    def __init__(self) -> None:
        self._facts: Facts | None = None  # of the latest instance, whose families come one after the other

    def verify(self, candidate: Candidate) -> Checks:
        """The four checks; where the edit is not isolated or cannot be run, the others are not looked at."""
        form = executable(candidate)
        isolated = single_target(candidate)
        if form.result == "fail" or isolated.result == "fail":
            because = "not looked at: " + (isolated.note if isolated.result == "fail" else form.note)
            goal = Check("unverified", because)
            if isolated.result != "fail" or candidate.foreign:
                goal = goal_preserved(candidate, self._of(candidate))
            return {
                "single_target": isolated,
                "goal_preserved": goal,
                "solvable": Check("unverified", because),
                "executable": form,
            }
        facts = self._of(candidate)
        return {
            "single_target": isolated,
            "goal_preserved": goal_preserved(candidate, facts),
            "solvable": solvable(candidate, facts),
            "executable": form,
        }

    def _of(self, candidate: Candidate) -> Facts:
        facts = self._facts
        if facts is None or facts.public is not candidate.clean or facts.private is not candidate.private:
            facts = self._facts = Facts(candidate)
        return facts
