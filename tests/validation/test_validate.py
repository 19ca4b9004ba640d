import subprocess
import sys

import pytest

from wfkit.validation.validate import validate

HEAVY = {"numpy", "scipy", "nltk", "networkx", "torch", "click", "orjson"}


def test_checking_imports_the_standard_library_only() -> None:
    program = (
        "import sys; from wfkit.validation import audit, inspection, validate; "
        "a = {'kind': 'workflow', 'id': 'a', 'nodes': [{'id': '1', 'text': 'x'}], 'edges': []}; "
        "p = {'kind': 'pair', 'id': 'p', 'golden': a, 'candidate': a}; "
        "p['perturbation'] = {'type': 'compressed_steps', 'severity': 9}; "
        "assert validate.validate(p)['valid'] is False; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "wfkit.validation.type_checks" in loaded
    assert not HEAVY & set(loaded)


@pytest.mark.parametrize("why", ["inapplicable", "unavailable"])
def test_a_pair_that_could_not_be_made_is_neither_valid_nor_invalid(why: str) -> None:
    golden = {"kind": "workflow", "id": "a", "nodes": [{"id": "1", "text": "x"}], "edges": []}
    perturbation = {"type": "missing_steps", "severity": 10, why: "for a reason"}
    pair = {"kind": "pair", "id": "p", "golden": golden, "candidate": None, "perturbation": perturbation}
    assert validate(pair) == {"checks": [], "inapplicable": "for a reason"}
