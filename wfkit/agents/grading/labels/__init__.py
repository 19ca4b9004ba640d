"""Awareness and behaviour: what an agent noticed of a damaged input, and what it did at the first visible error."""
