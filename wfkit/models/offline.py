"""Keeps the model libraries quiet and off the network; to be called before they are imported."""

import os


def stay_offline() -> None:
    """Set what the libraries read when they are imported: the model is on this machine, no hub is to be asked."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
