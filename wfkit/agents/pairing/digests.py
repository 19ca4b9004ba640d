"""Opaque names and the chance of an edit, all of them digests of what they stand for."""

import hashlib
import random

LENGTH = 24


def digest(*parts: str | int) -> str:
    """24 hexadecimal digits that tell nothing of the parts to a reader."""
    return _sha256(parts).hex()[:LENGTH]


def pair_id(instance: str, family: str, repeat: int, seed: int) -> str:
    """The id of an `ap_pair` record."""
    return digest("pair", instance, family, repeat, seed)


def clean_id(instance: str, seed: int) -> str:
    """The name of the clean side, the same for all families of an instance."""
    return digest("side", instance, seed)


def perturbed_id(instance: str, family: str, repeat: int, seed: int) -> str:
    """The name of a perturbed side, which nobody can tell from that of a clean one."""
    return digest("side", instance, seed, family, repeat)


def chance_of(seed: int, instance: str, family: str, attempt: int) -> random.Random:
    """The only chance of an attempt; it depends on nothing but these four."""
    return random.Random(int.from_bytes(_sha256((seed, instance, family, attempt))))


def _sha256(parts: tuple[str | int, ...]) -> bytes:
    return hashlib.sha256(repr(parts).encode("utf-8")).digest()
