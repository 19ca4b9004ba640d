"""The fields by whose values pairs are told apart: in reports, and where a sample is drawn from each stratum."""

from collections.abc import Mapping
from typing import Any


def field_of(pair: Mapping[str, Any], name: str) -> str:
    """A field of the perturbation, else of the golden, else of the pair, as text; empty where there is none."""
    for place in (pair.get("perturbation") or {}, pair["golden"], pair):
        if place.get(name) is not None:
            return str(place[name])
    return ""
