"""Sentence encoders: known models, where they are, how texts become vectors and where vectors are kept."""
