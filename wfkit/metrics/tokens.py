"""The words of a document, as NLTK splits it without any downloaded data.

Sentences come from an untrained ``PunktSentenceTokenizer()``, words from what
``word_tokenize(sentence, preserve_line=True)`` calls, ``NLTKWordTokenizer``. As ``import nltk`` runs the whole
library with scipy, pandas and scikit-learn (seconds), only the modules of the two tokenizers are loaded.
"""

import importlib
import importlib.metadata
import importlib.util
import sys
from functools import lru_cache
from types import ModuleType
from typing import Any

from wfkit.errors import Unavailable


def document_words(document: str) -> list[str]:
    """The words of a document, sentence by sentence."""
    sentence_tokenizer, _ = _tokenizers()
    return [word for sentence in sentence_tokenizer.tokenize(document) for word in _sentence_words(sentence)]


@lru_cache(maxsize=2**12)  # the candidates of a golden repeat most of its sentences
def _sentence_words(sentence: str) -> tuple[str, ...]:
    _, word_tokenizer = _tokenizers()
    return tuple(map(sys.intern, word_tokenizer.tokenize(sentence)))  # one copy of each word


@lru_cache(maxsize=1)  # the metadata of the package is a file that is read and parsed
def nltk_version() -> str:
    """The version of the installed NLTK.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        return importlib.metadata.version("nltk")
    except importlib.metadata.PackageNotFoundError:
        raise Unavailable("bleu and gleu need nltk: pip install nltk") from None


@lru_cache(maxsize=1)
def _tokenizers() -> tuple[Any, Any]:
    """NLTK's sentence and word tokenizer, without running the rest of the library."""
    nltk_version()
    try:
        punkt, destructive = _load_alone("nltk", ["nltk.tokenize.punkt", "nltk.tokenize.destructive"])
    except (ImportError, AttributeError):  # a release whose tokenizers need more of the library
        punkt = importlib.import_module("nltk.tokenize.punkt")
        destructive = importlib.import_module("nltk.tokenize.destructive")
    if hasattr(punkt, "redos"):
        # NLTK 3.10 gives up on an expression after five seconds; a score must not depend on the clock.
        punkt.redos.DEFAULT_TIMEOUT = None
    return punkt.PunktSentenceTokenizer(), destructive.NLTKWordTokenizer()


def _load_alone(package: str, names: list[str]) -> list[ModuleType]:
    """Private copies of modules of a package, made without running the package's own ``__init__`` files.

    Bare packages that only know their directory stand in while the modules load; then ``sys.modules`` is put
    back as it was, so that a plain import, earlier or later, has the whole library.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{package} is not a package")
    directories = list(spec.submodule_search_locations)
    before = _forget(package)
    try:
        for name in {package, *(name.rpartition(".")[0] for name in names)}:
            bare = ModuleType(name)
            bare.__path__ = ["/".join([directory, *name.split(".")[1:]]) for directory in directories]
            sys.modules[name] = bare
        return [importlib.import_module(name) for name in names]
    finally:
        _forget(package)
        sys.modules.update(before)


def _forget(package: str) -> dict[str, ModuleType]:
    """Take a package and its modules out of ``sys.modules`` and return them."""
    names = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}
