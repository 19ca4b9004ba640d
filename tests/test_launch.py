"""Executables of a checkout whose packages are not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from wfkit import launch


@pytest.mark.parametrize("path", sorted((ROOT / "bin").iterdir()), ids=lambda path: path.name)
def test_what_is_not_installed_is_named(path: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", path, "--help"], capture_output=True, text=True, check=False)
    remedy = "pip install -e . in the checkout brings what every filter needs"
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"{path.name}: the package click is not installed: {remedy}\n"


def test_a_module_of_ours_that_is_not_there_is_a_bug() -> None:
    with pytest.raises(ModuleNotFoundError, match="wf_nothing"):
        launch.launch("wf_nothing")
