"""The files beside the stream of ap-pair: candidates made elsewhere, and the task lines for runs made elsewhere."""

from typing import TYPE_CHECKING, Any

from wfkit.agents.families import FAMILIES
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.reading import open_side_input

if TYPE_CHECKING:
    from wfkit.jsonl import Record


def read_candidates(name: str) -> "dict[tuple[str, str], list[Record]]":
    """The edits of a file by instance and family, in its order."""
    from wfkit import jsonl, streams

    found: dict[tuple[str, str], list[Record]] = {}
    inputs = open_side_input([name], "ap-pair", "candidates")
    for batch in streams.read_batches(inputs, jsonl.MAX_LINE_BYTES):
        for line in batch:
            try:
                instance, family, record = _candidate(jsonl.loads(line.raw))
            except DataError as error:
                raise UsageProblem(f"{line.file}:{line.number}: {error}") from None
            found.setdefault((instance, family), []).append(record)
    if not found:
        raise UsageProblem(f"{name} holds no candidate")
    return found


def _candidate(record: Any) -> "tuple[str, str, Record]":
    from wfkit import schema

    if not isinstance(record, dict) or record.get("kind") != "ap_pair" or not isinstance(record.get("instance"), str):
        raise DataError("a candidate is an ap_pair record that names its instance")
    family = f"{record.get('target')}/{record.get('type')}"
    if family not in FAMILIES:
        raise DataError(f"{family} is no family")
    # The envelope is not looked at here: a broken one is an attempt that failed, to be kept and counted.
    check = schema.checker_of_fields("ap_pair", ("edit", "recovery"))
    check({name: record[name] for name in ("edit", "recovery") if record.get(name) is not None})
    return record["instance"], family, record


class TaskLines:
    """The task lines of accepted pairs, spooled to disk and written in the order of their ids, which tells nothing."""

    def __init__(self, name: str) -> None:
        """Begin the spool.

        Raises:
            UsageProblem: the file is standard output, which carries the records.
        """
        import tempfile

        from wfkit import streams

        if streams.is_standard_output(name):
            raise UsageProblem(f"--public {name}: standard output carries the records; name a file")
        self._name = name
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, sides: "list[Record]") -> None:
        """Keep the sides of a pair; the clean side of an instance once."""
        from wfkit import jsonl

        for side in sides:
            if side["id"] not in self._places:
                line = jsonl.dumps({"kind": "task", "id": side["id"], "public": side["public"]}) + b"\n"
                self._places[side["id"]] = (self._spool.tell(), len(line))
                self._spool.write(line)

    def write(self) -> None:
        """Write the file.

        Raises:
            UsageProblem: the place cannot be written.
        """
        from wfkit import streams

        output = streams.OutputFile(self._name)
        try:
            for _, (start, size) in sorted(self._places.items()):
                self._spool.seek(start)
                streams.write_all(output.descriptor, self._spool.read(size))
            output.commit()
        finally:
            output.discard()
            self._spool.close()
