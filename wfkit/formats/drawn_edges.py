"""What every writer of diagrams draws between the steps of a workflow record."""

from collections.abc import Iterator, Mapping
from typing import Any

from wfkit.errors import DataError


def drawn_edges(record: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (from, to, label) for each line of the diagram: one for each label of an edge, or one without a label.

    Raises:
        DataError: ``E-NO-NODES`` for a workflow without steps.
    """
    if not record["nodes"]:
        raise DataError("a workflow without steps has no diagram", code="E-NO-NODES")
    labels: dict[tuple[str, str], list[str]] = {}
    for source, target, attributes in record.get("meta", {}).get("edge_attrs", []):
        if attributes.get("label"):
            labels.setdefault((source, target), []).append(str(attributes["label"]))
    for source, target in record["edges"]:
        for label in labels.get((source, target), [""]):
            yield source, target, label
