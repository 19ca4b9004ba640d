"""Lines in as they come, bytes out whole, files that appear only when complete."""

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wfkit import streams
from wfkit.errors import UsageProblem
from wfkit.streams import Line, OutputFailed, OutputFile, ReaderGone

LIMIT = 1 << 20
ORDINARY = "Grüße, 你好, שלום, 👩\u200d🚀, hard\xa0space, wide\u3000space"


def lines_of(data: bytes, path: Path, limit: int = LIMIT) -> list[Line]:
    path.write_bytes(data)
    inputs = streams.open_inputs([str(path)], "wf-x", "records")
    return [line for batch in streams.read_batches(inputs, limit) for line in batch]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a\nb\n", [(b"a", 1), (b"b", 2)]),
        (b"a\nb", [(b"a", 1), (b"b", 2)]),  # no last newline
        (b"a\r\nb\r\n", [(b"a", 1), (b"b", 2)]),
        (b"\xef\xbb\xbfa\nb\n", [(b"a", 1), (b"b", 2)]),  # a BOM
        (b"a\n\xef\xbb\xbfb\n", [(b"a", 1), (b"\xef\xbb\xbfb", 2)]),  # only at the start of a file
        (b"\xef\xbb\xbf\na\n", [(b"a", 2)]),
        (b"\n\n a \n \t\r\nb\n", [(b" a ", 3), (b"b", 5)]),  # blank lines count as lines
        (
            b"a\xe2\x80\xa8b\x0bc\x0cd\x85e\n",
            [(b"a\xe2\x80\xa8b\x0bc\x0cd\x85e", 1)],
        ),  # U+2028 and the like end no line
        (b"a\rb\n", [(b"a\rb", 1)]),
        (b"\0\n", [(b"\0", 1)]),
    ],
)
def test_lines(data: bytes, expected: list[tuple[bytes, int]], tmp_path: Path) -> None:
    lines = lines_of(data, tmp_path / "f")
    assert [(line.raw, line.number) for line in lines] == expected
    assert all(line.size == len(line.raw) and line.file == str(tmp_path / "f") for line in lines)


@pytest.mark.parametrize("length", [0, 1, 9, 10, 11, 12, 5000])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_over_the_limit_keeps_its_head_and_size(length: int, end: bytes, tmp_path: Path) -> None:
    lines = lines_of(b"a\n" + b"x" * length + end + (b"b\n" if end else b""), tmp_path / "f", limit=10)
    sizes = [line.size for line in lines]
    assert sizes == [1, *([length] if length else []), *([1] if end else [])]
    for line in lines:
        assert line.raw == (b"x" * line.size if line.size <= 10 and line.size > 1 else line.raw)
        assert len(line.raw) == (line.size if line.size <= 10 else min(line.size, 1024))


def test_a_long_line_that_begins_with_blanks_is_no_blank_line(tmp_path: Path) -> None:
    lines = lines_of(b" " * 3000 + b"{}\n \na\n", tmp_path / "f", limit=2000)
    assert [(line.raw, line.size, line.number) for line in lines] == [(b" " * 1024, 3002, 1), (b"a", 1, 3)]


def test_a_long_line_in_many_chunks_keeps_its_head_and_size(tmp_path: Path) -> None:
    lines = lines_of(b"x" * (3 << 20) + b"\nend\n", tmp_path / "f")
    assert [(len(line.raw), line.size) for line in lines] == [(1024, 3 << 20), (3, 3)]


def test_a_line_in_many_chunks_is_whole(tmp_path: Path) -> None:
    data = b"".join(b"%d" % (number % 10) for number in range(LIMIT - 5))
    assert [line.raw for line in lines_of(data + b"\nb\n", tmp_path / "f")] == [data, b"b"]


def test_files_follow_each_other_and_each_counts_its_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a\nb")
    two.write_bytes(b"\xef\xbb\xbfc\n")
    inputs = streams.open_inputs([str(one), str(two)], "wf-x", "records")
    lines = [line for batch in streams.read_batches(inputs, LIMIT) for line in batch]
    assert [(line.raw, Path(line.file).name, line.number) for line in lines] == [
        (b"a", "one", 1), (b"b", "one", 2), (b"c", "two", 1),
    ]  # fmt: skip


def test_batches_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\n" * 1000)
    batches = list(streams.read_batches(streams.open_inputs([str(tmp_path / "f")], "wf-x", "records"), LIMIT))
    assert sum(map(len, batches)) == 1000
    assert max(map(len, batches)) == streams.BATCH_LINES


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for descriptor in (reader, writer):
        try:
            os.close(descriptor)
        except OSError as error:
            assert error.errno == errno.EBADF


def test_a_line_is_handed_on_before_the_next_one_comes(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    batches = streams.lines_of("-", reader, LIMIT)
    os.write(writer, b"first\nseco")
    assert [line.raw for line in next(batches)] == [b"first"]  # would block for ever if it waited for more
    os.write(writer, b"nd\n")
    assert [line.raw for line in next(batches)] == [b"second"]
    os.close(writer)
    assert list(batches) == []


def test_a_pipe_that_does_not_block_is_waited_for(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.set_blocking(reader, False)
    threading.Timer(0.05, lambda: (os.write(writer, b"late\n"), os.close(writer))).start()
    assert [line.raw for batch in streams.lines_of("-", reader, LIMIT) for line in batch] == [b"late"]


def test_all_bytes_are_written_to_a_pipe_that_does_not_block(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.set_blocking(writer, False)
    data, got = os.urandom(1 << 20), bytearray()

    def drain() -> None:
        while len(got) < len(data):
            got.extend(os.read(reader, 1 << 16))

    thread = threading.Thread(target=drain)
    thread.start()
    streams.write_all(writer, data)
    thread.join()
    assert bytes(got) == data


def test_a_reader_that_left_and_a_full_disk_are_told_apart(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.close(reader)
    with pytest.raises(ReaderGone):
        streams.write_all(writer, b"x")
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OutputFailed, match="No space left"):
        streams.write_all(full, b"x")
    os.close(full)


@pytest.mark.parametrize(
    ("name", "message"), [("absent", "No such file"), (".", "it is a directory"), ("f/x", "Not a directory")]
)
def test_an_input_that_cannot_be_read_is_told_before_anything_is_read(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    with pytest.raises(UsageProblem, match=message):
        streams.open_inputs([str(tmp_path / "f"), str(tmp_path / name)], "wf-x", "records")


def test_an_input_that_fails_later_is_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    inputs = streams.open_inputs([str(tmp_path / "f")], "wf-x", "records")
    (tmp_path / "f").unlink()
    with pytest.raises(UsageProblem, match="cannot read"):
        list(streams.read_batches(inputs, LIMIT))
    directory = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(UsageProblem, match="cannot read the input"):
        streams.read_chunk(directory)
    os.close(directory)


def test_inputs_are_open_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    before = len(os.listdir("/dev/fd"))
    inputs = streams.open_inputs([str(tmp_path / "f")] * 5000, "wf-x", "records")
    assert sum(len(batch) for batch in streams.read_batches(inputs, LIMIT)) == 5000
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain text, 3 words", "plain text, 3 words"),
        ("a\n\x1b[31mb", "a\\x0a\\x1b[31mb"),
        ("\r\t\0\x7f\x85\x9b", "\\x0d\\x09\\x00\\x7f\\x85\\x9b"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("\u202atxt\u202e \u2066gpj\u2069", "\\u202atxt\\u202e \\u2066gpj\\u2069"),
        ("\udc80", "\\udc80"),
        (ORDINARY, ORDINARY),
        ("", ""),
    ],
)
def test_what_is_told_stays_on_one_line_and_steers_no_terminal(
    line: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    streams.tell(line)
    assert capsys.readouterr().err == f"{shown}\n"


def test_a_file_name_that_is_no_text_is_shown_with_replacements() -> None:
    assert streams.shown(os.fsdecode(b"a\xff.txt")) == "a\ufffd.txt"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_output_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "out"
    output = OutputFile(str(target))
    streams.write_all(output.descriptor, b"new")
    assert not target.exists()
    output.commit()
    output.discard()  # does no harm afterwards
    assert target.read_bytes() == b"new"
    assert names_in(tmp_path) == ["out"]


def test_a_discarded_output_file_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    output = OutputFile(str(target))
    streams.write_all(output.descriptor, b"new")
    output.discard()
    assert target.read_bytes() == b"old"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755])
def test_an_existing_file_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    target.chmod(mode)
    streams.write_file(str(target), b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_bytes() == b"new"


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        streams.write_file(str(tmp_path / "out"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_is_written_through(exists: bool, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    if exists:
        target.write_bytes(b"a longer old text")
    link.symlink_to(target)
    streams.write_file(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names_in(tmp_path) == ["link", "target"]


def test_a_named_pipe_is_written_directly(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    thread.start()
    streams.write_file(str(fifo), b"new")
    thread.join()
    assert got == [b"new"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "the name is empty"), ("absent/out", "No such file"), ("folder", "Is a directory"), ("file/x", "Not a dir")],
)
def test_an_output_that_cannot_be_written_is_a_wrong_command_line(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("a")
    before = names_in(tmp_path)
    with pytest.raises(UsageProblem, match=message):
        OutputFile(str(tmp_path / name) if name else "")
    assert names_in(tmp_path) == before


def test_a_commit_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "out"
    output = OutputFile(str(target))
    target.mkdir()  # somebody makes a folder there meanwhile
    with pytest.raises(OutputFailed, match="Is a directory"):
        output.commit()
    output.discard()
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("write", [streams.write_file])
def test_a_report_for_a_full_disk_is_told(write: Callable[[str, bytes], None]) -> None:
    with pytest.raises(OutputFailed, match="No space left"):
        write("/dev/full", b"x")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("-", True), ("/dev/stdout", True), ("/dev/../dev/fd/1", True), ("/dev/fd/2", False), ("x", False)],
)
def test_names_of_standard_output(name: str, expected: bool) -> None:
    assert streams.is_standard_output(name) is expected
