"""The known models."""

import re

import pytest

from wfkit.errors import UsageProblem
from wfkit.models.locate import LocatedModel
from wfkit.models.manifest import DEFAULT_MODEL, MODELS, known
from wfkit.models.verify import check, sha256_of


def test_the_digest_of_the_default_model_is_that_of_the_contract() -> None:
    assert known(DEFAULT_MODEL).digest == "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"


@pytest.mark.parametrize("name", MODELS)
def test_a_manifest_is_well_formed(name: str) -> None:
    manifest = known(name)
    paths = [file.path for file in manifest.files]
    assert manifest.name == name
    assert len(set(paths)) == len(paths)
    assert not any(path.startswith("/") or ".." in path.split("/") for path in paths)
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.size > 0 for file in manifest.files)
    assert not any(path.endswith((".bin", ".pkl", ".pt", ".py")) for path in paths)


def test_an_unknown_model_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageProblem, match=r"unknown model 'x'; known: all-mpnet-base-v2"):
        known("x")


def test_the_installed_model_is_that_of_the_manifest(real_model: LocatedModel) -> None:
    check(real_model.directory, known(DEFAULT_MODEL), digest_of=sha256_of)
