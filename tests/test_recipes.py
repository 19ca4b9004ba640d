"""The recipes for CI servers: each is taken out of its file and run on a project whose generator got worse."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
WAIVER = '- {golden: support_escalation, rule: "*", reason: the refund desk took this over, expires: 2999-12-31}\n'

Recipe = Callable[[Path, list[str]], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path, encoder_is_there: None) -> Path:
    """A project whose candidates are those of examples/: one of three lost steps."""
    shutil.copytree(EXAMPLES / "goldens", tmp_path / "workflows" / "approved")
    shutil.copytree(EXAMPLES / "candidates", tmp_path / "build" / "candidates")
    (tmp_path / "workflows" / "waivers.yaml").write_text("[]\n")
    return tmp_path


def of_yaml(name: str) -> Any:
    return YAML(typ="safe").load((EXAMPLES / name).read_text(encoding="utf-8"))


def bash(script: str, project: Path, shell: list[str], **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*shell, script], cwd=project, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, check=False
    )


def composite_action(project: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    (step,) = [step for step in of_yaml("action.yml")["runs"]["steps"] if step.get("id") == "gate"]
    return bash(
        step["run"], project, shell, GOLDENS="workflows/approved/*.txt", CANDIDATES="build/candidates/*.txt",
        FAIL_ON="fail", POLICY="", WAIVERS="workflows/waivers.yaml", BASELINE="",
        GITHUB_STEP_SUMMARY=str(project / "summary.md"), GITHUB_OUTPUT=str(project / "output"),
    )  # fmt: skip


def gitlab(project: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    return bash("\n".join(of_yaml("ci/gitlab.yml")["gate workflows"]["script"]), project, shell)


def pre_commit(project: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    (hook,) = of_yaml("ci/pre-commit-config.yaml")["repos"][0]["hooks"]
    return bash(hook["entry"], project, shell)


def makefile(project: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    shutil.copy(EXAMPLES / "ci" / "Makefile", project)
    return bash("make gate", project, shell)


RECIPES: list[tuple[str, Recipe, int]] = [
    ("action.yml", composite_action, 1),
    ("ci/gitlab.yml", gitlab, 1),
    ("ci/pre-commit-config.yaml", pre_commit, 1),
    ("ci/Makefile", makefile, 2),  # make has an exit code of its own
]
STRICT = ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c"]
PLAIN = ["bash", "--noprofile", "--norc", "-e", "-c"]


@pytest.mark.parametrize("shell", [STRICT, PLAIN], ids=["pipefail", "plain"])
@pytest.mark.parametrize(("name", "recipe", "code"), RECIPES, ids=[name for name, _, _ in RECIPES])
def test_a_recipe_fails_with_the_reason_until_the_failure_is_waived(
    name: str, recipe: Recipe, code: int, shell: list[str], project: Path
) -> None:
    failed = recipe(project, shell)
    assert failed.returncode == code, failed.stderr
    assert "support_escalation" in failed.stderr
    assert "Check whether the refund policy covers the case" in failed.stderr
    (project / "workflows" / "waivers.yaml").write_text(WAIVER)
    waived = recipe(project, shell)
    assert waived.returncode == 0, waived.stderr
    assert "waived" in waived.stderr


@pytest.mark.parametrize("shell", [STRICT, PLAIN], ids=["pipefail", "plain"])
@pytest.mark.parametrize(("name", "recipe", "code"), RECIPES, ids=[name for name, _, _ in RECIPES])
def test_a_recipe_does_not_pass_where_a_candidate_is_missing(
    name: str, recipe: Recipe, code: int, shell: list[str], project: Path
) -> None:
    (project / "build" / "candidates" / "support_escalation.txt").unlink()
    done = recipe(project, shell)
    assert done.returncode not in (0, 70), done.stderr
    assert "support_escalation" in done.stderr


@pytest.mark.parametrize(("name", "recipe", "code"), [one for one in RECIPES if one[0] != "ci/pre-commit-config.yaml"],
                         ids=["action.yml", "ci/gitlab.yml", "ci/Makefile"])  # fmt: skip
def test_a_bad_record_reaches_the_gate_and_its_reports(name: str, recipe: Recipe, code: int, project: Path) -> None:
    (project / "workflows" / "approved" / "broken.txt").write_text("Node:\n1: a\n2: b\nEdge: (1,2) (2,1)\n")
    (project / "build" / "candidates" / "broken.txt").write_text("Node:\n1: a\n2: b\nEdge: (1,2)\n")
    done = recipe(project, STRICT)
    assert done.returncode == code  # one workflow fails as well, which is the graver answer
    assert "error record" in done.stderr
    (report,) = project.glob("*report*/gate.xml")
    assert "broken" in report.read_text(encoding="utf-8")


def test_the_makefile_notices_candidates_that_have_gone(project: Path) -> None:
    for path in (project / "workflows" / "approved").iterdir():
        shutil.copy(path, project / "build" / "candidates")
    assert makefile(project, STRICT).returncode == 0
    (project / "build" / "candidates" / "support_escalation.txt").unlink()
    assert makefile(project, STRICT).returncode == 2


def test_the_action_writes_summary_annotations_result_and_reports(project: Path) -> None:
    done = composite_action(project, STRICT)
    assert "::error" in done.stderr
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert "support_escalation" in summary
    assert "```mermaid" in summary
    assert (project / "output").read_text() == "result=fail\n"
    reports = {path.name for path in (project / "wfkit-report").iterdir()}
    assert {"gate.html", "gate.xml", "gate.sarif", "verdicts.jsonl", "summary.json"} <= reports


def test_the_action_passes_every_input_on_as_a_variable() -> None:
    action = of_yaml("action.yml")
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert not any("${{" in script for script in scripts), "an input inside a script could become part of it"
    named = json.dumps(action["runs"]["steps"])
    assert all(f"inputs.{name} " in named for name in action["inputs"])


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    (uses,) = [step for step in of_yaml("ci/github.yml")["jobs"]["gate"]["steps"] if "with" in step]
    assert set(uses["with"]) <= set(of_yaml("action.yml")["inputs"])


def test_blessing_and_gating_against_the_baseline(project: Path) -> None:
    shutil.copy(EXAMPLES / "ci" / "Makefile", project)
    for path in (project / "workflows" / "approved").iterdir():
        shutil.copy(path, project / "build" / "candidates")
    assert bash("make bless", project, STRICT).returncode == 0
    assert (project / "workflows" / "baseline.jsonl").exists()
    assert bash("make gate", project, STRICT).returncode == 0
    shutil.copy(EXAMPLES / "candidates" / "support_escalation.txt", project / "build" / "candidates")
    os.utime(project / "build" / "candidates" / "support_escalation.txt")
    assert bash("make gate", project, STRICT).returncode == 2


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_the_generator_in_go_pipes_into_the_gate(tmp_path: Path, encoder_is_there: None) -> None:
    pipe = (
        "go run examples/generators/refund.go | wf-parse -q --candidates"
        " | wf-score -q --golden examples/generators/goldens.jsonl | wf-gate -q"
    )
    done = bash(pipe, ROOT, STRICT, GOCACHE=str(tmp_path / "go"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0])["scores"]["chain_f1"] == 1.0
