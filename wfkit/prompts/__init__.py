"""The prompts, as versioned text files. A change of wording is a new file: ``judge-2.txt`` beside ``judge-1.txt``.

Each file begins with a comment that says where it comes from, ended by a line of three dashes. A place to be filled in
is a name in double braces.
"""

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with places to be filled in.

    Attributes:
        name: the file's name without its ending, such as ``judge-1``.
        text: what is sent.
        digest: the first eight hexadecimal digits of the text's SHA-256.
    """

    name: str
    text: str
    digest: str

    @property
    def signature(self) -> str:
        """Name and digest, so that no two wordings are ever taken for one: ``judge-1@5f3a…``."""
        return f"{self.name}@{self.digest}"

    def filled(self, **values: str) -> str:
        """The text with every place filled in, in one pass: what looks like a place inside a value stays.

        Raises:
            KeyError: a place has no value.
        """
        return _PLACE.sub(lambda place: values[place[1]], self.text)


@cache
def load(name: str) -> Prompt:
    """Read a prompt of this package by its name, such as ``judge-1``."""
    whole = (files(__name__) / f"{name}.txt").read_text(encoding="utf-8")
    _, _, text = whole.partition("\n---\n")
    text = text.strip()
    return Prompt(name, text, sha256(text.encode()).hexdigest()[:8])
