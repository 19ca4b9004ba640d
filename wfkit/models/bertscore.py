"""What BERTScore measures with: a model on this machine, one of its layers, and the baseline of that layer.

Importing this module is cheap, and so is `find_setup`: no model library is imported.
"""

import csv
import hashlib
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.locate import LocatedModel, locate
from wfkit.models.manifest import MODELS
from wfkit.models.places import hub_directory, models_directory
from wfkit.signature import format_signature

DEFAULT_MODEL = "roberta-large"
"""What the library takes for English."""

DEFAULT_LAYERS = 17
"""The library's layer for `DEFAULT_MODEL`; a layer of another model must be named."""

_REPOSITORIES = {DEFAULT_MODEL: ("FacebookAI/roberta-large", DEFAULT_MODEL)}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
_LAYER_COUNTS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")


@dataclass(frozen=True, slots=True)
class Setup:
    """A verified model and how its scores are read.

    Attributes:
        model: its files.
        layers: how many of its layers the texts go through.
        baseline: F1 of unrelated sentences at that layer, which is rescaled to 0; below 1.
        signature: all of it with the versions of the libraries, in one short string.
    """

    model: LocatedModel
    layers: int
    baseline: float
    signature: str


def find_setup(choice: str | None = None, layers: int | None = None, baseline: str | None = None) -> Setup:
    """Find the model, its layer and its baseline; never another model than the one asked for.

    Args:
        choice: a name under which the model lies in the toolkit's or the hub's cache, or a folder; by default
            roberta-large.
        layers: how many layers; needed for any model but roberta-large.
        baseline: a file like those of the library (``LAYER,P,R,F``); needed where the library has none of this name.

    Raises:
        UsageProblem: no such layer, no baseline or none for this layer. (Scores that are not rescaled cannot be
            compared with any threshold.)
        Unavailable: the model or a library is not on this machine, or the model has no safetensors.
    """
    choice = choice or DEFAULT_MODEL
    if layers is None:
        if choice != DEFAULT_MODEL:
            raise UsageProblem(f"--bertscore-model {choice} needs --bertscore-layers N: which of its layers to take")
        layers = DEFAULT_LAYERS
    if baseline is not None:
        rescale = _baseline(Path(baseline), layers)
    if find_spec("bert_score") is None:
        raise Unavailable("bertscore needs bert-score: pip install 'wfkit[models]'")
    if baseline is None:
        rescale = _baseline(_shipped_baseline(choice), layers)
    model = _located(choice)
    most = _layers_of(model)
    if layers > most:
        raise UsageProblem(f"--bertscore-layers {layers}: {model.identity.name} has {most} layers")
    return Setup(model, layers, rescale.f1, _signature(model, layers, rescale))


@dataclass(frozen=True, slots=True)
class _Baseline:
    f1: float
    digest: str


def _baseline(path: Path, layers: int) -> _Baseline:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"cannot read the BERTScore baseline {path}: {error.strerror}") from error
    try:
        rows = list(csv.DictReader(content.decode("utf-8").splitlines()))
        values = {int(row["LAYER"]): float(row["F"]) for row in rows}
    except (ValueError, TypeError, KeyError) as error:
        raise UsageProblem(f"{path} is no BERTScore baseline: expected the columns LAYER,P,R,F") from error
    if layers not in values:
        raise UsageProblem(f"the BERTScore baseline {path} has no layer {layers}")
    if not (math.isfinite(values[layers]) and -1 < values[layers] < 1):
        raise UsageProblem(f"the BERTScore baseline {path} is not between -1 and 1 at layer {layers}")
    return _Baseline(values[layers], hashlib.sha256(content).hexdigest())


def _shipped_baseline(choice: str) -> Path:
    specification = find_spec("bert_score")
    if _NAME.fullmatch(choice) and specification is not None and specification.origin is not None:
        path = Path(specification.origin).parent / "rescale_baseline" / "en" / f"{choice}.tsv"
        if path.is_file():
            return path
    raise UsageProblem(
        f"bert-score has no baseline for {choice}: name one with --bertscore-baseline FILE"
        " (scores that are not rescaled mean nothing to a threshold)"
    )


def _located(choice: str) -> LocatedModel:
    if choice in MODELS or os.path.isdir(os.path.expanduser(choice)) or not _NAME.fullmatch(choice):
        return locate(choice, wanted_by="bertscore")
    for directory in _folders_of(choice):
        found = locate(str(directory), wanted_by="bertscore")
        return replace(found, identity=replace(found.identity, name=choice))
    repository = _REPOSITORIES.get(choice, (choice,))[0]
    raise Unavailable(
        f"model {choice} is not on this machine: hf download {repository}, or name its folder with --bertscore-model"
    )


def _folders_of(name: str) -> Iterator[Path]:
    own = models_directory() / name
    if own.is_dir():
        yield own
    for repository in _REPOSITORIES.get(name, (name,)):
        folder = hub_directory() / f"models--{repository.replace('/', '--')}"
        snapshots = sorted(path for path in (folder / "snapshots").glob("*") if (path / "config.json").is_file())
        try:
            newest = (folder / "refs" / "main").read_text().strip()
        except OSError:
            newest = ""
        yield from sorted(snapshots, key=lambda path: path.name != newest)


def _layers_of(model: LocatedModel) -> int:
    path = model.directory / "config.json"
    try:
        config = json.loads(path.read_bytes())
        return next(int(config[name]) for name in _LAYER_COUNTS if name in config)
    except (OSError, ValueError, TypeError, StopIteration) as error:
        raise Unavailable(f"{path} does not say how many layers the model has") from error


def _signature(model: LocatedModel, layers: int, baseline: _Baseline) -> str:
    name = re.sub(r"[^A-Za-z0-9._/-]", "_", model.identity.name)
    return format_signature(
        {
            "wfkit": 1,
            "bert_score": _version("bert-score"),
            "transformers": _version("transformers"),
            "model": f"{name}@{model.identity.digest[:8]}",
            "layer": layers,
            "baseline": baseline.digest[:8],
        }
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise Unavailable(f"bertscore needs {package}: pip install 'wfkit[models]'") from error
