"""Where caches are, by the variables of the XDG specification and of the model hub's library."""

from pathlib import Path

import pytest

from wfkit.models import places


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ("/var/cache", "/var/cache/wfkit"),
        ("", "/users/ada/.cache/wfkit"),
        ("relative/path", "/users/ada/.cache/wfkit"),  # to be ignored, says the specification
    ],
)
def test_the_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch, configured: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/users/ada")
    monkeypatch.setenv("XDG_CACHE_HOME", configured)
    assert places.cache_directory() == Path(expected)
    assert places.models_directory() == Path(expected) / "models"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "/cache/huggingface/hub"),
        ({"HF_HOME": "/hf"}, "/hf/hub"),
        ({"HF_HOME": "/hf", "HF_HUB_CACHE": "/hub"}, "/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/old"}, "/old"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HUB_CACHE": "/hub"}, "/hub"),
    ],
)
def test_the_hub_cache_is_where_its_library_has_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert places.hub_directory() == Path(expected)
