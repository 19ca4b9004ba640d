"""The file of finished episodes: nothing torn, nothing twice, one writer, whatever happens to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wfkit.agents.grading.ledger import Ledger
from wfkit.errors import DataError, UsageProblem


def id_of(record: object) -> str:
    if not isinstance(record, dict) or "id" not in record:
        raise DataError("this does not belong here")
    return str(record["id"])


def opened(path: Path, *, resume: bool = True) -> Ledger:
    return Ledger(str(path), id_of, resume=resume)


def test_what_was_written_is_found_again(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "runs", resume=False)
    ledger.append({"id": "a", "text": "ä"})
    ledger.append({"id": "b"})
    assert (ledger.size, ledger.holds("a"), ledger.holds("c")) == (2, True, False)
    assert ledger.find("a") == {"id": "a", "text": "ä"}
    assert ledger.find("c") is None
    ledger.close()
    again = opened(tmp_path / "runs")
    assert again.find("b") == {"id": "b"}
    again.append({"id": "c"})
    again.close()
    assert (tmp_path / "runs").read_bytes() == '{"id":"a","text":"ä"}\n{"id":"b"}\n{"id":"c"}\n'.encode()


def test_every_record_is_in_the_file_as_soon_as_it_is_appended(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "runs", resume=False)
    for number in range(3):
        ledger.append({"id": str(number)})
        assert (tmp_path / "runs").read_bytes().count(b"\n") == number + 1
    ledger.close()


@pytest.mark.parametrize("torn", [b'{"id":"c"', b'{"id":"c"}', b"{", b"\xff"])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: bytes) -> None:
    (tmp_path / "runs").write_bytes(b'{"id":"a"}\n{"id":"b"}\n' + torn)
    ledger = opened(tmp_path / "runs")
    assert (ledger.size, ledger.holds("c")) == (2, False)
    ledger.append({"id": "c"})
    ledger.close()
    assert (tmp_path / "runs").read_bytes() == b'{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n'


def test_lines_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "runs", resume=False)
    ledger.append({"id": "long", "text": "x" * 3_000_000})
    ledger.append({"id": "short"})
    ledger.close()
    again = opened(tmp_path / "runs")
    assert len((again.find("long") or {})["text"]) == 3_000_000
    assert again.holds("short")
    again.close()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id":"a"}\nrubbish\n', "runs:2: not JSON"),
        (b'{"id":"a"}\n{"name":"b"}\n', "runs:2: this does not belong here"),
        (b'{"id":"a"}\n{"id":"a"}\n', "runs:2: the episode a is there twice"),
        (b"[]\n", "runs:1: this does not belong here"),
    ],
)
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "runs").write_bytes(content)
    with pytest.raises(UsageProblem, match=words):
        opened(tmp_path / "runs")
    assert (tmp_path / "runs").read_bytes() == content


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "runs").write_bytes(b"")
    with pytest.raises(UsageProblem, match="exists: --resume"):
        opened(tmp_path / "runs", resume=False)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    first = opened(tmp_path / "runs")
    first.append({"id": "a"})
    with pytest.raises(UsageProblem, match="locked: another process"):
        opened(tmp_path / "runs")
    first.close()
    opened(tmp_path / "runs").close()


def test_places_where_no_ledger_can_be(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "no" / "folder", Path("/dev/null")):
        with pytest.raises(UsageProblem):
            opened(place)


def test_one_that_never_held_anything_is_gone_at_the_end(tmp_path: Path) -> None:
    opened(tmp_path / "runs", resume=False).close()
    assert not (tmp_path / "runs").exists()


def test_the_last_record_can_be_taken_back(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "runs", resume=False)
    for name in "abc":
        ledger.append({"id": name})
    ledger.drop_last_unless(lambda name: name == "c")
    assert ledger.size == 3
    ledger.drop_last_unless(lambda name: name == "b")
    assert not ledger.holds("c")
    ledger.append({"id": "d"})
    ledger.close()
    assert (tmp_path / "runs").read_bytes() == b'{"id":"a"}\n{"id":"b"}\n{"id":"d"}\n'


def test_a_full_disk_leaves_whole_lines_only(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: both stop a write in the middle of a record."""
    program = """
import resource, signal, sys
from pathlib import Path
from tests.agents.grading.test_ledger import opened
from wfkit.errors import Unavailable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (250, 250))
ledger = opened(Path(sys.argv[1]), resume=False)
try:
    for number in range(10):
        ledger.append({"id": str(number), "text": "x" * 80})
except Unavailable as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "runs")], capture_output=True, text=True, check=True
    )
    assert "cannot write" in done.stdout and "--resume" in done.stdout
    assert os.path.getsize(tmp_path / "runs") == 2 * len('{"id":"0","text":""}\n' + "x" * 80)
    again = opened(tmp_path / "runs")
    assert again.size == 2
    again.close()
