"""The metrics: a class each, found by name through `wfkit.registry`."""
