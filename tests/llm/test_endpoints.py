"""Which address and key a model gets, and what is refused without being shown."""

from typing import Any

import pytest

from wfkit.errors import Unavailable, UsageProblem
from wfkit.llm.endpoints import Endpoint, Endpoints

PROFILES = {
    "azure": {"base_url": "https://x.openai.azure.com/", "key_variable": "AZURE_KEY", "api_version": "2024-10-21"},
    "local": {"base_url": "http://127.0.0.1:8080/v1/"},
}


@pytest.mark.parametrize(
    ("model", "environment", "expected"),
    [
        ("m", {"OPENAI_API_KEY": "k"}, Endpoint("", "https://api.openai.com/v1", "k")),
        ("m", {"OPENAI_API_KEY": " k\n", "OPENAI_BASE_URL": ""}, Endpoint("", "https://api.openai.com/v1", "k")),
        ("m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://[::1]:1/v1/"}, Endpoint("", "http://[::1]:1/v1", "k")),
        (
            "m",
            {"AZURE_OPENAI_ENDPOINT": "https://a", "AZURE_OPENAI_API_KEY": "k", "OPENAI_API_VERSION": "1"},
            Endpoint("", "https://a", "k", "1"),
        ),
        (
            "m",
            {"AZURE_OPENAI_ENDPOINT": "https://a", "AZURE_OPENAI_AD_TOKEN": "t", "OPENAI_API_VERSION": "1"},
            Endpoint("", "https://a", "t", "1", is_token=True),
        ),
        # OpenAI's own variables win where both are set.
        (
            "m",
            {"AZURE_OPENAI_ENDPOINT": "https://a", "OPENAI_API_KEY": "k"},
            Endpoint("", "https://api.openai.com/v1", "k"),
        ),
        ("m@local", {"OPENAI_API_KEY": "k"}, Endpoint("local", "http://127.0.0.1:8080/v1", "none")),
        ("m@azure", {"AZURE_KEY": "z"}, Endpoint("azure", "https://x.openai.azure.com", "z", "2024-10-21")),
        ("claude@20240229", {"OPENAI_API_KEY": "k"}, Endpoint("", "https://api.openai.com/v1", "k")),
    ],
)
def test_endpoints(model: str, environment: dict[str, str], expected: Endpoint) -> None:
    assert Endpoints(PROFILES, environment).find(model) == expected


def test_the_name_of_a_model_ends_where_its_endpoint_begins() -> None:
    endpoints = Endpoints(PROFILES, {})
    assert endpoints.split("gpt-4o@azure") == ("gpt-4o", "azure")
    assert endpoints.split("a@b@local") == ("a@b", "local")
    assert endpoints.split("claude@2024") == ("claude@2024", "")
    assert endpoints.split("@local") == ("@local", "")


@pytest.mark.parametrize(
    ("model", "environment", "variable"),
    [
        ("m", {}, "OPENAI_API_KEY"),
        ("m", {"OPENAI_API_KEY": " "}, "OPENAI_API_KEY"),
        ("m", {"OPENAI_BASE_URL": "http://127.0.0.1:1"}, "OPENAI_API_KEY"),
        ("m", {"AZURE_OPENAI_ENDPOINT": "https://a", "OPENAI_API_VERSION": "1"}, "AZURE_OPENAI_API_KEY"),
        ("m", {"AZURE_OPENAI_ENDPOINT": "https://a", "AZURE_OPENAI_API_KEY": "k"}, "OPENAI_API_VERSION"),
        ("m@azure", {"OPENAI_API_KEY": "k"}, "AZURE_KEY"),
    ],
)
def test_a_missing_variable_is_named(model: str, environment: dict[str, str], variable: str) -> None:
    with pytest.raises(Unavailable, match=rf"\b{variable}\b"):
        Endpoints(PROFILES, environment).find(model)


@pytest.mark.parametrize(
    "address",
    ["hunter2", "ftp://hunter2", "http://", "http://u:hunter2@h/v1", "http://hunter2@h", "http://h?k=hunter2", "http://h#hunter2",
     "http://h:hunter2/", "http://[hunter2"],
)  # fmt: skip
def test_bad_addresses_are_never_shown(address: str) -> None:
    for endpoints in (
        Endpoints({}, {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": address}),
        Endpoints({"p": {"base_url": address}}, {}),
    ):
        with pytest.raises(UsageProblem) as caught:
            endpoints.find("m@p")
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("profiles", "told"),
    [
        ({"p": 1}, "'p' needs an object"),
        ({"p": {}}, "base_url"),
        ({"p": {"base_url": 1}}, "base_url"),
        ({"p": {"base_url": "http://h", "api_key": "secret"}}, "unknown field 'api_key'"),
        ({"p": {"base_url": "http://h", "key_variable": 7}}, "every field is a string"),
    ],
)
def test_bad_profiles(profiles: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageProblem, match=told) as caught:
        Endpoints(profiles, {})
    assert "secret" not in str(caught.value)


def test_keys_are_neither_shown_nor_part_of_the_identity() -> None:
    endpoint = Endpoint("", "http://h", "sk-very-secret")
    assert "sk-very-secret" not in repr(endpoint) + str(endpoint.identity)
    assert (
        endpoint.redacted("bad key sk-very-secret\nand sk-proj-abc*****xyz of yours") == "bad key *** and *** of yours"
    )
    assert len(endpoint.redacted("x" * 1000)) == 300
