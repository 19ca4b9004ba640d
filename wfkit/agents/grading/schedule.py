"""The order of episodes: a shuffle that depends on the seed and on each episode alone."""

import hashlib
from collections.abc import Iterable

from wfkit.agents.grading.plan import Slot


def shuffled(slots: Iterable[Slot], seed: int) -> list[Slot]:
    """The episodes in the order of their seeded digests.

    An actor that counts cannot tell clean from perturbed sides by it, and what is left after a kill keeps its order.
    """
    return sorted(slots, key=lambda slot: hashlib.sha256(f"{seed}\0{slot.run_id}".encode()).digest())
