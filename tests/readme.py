"""Prints the generated parts of the README; cog calls these functions, and `cog --check` keeps the page true."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def _run(*command: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "COLUMNS": "100", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def _fenced(text: str, language: str = "") -> None:
    print(f"\n```{language}\n{text.rstrip()}\n```\n")


def help_of(name: str) -> None:
    """The help of an executable, folded away."""
    text = _run(sys.executable, f"bin/{name}", "--help").stdout
    usage, _, _ = text.partition("\nExit codes:")
    print(f"\n<details><summary><code>{name} --help</code></summary>")
    _fenced(usage, "text")
    print("</details>\n")


def exit_codes() -> None:
    """The table of exit codes."""
    from wfkit.exit_codes import MEANINGS

    print("\n| code | meaning |\n|---|---|")
    for code, meaning in MEANINGS.items():
        print(f"| {code} | {meaning} |")
    print()


def formats() -> None:
    """The table of formats."""
    from wfkit import registry

    print("\n| `--from` | reads |\n|---|---|")
    for name in registry.FORMATS:
        print(f"| `{name}` | {registry.find(registry.FORMATS, name, 'format').SUMMARY} |")
    print()


def metrics() -> None:
    """The table of metrics."""
    from wfkit import registry

    print("\n| metric | what it says | default |\n|---|---|---|")
    for name in registry.METRICS:
        summary = registry.find(registry.METRICS, name, "metric").summary
        print(f"| `{name}` | {summary} | {'yes' if name in registry.DEFAULT_METRICS else ''} |")
    print()


def policy() -> None:
    """The default policy in words."""
    _fenced(_run(sys.executable, "bin/wf-gate", "--explain-policy").stdout, "text")


def file(name: str, language: str) -> None:
    """A file of the repository."""
    _fenced((ROOT / name).read_text(encoding="utf-8"), language)


def example_gate() -> None:
    """What wf-gate says of the first example."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"""set -e
        wf-parse -q --strict goldens/*.txt > {folder}/goldens.jsonl
        wf-parse -q --candidates candidates/*.txt > {folder}/candidates.jsonl
        wf-score -q --golden {folder}/goldens.jsonl {folder}/candidates.jsonl > {folder}/scored.jsonl
        wf-gate --expect {folder}/goldens.jsonl {folder}/scored.jsonl > /dev/null"""
        done = _run("bash", "-c", script, cwd=ROOT / "examples")
    _fenced(done.stderr, "text")


def example_aggregate() -> None:
    """What ap-aggregate says of the made-up runs."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"""set -e
        python agents/made_up_runs.py requested > {folder}/requested.jsonl
        python agents/made_up_runs.py grades > {folder}/grades.jsonl
        ap-aggregate --requested {folder}/requested.jsonl {folder}/grades.jsonl > /dev/null"""
        done = _run("bash", "-c", script, cwd=ROOT / "examples")
    _fenced(done.stderr, "text")


def recorded_formats() -> None:
    """The table of the formats in which ap-grade reads recorded episodes."""
    import importlib

    from wfkit.agents.grading.recorded import FORMATS

    print("\n| `--episodes-from` | reads |\n|---|---|")
    for name, module in FORMATS.items():
        print(f"| `{name}` | {importlib.import_module(module).SUMMARY} |")
    print()


def example_grade() -> None:
    """What ap-grade says of the scripted actor on the arithmetic tasks."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"""set -e
        python tasks.py 42 | ap-pair -q --grader 'python grader.py' > {folder}/pairs.jsonl
        ap-grade --actor 'python actor.py' --grader 'python grader.py' --out {folder}/runs.jsonl {folder}/pairs.jsonl"""
        done = _run("bash", "-c", script, cwd=ROOT / "examples" / "agents" / "arithmetic")
    _fenced(done.stderr, "text")
