"""What the tests share: running a filter as its user would, and the corpus of real workflow files."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"

# A shell starts what runs in its background with the interrupt ignored, and nohup with the hang-up, which our processes
# would inherit and respect.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real workflow files; the tests that read it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real workflow files is not here")
    return CORPUS


@pytest.fixture(scope="session")
def encoder_is_there() -> None:
    """The real encoder is on this machine, fetched if need be; only where that fails too are its tests skipped."""
    from wfkit.errors import Unavailable
    from wfkit.models.fetch import fetch
    from wfkit.models.locate import locate
    from wfkit.models.manifest import DEFAULT_MODEL

    try:
        locate()
    except Unavailable:
        try:
            fetch(DEFAULT_MODEL, progress=print)
        except Unavailable as error:
            pytest.skip(f"the encoder is not here and cannot be fetched: {error}")


@pytest.fixture
def run() -> Run:
    """Run an executable of bin/ in a process of its own, with bytes on standard input."""

    def run_bin(
        name: str,
        *arguments: str | Path,
        stdin: bytes = b"",
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, str(ROOT / "bin" / name), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            timeout=120,
            check=False,
        )

    return run_bin
