"""From a generator's answer to a candidate that keeps the golden's step ids, fields and texts where they survived."""

from wfkit import workflow
from wfkit.errors import DataError
from wfkit.formats import worf
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.finish import finish
from wfkit.perturb.base import Perturbed, Record, fresh_id
from wfkit.perturb.matching import match_by_text
from wfkit.validation.content import merged_into
from wfkit.workflow import Workflow


def read_variant(text: str, golden: Record, type_name: str) -> Perturbed:
    """Read the workflow in an answer, whatever stands around it.

    The model numbers its steps anew; here a step that is still there gets its golden record back, a reworded one the
    golden's id, and a merged one the id and the fields of its first part.

    Raises:
        DataError: there is no workflow in the answer, or none that can be read (a cycle, an edge to nowhere).
    """
    read = _read(text)
    shown = _read(worf.write(golden))
    if type_name == "description_changes" and len(read.steps) == len(golden["nodes"]):
        records, edits = _reworded(golden, shown, read)
    else:
        place = dict(match_by_text(shown.texts, read.texts))
        homes = {}
        if type_name == "compressed_steps":
            kept = set(place.values())
            merged = [step for step in range(len(read.steps)) if step not in kept]
            homes = merged_into(shown, read, place, merged)
        records = _placed(golden, read, place, homes)
        edits = _edits(golden, records, place, homes)
    edges = [[records[source]["id"], records[target]["id"]] for source, target in read.edges]
    return Perturbed(records, edges, edits)


def _read(text: str) -> Workflow:
    drafts = worf.parse(Source(text=text), ParseOptions())
    options = ParseOptions(strict=True)
    return workflow.from_record(finish(drafts[0], options))


def _reworded(golden: Record, shown: Workflow, read: Workflow) -> tuple[list[Record], list[Record]]:
    """The n-th step is the golden's n-th, in other words or in the same."""
    records, edits = [], []
    for node, before, now in zip(golden["nodes"], shown.texts, read.texts, strict=True):
        records.append(node if now == before else {**node, "text": now})
        if now != before:
            edits.append({"op": "reword", "nodes": [node["id"]]})
    return records, edits


def _placed(golden: Record, read: Workflow, place: dict[int, int], homes: dict[int, int]) -> list[Record]:
    """The step records of the answer, in its order."""
    nodes: list[Record] = golden["nodes"]
    records: dict[int, Record] = {there: nodes[step] for step, there in place.items()}
    for step, home in sorted(homes.items()):
        text = read.steps[home].text
        records[home] = {**nodes[step], **records.get(home, {}), "text": text}
    taken = {node["id"] for node in nodes}
    for place_in_answer, text in enumerate(read.texts):
        if place_in_answer not in records:
            new_id = fresh_id(f"new-{place_in_answer + 1}", taken)
            records[place_in_answer] = {"id": new_id, "text": text}
            taken.add(new_id)
    return [records[place_in_answer] for place_in_answer in range(len(read.steps))]


def _edits(golden: Record, records: list[Record], place: dict[int, int], homes: dict[int, int]) -> list[Record]:
    name = [node["id"] for node in golden["nodes"]]
    edits = []
    for home in sorted(set(homes.values())):
        parts = [name[step] for step, there in sorted(homes.items()) if there == home]
        edits.append({"op": "merge", "nodes": parts, "into": records[home]["id"]})
    gone = [step for step in range(len(name)) if step not in place and step not in homes]
    return edits + [{"op": "remove", "nodes": [name[step]]} for step in gone]


def paraphrase_in(text: str) -> str:
    """The one line of a paraphrased step, without the quotes and labels that models put around it.

    Raises:
        DataError: the answer has several lines, or none.
    """
    lines = [line.strip() for line in text.strip().strip("`").splitlines() if line.strip()]
    if len(lines) != 1:
        raise DataError(f"expected one line, got {len(lines)}", code="E-PARAPHRASE")
    line = lines[0].removeprefix("Paraphrased:").removeprefix("Step:").strip()
    for opening, closing in ('""', "“”"):
        if len(line) > 1 and line.startswith(opening) and line.endswith(closing):
            line = line[1:-1].strip()
    if not line:
        raise DataError("expected a text, got none", code="E-PARAPHRASE")
    return line
