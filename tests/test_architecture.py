"""Who may import whom, what stays out of memory, and how long a module may be."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "wfkit"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))
MAX_LINES = 400

HEAVY = {
    "numpy", "scipy", "nltk", "networkx", "torch", "sentence_transformers", "transformers", "tokenizers", "bert_score",
    "jinja2", "matplotlib", "ruamel", "pydot", "openai", "onnxruntime", "jsonschema", "safetensors",
}  # fmt: skip

# From the top down: a module imports from its own group and from those below.
COMMAND_LINE = {"wfkit.launch", "wfkit.skeleton", "wfkit.filters"}
PLUMBING = {
    "wfkit.delivery",
    "wfkit.engine",
    "wfkit.workers",
    "wfkit.sources",
    "wfkit.streams",
    "wfkit.preparing_ahead",
    "wfkit.reading_ahead",
    "wfkit.shared_files",
}
LIGHT = {
    "wfkit", "wfkit.delivery", "wfkit.engine", "wfkit.errors", "wfkit.joining", "wfkit.jsonl", "wfkit.registry",
    "wfkit.schema", "wfkit.skeleton", "wfkit.sources", "wfkit.streams", "wfkit.workflow",
}  # fmt: skip
LIGHT_PACKAGES = {"wfkit.filters", "wfkit.formats", "wfkit.gate"}
LEAVES = {"wfkit.errors", "wfkit.exit_codes", "wfkit.interrupts"}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def within(name: str, groups: set[str]) -> bool:
    return any(name == group or name.startswith(f"{group}.") for group in groups)


def only_for_types(tree: ast.Module) -> set[ast.AST]:
    """Everything below ``if TYPE_CHECKING:``, which is never run."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }


def imports_of(nodes: Iterator[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def all_imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    unused = only_for_types(tree)
    return imports_of(node for node in ast.walk(tree) if node not in unused)


def imports_at_the_top(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    inside = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
    }
    unused = only_for_types(tree) | inside
    return imports_of(node for node in ast.walk(tree) if node not in unused)


def test_no_module_is_long() -> None:
    assert {name_of(path): size for path in MODULES if (size := len(path.read_text().splitlines())) > MAX_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        path for path in MODULES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert list(map(name_of, silent)) == []


def test_nothing_below_the_command_line_knows_it() -> None:
    for path in MODULES:
        if not within(name_of(path), COMMAND_LINE):
            upward = [name for name in all_imports(path) if within(name, COMMAND_LINE | {"click"})]
            assert (name_of(path), upward) == (name_of(path), [])


def test_domain_code_knows_no_streams_and_never_prints_or_exits() -> None:
    domain = [path for path in MODULES if not within(name_of(path), COMMAND_LINE | PLUMBING)]
    assert len(domain) > 20
    for path in domain:
        assert (name_of(path), [name for name in all_imports(path) if within(name, PLUMBING)]) == (name_of(path), [])
        called = {
            ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        }
        loud = {name for name in called if name.startswith(("sys.stdout.", "sys.stderr."))}
        loud |= called & {"print", "input", "exit", "quit", "sys.exit", "os._exit"}
        assert (name_of(path), loud) == (name_of(path), set())


def test_leaves_import_nothing_of_ours() -> None:
    for path in MODULES:
        if name_of(path) in LEAVES:
            assert [name for name in all_imports(path) if within(name, {"wfkit"})] == []


def test_the_registry_holds_strings_only() -> None:
    ours = {name for name in all_imports(PACKAGE / "registry.py") if within(name, {"wfkit"})}
    assert ours == {"wfkit.errors.UsageProblem"}


def test_light_modules_import_no_heavy_one_at_the_top() -> None:
    light = [path for path in MODULES if name_of(path) in LIGHT or within(name_of(path), LIGHT_PACKAGES)]
    assert len(light) > 30
    for path in light:
        heavy = {name.split(".")[0] for name in imports_at_the_top(path)} & HEAVY
        assert (name_of(path), heavy) == (name_of(path), set())


def heavy_after(name: str, *arguments: str) -> list[str]:
    """The heavy modules that a filter's process holds when it ends well."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from wfkit.filters.{name.replace("-", "_")} import main
try:
    main({list(arguments)!r}, prog_name={name!r})
except SystemExit as done:
    assert not done.code, done.code
sys.stderr.write("\\n" + " ".join(name for name in {sorted(HEAVY)!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode().splitlines()[-1].split()


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "bin").iterdir()))
def test_help_loads_no_heavy_module(name: str) -> None:
    assert heavy_after(name, "--help") == []


def test_light_filters_load_no_heavy_module_for_their_job(tmp_path: Path) -> None:
    text, pairs = tmp_path / "tea.txt", tmp_path / "pairs.jsonl"
    text.write_text("Node:\n1: boil the water\n2: pour it\nEdge: (START,1) (1,2) (2,END)\n")
    assert heavy_after("wf-parse", str(text)) == []
    workflow = {"kind": "workflow", "id": "tea", "nodes": [{"id": "1", "text": "boil the water"}], "edges": []}
    scores = {"chain_f1": 1, "graph_f1": 1, "kendall_tau": 1, "bleu": 1, "gleu": 1}
    pair = {"kind": "pair", "id": "tea", "golden": workflow, "candidate": workflow, "scores": scores}
    pairs.write_text(json.dumps(pair) + "\n")
    assert heavy_after("wf-gate", str(pairs)) == []


def test_lexical_metrics_load_no_model_and_no_numeric_library(tmp_path: Path) -> None:
    golden = {"kind": "workflow", "id": "tea", "nodes": [{"id": "1", "text": "boil the water"}], "edges": []}
    candidate = {**golden, "nodes": [{"id": "1", "text": "boil some water"}]}
    for name, record in (("golden", golden), ("candidate", candidate)):
        (tmp_path / name).write_text(json.dumps(record) + "\n")
    arguments = ("--metrics", "bleu,gleu", "--golden", f"{tmp_path}/golden", f"{tmp_path}/candidate")
    assert set(heavy_after("wf-score", *arguments)) <= {"nltk"}
