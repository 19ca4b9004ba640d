"""context/incorrect: a remembered value is wrong in what was said earlier, where the true one stands elsewhere."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place
from wfkit.agents.pairing.editors.changed_value import changed_value, values_told_elsewhere
from wfkit.agents.pairing.view import View


def places(view: View) -> list[Place]:
    """Values in texts of user and assistant that a tool's output, the request or the procedure still tell."""
    found = values_told_elsewhere(view, "context")
    if not found:
        raise Inapplicable("no remembered value that the reference uses is told by another source as well")
    return found


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Change the value in every text of the context that says it."""
    return changed_value(view, "context", place, chance, by="tool")
