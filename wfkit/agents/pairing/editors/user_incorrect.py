"""user/incorrect: a value of the request becomes another one of its shape, where the true one stands elsewhere."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place
from wfkit.agents.pairing.editors.changed_value import changed_value, values_told_elsewhere
from wfkit.agents.pairing.view import View


def places(view: View) -> list[Place]:
    """Values that the reference passes and that context, procedure or a tool's output still tell."""
    if not view.literals:
        raise Inapplicable("no reference tells which values matter")
    found = values_told_elsewhere(view, "user")
    if not found:
        raise Inapplicable("no value of the request that the reference uses is told by another source as well")
    return found


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Change the value wherever the request says it."""
    return changed_value(view, "user", place, chance, by="context")
