"""Where a model is served and which key opens it, from the variables that the openai package reads or a profile file.

A profile is named after the model: ``gpt-4o@azure``. Keys are named by the variable that holds them and are never part
of a file, an address or a message.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from wfkit.errors import Unavailable, UsageProblem

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT = ""
"""The name of the endpoint that the environment describes."""

_KNOWN_FIELDS = {"base_url", "key_variable", "api_version"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One service.

    Attributes:
        name: the profile's name, empty for the one of the environment.
        base_url: its address, without credentials; for Azure the resource's address.
        key: the key; not shown by ``repr``.
        api_version: set exactly for Azure OpenAI.
        is_token: whether the key is a Microsoft Entra token instead of an Azure key.
    """

    name: str
    base_url: str
    key: str = field(repr=False)
    api_version: str | None = None
    is_token: bool = False

    @property
    def identity(self) -> list[str]:
        """What tells this service from another one in the key of a cached answer; holds no secret."""
        return [self.base_url, self.api_version or ""]

    def redacted(self, text: str) -> str:
        """A text of the service in one line, without our key."""
        line = " ".join(text.split())[:300]
        line = line.replace(self.key, "***") if len(self.key) > 3 else line
        return re.sub(r"\b(sk|key)-[\w*-]{4,}", "***", line)


class Endpoints:
    """Finds the endpoint of a model.

    Args:
        profiles: the content of an endpoints file: ``{NAME: {"base_url", "key_variable"?, "api_version"?}}``.
        environment: the environment variables.
        keys_needed: whether a missing key is an error; where no call is made it is none.
    """

    def __init__(
        self, profiles: Mapping[str, Any], environment: Mapping[str, str], *, keys_needed: bool = True
    ) -> None:
        """Check the profiles.

        Raises:
            UsageProblem: the file does not have this form.
        """
        for name, profile in profiles.items():
            _check_profile(name, profile)
        self._profiles = profiles
        self._environment = environment
        self._keys_needed = keys_needed

    def split(self, model: str) -> tuple[str, str]:
        """The bare model name and its profile's name: ``gpt-4o@azure`` gives ``("gpt-4o", "azure")``."""
        bare, _, profile = model.rpartition("@")
        return (bare, profile) if bare and profile in self._profiles else (model, DEFAULT)

    def find(self, model: str) -> Endpoint:
        """The endpoint of a model.

        Raises:
            Unavailable: the variable with the key is not set; the message names it.
            UsageProblem: the address is none, or holds credentials.
        """
        _, name = self.split(model)
        return self._of_profile(name) if name else self._of_environment(model)

    def _of_profile(self, name: str) -> Endpoint:
        profile = self._profiles[name]
        variable = profile.get("key_variable")
        key = self._key(variable, f"endpoint {name!r}") if variable else "none"
        return Endpoint(name, _address(profile["base_url"], f"endpoint {name!r}"), key, profile.get("api_version"))

    def _of_environment(self, model: str) -> Endpoint:
        given = self._environment.get
        if given("AZURE_OPENAI_ENDPOINT") and not given("OPENAI_BASE_URL") and not given("OPENAI_API_KEY"):
            version = given("OPENAI_API_VERSION")
            if not version:
                raise Unavailable(f"{model} on Azure needs OPENAI_API_VERSION, such as 2024-10-21")
            address = _address(given("AZURE_OPENAI_ENDPOINT") or "", "AZURE_OPENAI_ENDPOINT")
            token = given("AZURE_OPENAI_AD_TOKEN")
            if token and not given("AZURE_OPENAI_API_KEY"):
                return Endpoint(DEFAULT, address, token, version, is_token=True)
            return Endpoint(DEFAULT, address, self._key("AZURE_OPENAI_API_KEY", model), version)
        address = _address(given("OPENAI_BASE_URL") or OPENAI_URL, "OPENAI_BASE_URL")
        return Endpoint(DEFAULT, address, self._key("OPENAI_API_KEY", model))

    def _key(self, variable: str, wanted_by: str) -> str:
        key = self._environment.get(variable, "").strip()
        if not key and self._keys_needed:
            raise Unavailable(f"{wanted_by} needs a key: set {variable} (any value where the service asks for none)")
        return key


def _check_profile(name: str, profile: Any) -> None:
    if not isinstance(profile, dict) or not isinstance(profile.get("base_url"), str):
        raise UsageProblem(f"endpoint {name!r} needs an object with a base_url")
    unknown = sorted(set(profile) - _KNOWN_FIELDS)
    if unknown:
        known = ", ".join(sorted(_KNOWN_FIELDS))
        raise UsageProblem(f"endpoint {name!r} has the unknown field {unknown[0]!r} (known: {known})")
    if not all(isinstance(value, str) for value in profile.values()):
        raise UsageProblem(f"endpoint {name!r}: every field is a string")


def _address(text: str, source: str) -> str:
    """A checked base URL without a slash at its end; messages never repeat it, since it may hold a secret."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise UsageProblem(f"the address of {source} is no http or https URL")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageProblem(
            f"the address of {source} holds credentials or a query: leave them out and give the key by its variable"
        )
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
