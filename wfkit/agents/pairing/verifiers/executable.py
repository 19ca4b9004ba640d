"""Check 4: the perturbed instance can be given to an actor: tools with one name each, calls and answers in pairs."""

from collections import Counter

from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.contracts import nameless
from wfkit.errors import DataError


def executable(candidate: Candidate) -> Check:
    """Decide on the form of the perturbed side."""
    try:
        problem = _tools_problem(candidate) if candidate.changes_tools else None
        problem = problem or candidate.chat_problem
    except DataError as error:
        problem = f"a surface is gone: {error}"
    return Check("fail", problem) if problem else Check("pass", "tools and messages can be given to an actor")


def _tools_problem(candidate: Candidate) -> str | None:
    """What is wrong with the list of tools, if something is."""
    if nameless(candidate.perturbed, candidate.pointers["tools"], candidate.tools):
        return "an element of the list of tools has no name"
    repeated = [name for name, count in Counter(tool.name for tool in candidate.tools).items() if count > 1]
    if repeated:
        return f"two tools are called {repeated[0]}"
    return None if candidate.tools else "no tool is left"
