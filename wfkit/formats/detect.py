"""Which format a source is in."""

from collections.abc import Mapping

from wfkit.errors import DataError
from wfkit.formats.base import Format, Source
from wfkit.registry import find


def detect(source: Source, formats: Mapping[str, str]) -> str:
    """The one format that a source fits.

    Args:
        formats: format name to adapter module, as `wfkit.registry.FORMATS`.

    Raises:
        DataError: ``E-AMBIGUOUS`` names all that fit if more than one does; ``E-UNSUPPORTED`` if none does.
    """
    if isinstance(source.value, dict):
        kind = source.value.get("kind")
        if kind == "workflow" and "json" in formats:
            return "json"
        if kind in _OTHER_KINDS:
            raise DataError(f"expected workflow, got {kind}", code="E-UNSUPPORTED", path="$.kind")
    fitting = []
    for name in formats:
        adapter: Format = find(formats, name, "format")
        if adapter.detect(source):
            fitting.append(name)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise DataError(f"fits {' and '.join(fitting)}; choose one with --from", code="E-AMBIGUOUS")
    raise DataError(_nothing_fits(source), code="E-UNSUPPORTED")


# Kinds of record that belong elsewhere in the pipe; other formats use `kind` for their own purposes.
_OTHER_KINDS = ("pair", "policy", "summary", "sensitivity", "firing", "instance", "ap_pair", "ap_grade")


def _nothing_fits(source: Source) -> str:
    text = source.plain_text()
    if source.value is None and not (text or "").strip():
        return "there is nothing to read"
    return "no known format fits; name one of wf-parse --list with --from to see what it lacks"
