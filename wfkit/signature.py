"""Signatures: one short string per score that says how it was measured: ``wfkit=1|enc=NAME@78c0197b|align=0.8``.

Scores of different signatures are not comparable, so the folding filters refuse to mix them.
"""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError, UsageProblem

UNSIGNED = "none"
"""Shown for a score that carries no signature, as the metrics of a foreign program may."""


def format_signature(parts: Mapping[str, str | int | float]) -> str:
    """Join parts to a signature in the given order: ``{"wfkit": 1, "align": 0.8}`` gives ``wfkit=1|align=0.8``.

    Raises:
        ValueError: a key or value is empty or holds ``|``, a key holds ``=``, or one has a control character.
    """
    pieces = []
    for key, value in parts.items():
        text = str(value)
        if not key or not text or "=" in key or "|" in key + text or not (key + text).isprintable():
            raise ValueError(f"not fit for a signature: {key!r}={text!r}")
        pieces.append(f"{key}={text}")
    return "|".join(pieces)


def parse_signature(signature: str) -> dict[str, str]:
    """The parts of a signature in order. A piece without ``=``, as foreign programs may write, has an empty value."""
    parts = {}
    for piece in signature.split("|"):
        key, _, value = piece.partition("=")
        parts[key] = value
    return parts


def differing_parts(first: str, second: str) -> list[str]:
    """The keys in which two signatures differ, those of ``first`` before those only ``second`` has."""
    left, right = parse_signature(first), parse_signature(second)
    return [key for key in [*left, *(key for key in right if key not in left)] if left.get(key) != right.get(key)]


def difference_in_words(first: str | None, second: str | None) -> str:
    """Where two signatures differ, as the end of a sentence; nothing to say where one is unsigned."""
    return "" if first is None or second is None else f"; they differ in {', '.join(differing_parts(first, second))}"


class SignatureGuard:
    """Watches a stream of scored records and refuses a second signature for any metric.

    Only scores that are there count: a null has no signature to compare. A score without a signature does not mix
    with signed scores of the same metric.
    """

    def __init__(self) -> None:
        self._signatures: dict[str, str | None] = {}
        self._first_ids: dict[str, str] = {}

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every signed metric met so far."""
        return {metric: signature for metric, signature in self._signatures.items() if signature is not None}

    @property
    def first_met(self) -> dict[str, tuple[str | None, str]]:
        """For every metric met so far its signature, None for unsigned, and the id of the first record with it."""
        return {metric: (signature, self._first_ids[metric]) for metric, signature in self._signatures.items()}

    def check(self, record: Mapping[str, Any]) -> None:
        """Compare the signatures of one record's scores with those met before.

        Raises:
            UsageProblem: a metric comes with a second signature; the message names both and where they were met.
            DataError: a signature is no text.
        """
        signatures = record.get("signatures") or {}
        known = self._signatures
        for metric, value in (record.get("scores") or {}).items():
            if value is not None:
                signature = signatures.get(metric)
                if known.get(metric, ...) != signature:
                    if not isinstance(signature, str | None):
                        raise DataError(
                            f"the signature of {metric} is no text", code="E-SCHEMA", path=f"$.signatures.{metric}"
                        )
                    self.admit(metric, signature, str(record.get("id")))

    def admit(self, metric: str, signature: str | None, record_id: str) -> None:
        """Compare how one metric was measured with how it was before.

        Raises:
            UsageProblem: as `check` does.
        """
        if self._signatures.get(metric, False) == signature:
            return
        if metric not in self._signatures:
            self._signatures[metric] = signature
            self._first_ids[metric] = record_id
            return
        first = self._signatures[metric]
        raise UsageProblem(
            f"{metric} was measured in two ways, which are not comparable: "
            f"{first or UNSIGNED} (record {self._first_ids[metric]!r}) and "
            f"{signature or UNSIGNED} (record {record_id!r}){difference_in_words(first, signature)}"
        )
