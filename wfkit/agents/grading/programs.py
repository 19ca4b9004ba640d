"""The programs of the user's: which they are, as digests, and what an actor may see of our environment."""

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from wfkit.errors import UsageProblem

# What a program needs to run at all, and what opens a model; nothing of it tells of the evaluation.
PASSED_ON = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "LANG", "LANGUAGE", "LC_*", "XDG_*_HOME",
    "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH", "LD_LIBRARY_PATH", "SSL_CERT_*", "*_proxy", "*_PROXY", "CUDA_*",
    "*_NUM_THREADS", "*_API_KEY", "*_AD_TOKEN", "*_BASE_URL", "*_API_VERSION", "*_ENDPOINT",
)  # fmt: skip
CHUNK_BYTES = 1 << 20


def actor_environment(ours: Mapping[str, str], further: Sequence[str]) -> dict[str, str]:
    """The variables that an actor gets: those of `PASSED_ON` and the ones that are named, no others.

    Raises:
        UsageProblem: a named variable is not set.
    """
    for name in further:
        if name not in ours:
            raise UsageProblem(f"--actor-env {name}: the variable is not set")
    return {
        name: value
        for name, value in ours.items()
        if name in further or any(fnmatchcase(name, pattern) for pattern in PASSED_ON)
    }


def program_digest(command: str) -> str:
    """What tells one program and its settings from another, on any machine.

    SHA-256 over the words of a command line, where the program and every word that is a file count by what is in them
    and not by where they are.

    Raises:
        UsageProblem: the line is none that a shell takes.
    """
    digest = hashlib.sha256()
    for place, word in enumerate(_words(command)):
        path = shutil.which(word) if place == 0 else word
        if path is not None and Path(path).is_file():
            digest.update(b"file\0" + Path(word).name.encode() + b"\0")
            _add_content(digest, path)
        else:
            digest.update(b"word\0" + os.fsencode(word) + b"\0")
    return f"sha256:{digest.hexdigest()}"


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageProblem(f"{command!r} is no command line: {error}") from None


def _add_content(digest: "hashlib._Hash", path: str) -> None:
    try:
        with open(path, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        digest.update(f"unreadable: {error.errno}".encode())


def check_command(command: str, what: str) -> None:
    """Make sure that a shell would find the program, before a thousand episodes fail for a slip of the pen.

    Raises:
        UsageProblem: the line is none, or its first word is no program, builtin or assignment.
    """
    words = _words(command)
    if not words:
        raise UsageProblem(f"the command of the {what} is empty")
    if "=" in words[0] or words[0].startswith("("):
        return
    found = subprocess.run(["/bin/sh", "-c", 'command -v -- "$1"', "sh", words[0]], capture_output=True, check=False)
    if found.returncode:
        raise UsageProblem(f"the {what} cannot be started: no program {words[0]!r} is here")
