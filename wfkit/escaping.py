"""How a character that must not reach a terminal is shown."""


def escaped(character: str) -> str:
    """``\\x1b``, ``\\u202e`` or ``\\U000e0001``, by the size of its code."""
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
