"""Every type on the real goldens with at least five steps."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from wfkit.perturb.donors import donors_from
from wfkit.perturb.pairs import perturb
from wfkit.registry import PERTURBATIONS
from wfkit.validation.validate import validate

Record = dict[str, Any]


@pytest.fixture(scope="module")
def goldens(corpus: Path) -> list[Record]:
    root = Path(__file__).resolve().parents[2]
    files = sorted(map(str, (corpus / "worfbench").glob("*.json")))
    parsed = subprocess.run(
        [sys.executable, str(root / "bin" / "wf-parse"), "-q", *files], capture_output=True, check=True
    )
    return [json.loads(line) for line in parsed.stdout.splitlines()]


@pytest.mark.parametrize("type_name", sorted(PERTURBATIONS))
def test_every_variant_of_a_real_golden_is_valid(goldens: list[Record], type_name: str) -> None:
    donors = donors_from(goldens)
    outcomes: Counter[str] = Counter()
    for number, golden in enumerate(golden for golden in goldens if len(golden["nodes"]) >= 5):
        pair = perturb(golden, type_name, (10, 30, 50)[number % 3], seed=number, donors=donors)
        validation = validate(pair)
        assert validation.get("valid") is not False, (pair["id"], validation)
        outcomes["made" if pair["candidate"] else pair["perturbation"]["inapplicable"]] += 1
    assert outcomes.total() > 400
    if type_name != "wrong_tool":  # few of these goldens name a tool
        assert outcomes["made"] > 0.9 * outcomes.total()
