"""Verifiers. None of them imports an editor or sees the explanation in the envelope."""
