"""The syntax verifier, the negative control: it accepts every pair of objects that differ, whatever they mean."""

from wfkit.agents.pairing.candidate import SEMANTIC_CHECKS, Candidate, Check, Checks


class SyntaxVerifier:
    """Looks at nothing but whether there is a difference."""

    name = "syntax"

    def verify(self, candidate: Candidate) -> Checks:
        """Pass, unless both sides are the same."""
        if not candidate.differences:
            return dict.fromkeys(SEMANTIC_CHECKS, Check("fail", "clean and perturbed are identical"))
        return dict.fromkeys(SEMANTIC_CHECKS, Check("pass", "valid JSON; the meaning was not looked at"))
