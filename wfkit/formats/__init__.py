"""Readers and writers of workflow notations, one module each."""
