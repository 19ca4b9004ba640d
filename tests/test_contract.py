"""What the project says in several places is the same everywhere: names, help, schemas, exit codes."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from wfkit import exit_codes, registry, schema
from wfkit.registry import find

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
NAMES = sorted(SCRIPTS)
FILTERS = [name for name in NAMES if name != "wf-models"]  # which reads and writes no records

Run = Callable[..., Any]


def module_of(name: str) -> str:
    return name.replace("-", "_")


def command_of(name: str) -> click.Command:
    found = find({name: SCRIPTS[name]}, name, "executable")
    assert isinstance(found, click.Command)
    return found


def help_of(name: str) -> str:
    command = command_of(name)
    return command.get_help(click.Context(command, info_name=name, **command.context_settings))


def test_one_name_is_found_everywhere() -> None:
    assert sorted(path.name for path in (ROOT / "bin").iterdir()) == NAMES
    assert {name: f"wfkit.filters.{module_of(name)}:main" for name in NAMES} == SCRIPTS
    modules = {path.stem for path in (ROOT / "wfkit" / "filters").glob("[wa][fp]_*.py")}
    assert modules == set(map(module_of, NAMES))
    assert sorted(path.name for path in (ROOT / "tests" / "cases").iterdir() if path.is_dir()) == NAMES
    tests = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / "filters").glob("test_[wa][fp]_*.py")}
    assert tests == set(map(module_of, NAMES))
    headings = re.findall(r"^#{2,3} `?((?:wf|ap)-[a-z]+)`?$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(headings) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_shim_differs_only_in_its_module(name: str) -> None:
    shim = ROOT / "bin" / name
    assert shim.stat().st_mode & 0o111
    common = (ROOT / "bin" / "wf-parse").read_text()
    assert shim.read_text() == common.replace("wf_parse", module_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_help_has_a_purpose_examples_and_the_exit_codes(name: str) -> None:
    text = help_of(name)
    assert command_of(name).help
    assert text.count(f"{name} ") >= 2  # the usage line and an example
    assert "Examples:" in text
    table = text.partition("Exit codes:")[2]
    if name in FILTERS:
        expected = " ".join(f"{code} {meaning}" for code, meaning in exit_codes.MEANINGS.items())
        assert " ".join(table.split()) == expected
    else:
        assert set(re.findall(r"^ +(\d+) ", table, re.MULTILINE)) == {"0", "1", "2", "4", "70", "130", "141"}


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name: str) -> None:
    commands = [command_of(name)]
    if isinstance(commands[0], click.Group):
        commands += commands[0].commands.values()
    for command in commands:
        assert command.help
        assert [one.name for one in command.params if isinstance(one, click.Option) and not one.help] == []


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_has_the_common_options(name: str) -> None:
    command = command_of(name)
    flags = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    assert flags >= {
        "-o", "--output", "--on-error", "--check", "--no-check", "--progress", "--no-progress", "-q", "--quiet",
        "--schema", "--summary", "--version",
    }  # fmt: skip
    assert {"-h", "--help"} == set(command.context_settings["help_option_names"])


def test_the_readme_has_the_table_of_exit_codes() -> None:
    rows = dict(re.findall(r"^\| `?(\d+)`? \| (.+?) \|$", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert {str(code): meaning for code, meaning in exit_codes.MEANINGS.items()}.items() <= rows.items()


@pytest.mark.parametrize("name", FILTERS)
def test_schema_prints_the_schema_of_what_is_written(name: str, run: Run) -> None:
    done = run(name, "--schema")
    assert (done.returncode, done.stderr) == (0, b"")
    printed = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["$id"] == f"{printed['title']}.schema.json"
    in_file = json.loads(schema.text(printed["title"]))
    assert {key: printed[key] for key in in_file if key != "$defs"} == {
        key: value for key, value in in_file.items() if key != "$defs"
    }
    for example in printed["examples"]:  # with nothing else at hand
        jsonschema.Draft202012Validator(printed).validate(example)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(printed).validate({"kind": printed["title"]})


@pytest.mark.parametrize("name", NAMES)
def test_version_names_the_executable(name: str, run: Run) -> None:
    done = run(name, "--version")
    assert done.returncode == 0
    assert re.fullmatch(rf"{name}, version \d+\.\d+\.\d+\n", done.stdout.decode())


@pytest.mark.parametrize(
    ("table", "what"), [(registry.METRICS, "metric"), (registry.FORMATS, "format")], ids=["metrics", "formats"]
)
def test_every_name_of_the_registry_leads_somewhere(table: dict[str, str], what: str) -> None:
    for name in table:
        found = find(table, name, what)
        own_name = getattr(found, "name", getattr(found, "NAME", None))
        assert own_name == name or (name, own_name) == ("judge", None)  # which is named after its model
        assert getattr(found, "summary", getattr(found, "SUMMARY", None))


def test_the_default_metrics_are_metrics() -> None:
    assert set(registry.DEFAULT_METRICS) <= set(registry.METRICS)
