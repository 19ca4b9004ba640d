"""What editor and verifier share when they are language models: the blocks as data, and how data is shown."""

import json
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def blocks() -> dict[str, Any]:
    """Every block of ``llm_blocks.toml``."""
    return tomllib.loads((files(__package__) / "llm_blocks.toml").read_text(encoding="utf-8"))


def shown(value: Any) -> str:
    """A value as JSON in which nothing can pass for a mark of the prompt or of a chat."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")
