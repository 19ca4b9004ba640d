"""Where files that can be made again are kept on this machine."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """``$XDG_CACHE_HOME/wfkit``, by default ``~/.cache/wfkit``; it need not exist yet."""
    return _base() / "wfkit"


def models_directory() -> Path:
    """The folder that holds one folder for every fetched model; it need not exist yet."""
    return cache_directory() / "models"


def hub_directory() -> Path:
    """The model hub's own cache, found by the variables that its library reads; it need not exist."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    home = os.environ.get("HF_HOME")
    return (Path(home).expanduser() if home else _base() / "huggingface") / "hub"


def _base() -> Path:
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification says that a relative path is to be ignored.
    return configured if configured.is_absolute() else Path.home() / ".cache"
