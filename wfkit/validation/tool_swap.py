"""Whether one step differs from another in the tool it uses and in nothing else."""

import re
from collections.abc import Mapping
from typing import Any

from wfkit.perturb.tools import tools_of, with_other_tool


def is_tool_swap(golden: Mapping[str, Any], candidate: Mapping[str, Any]) -> bool:
    """Whether the candidate's step is the golden's with one tool in place of another.

    A step with a ``tool`` field has another name there, and its text is the same or names the new tool where it named
    the old. A step without one has the name of another tool in its text instead of one that the golden's text names.
    """
    before, after = golden["text"], candidate["text"]
    old, new = golden.get("tool"), candidate.get("tool")
    if isinstance(old, str) and old.strip():
        swapped = isinstance(new, str) and bool(new.strip()) and new != old
        return swapped and after in (before, with_other_tool(before, old, str(new)))
    return new == old and any(_replaced_everywhere(before, after, name) for name in tools_of(golden))


def _replaced_everywhere(before: str, after: str, name: str) -> bool:
    """Whether ``after`` is ``before`` with some other name in place of ``name`` wherever it stood."""
    marked = with_other_tool(before, name, "\0")
    first, *others = (re.escape(part) for part in marked.split("\0"))
    if not others:
        return False
    found = re.fullmatch(f"{first}(?P<new>.+?){r'(?P=new)'.join(others)}", after, re.DOTALL)
    return found is not None and bool(found["new"].strip()) and found["new"] != name
