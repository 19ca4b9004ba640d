"""Added steps: N plausible steps of other workflows come in between."""

import math

from wfkit.perturb.base import Inapplicable, Perturbed, Record, Request, fresh_id
from wfkit.perturb.donors import DonorStep
from wfkit.perturb.insertion import insert
from wfkit.perturb.words import content_words, wording

_DRAWN_FOR_EACH = 50


def apply(request: Request) -> Perturbed | Inapplicable:
    """Insert ``count`` steps of the donors, none worded like one of the golden's, each at a random place."""
    foreign = _plausible(request)
    if len(foreign) < request.count:
        return Inapplicable(
            f"the donors have {len(foreign)} steps that the workflow lacks, {request.count} are asked for"
        )
    nodes, edges = list(request.nodes), request.edges_by_id()
    taken = {node["id"] for node in nodes}
    edits = []
    for number, step in enumerate(foreign, start=1):
        node: Record = {"id": fresh_id(f"added-{number}", taken), "text": step.text}
        if step.tool:
            node["tool"] = step.tool
        taken.add(node["id"])
        insert(nodes, edges, request.chance.randint(0, len(nodes)), node)
        edits.append({"op": "add", "nodes": [node["id"]]})
    return Perturbed(nodes, edges, edits)


def _plausible(request: Request) -> list[DonorStep]:
    """``count`` donor steps, or fewer where there are no more: of some drawn by chance those nearest to the golden.

    Nearest are those of the golden's own source, and of them those that share most with it, rare words counting more
    than words that many steps have.
    """
    pool = request.donors.steps
    own = {wording(text) for text in request.workflow.texts}
    vocabulary = frozenset[str]().union(*map(content_words, request.workflow.texts))
    # At most len(own) of those drawn can be the golden's own.
    drawn = request.chance.sample(range(len(pool)), min(len(pool), _DRAWN_FOR_EACH * request.count + len(own)))
    foreign = [pool[number] for number in drawn if wording(pool[number].text) not in own]
    frequency = request.donors.frequency
    source = request.golden.get("source") or ""

    def distance(step: DonorStep) -> tuple[bool, float]:
        # fsum is exact, whatever the order in which a set gives its words.
        shared = math.fsum(1 / frequency[word] for word in step.content & vocabulary)
        return step.source != source, -shared

    foreign.sort(key=distance)
    return foreign[: request.count]
