"""What a check leaves behind: a name, whether it holds, and what was expected and found."""

from typing import Any

Check = dict[str, Any]


def check(name: str, expected: int, actual: int, message: str | None = None) -> Check:
    """A check that holds where what was found is what was expected; the message is for when it does not."""
    result: Check = {"name": name, "ok": actual == expected, "expected": expected, "actual": actual}
    if message is not None and not result["ok"]:
        result["message"] = message
    return result


def warning(name: str, expected: int, actual: int, message: str | None = None) -> Check:
    """A check that does not make the record invalid where it fails."""
    return check(name, expected, actual, message) | {"level": "warning"}


def is_valid(checks: list[Check]) -> bool:
    """Whether every check holds that is not a mere warning."""
    return all(found["ok"] or found.get("level") == "warning" for found in checks)


def quoted(texts: list[str]) -> str:
    """The first three texts for a message, each cut to 60 characters."""
    shown = [f"«{text if len(text) <= 60 else text[:59] + '…'}»" for text in texts[:3]]
    return ", ".join(shown) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
