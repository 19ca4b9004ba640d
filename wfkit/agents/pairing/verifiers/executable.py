"""Check 4: the perturbed instance can be given to an actor: tools with one name each, calls and answers in pairs."""

from collections import Counter

from wfkit.agents.pairing import contracts
from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.chat import chat_problem, messages_around
from wfkit.errors import DataError


def executable(candidate: Candidate) -> Check:
    """Decide on the form of the perturbed side."""
    try:
        elements = list(contracts.elements_of(candidate.perturbed, candidate.pointers.get("tools", ())))
        tools = contracts.tools_of(candidate.perturbed, candidate.pointers.get("tools", ()))
        chat = messages_around(candidate.perturbed, candidate.pointers)
    except DataError as error:
        return Check("fail", f"a surface is gone: {error}")
    if len(tools) < len(elements):
        return Check("fail", "an element of the list of tools has no name")
    names = Counter(tool.name for tool in tools)
    repeated = [name for name, count in names.items() if count > 1]
    if repeated:
        return Check("fail", f"two tools are called {repeated[0]}")
    if "tools" in candidate.pointers and not tools and elements_were_there(candidate):
        return Check("fail", "no tool is left")
    problem = chat_problem(chat)
    if problem is not None:
        return Check("fail", problem)
    return Check("pass", "tools and messages can be given to an actor")


def elements_were_there(candidate: Candidate) -> bool:
    """Whether the clean side shows a tool."""
    return bool(contracts.tools_of(candidate.clean, candidate.pointers["tools"]))
