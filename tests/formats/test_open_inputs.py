from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from merger.errors import FormatError, InputError
from merger.formats import ReadOptions, read_documents
from merger.formats.open_inputs import find_files, read_lines
from tests.support.conll_text import block, words_of

TEXT = block("d\t0\t0\té\tNN\t(0)\nd\t0\t1\tb\tNN\t-\n")
ROOT = Path(__file__).parents[2]


def saved(folder: Path, data: bytes, name: str = "x.conll") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def refused(path: str) -> InputError:
    with pytest.raises(InputError) as caught:
        list(read_documents(path))
    return caught.value


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (document,) = read_documents(saved(tmp_path, b"\xef\xbb\xbf" + TEXT.encode()))

    assert (document.id, words_of(document)) == ("d", [["é", "b"]])


def test_a_byte_order_mark_goes_though_the_first_line_is_longer_than_any_buffer() -> None:
    line = "x" * (3 << 20)

    assert list(read_lines(io.BytesIO(b"\xef\xbb\xbf" + line.encode() + b"\nend"), "x")) == [line + "\n", "end"]


def test_gzip_is_recognised_by_its_first_bytes_whatever_the_name(tmp_path: Path) -> None:
    for name in ("x.conll.gz", "x.conll"):
        (document,) = read_documents(saved(tmp_path, gzip.compress(TEXT.encode()), name))
        assert words_of(document) == [["é", "b"]]


def test_several_gzip_files_one_behind_the_other_are_one_text(tmp_path: Path) -> None:
    members = gzip.compress(TEXT.encode()[:30]) + gzip.compress(TEXT.encode()[30:])

    assert len(list(read_documents(saved(tmp_path, members)))) == 1


@pytest.mark.parametrize("cut", [8, 1])
def test_a_gzip_file_that_ends_too_soon_is_an_error_that_says_so(tmp_path: Path, cut: int) -> None:
    error = refused(saved(tmp_path, gzip.compress(TEXT.encode())[:-cut]))

    assert isinstance(error, FormatError)
    assert "broken gzip data" in error.message


def test_a_gzip_file_with_other_bytes_inside_is_an_error_that_says_so(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TEXT.encode() * 50))
    packed[len(packed) // 2 : len(packed) // 2 + 8] = b"\xff" * 8

    assert "broken gzip data" in refused(saved(tmp_path, bytes(packed))).message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_an_error_that_says_so(tmp_path: Path, encoding: str) -> None:
    error = refused(saved(tmp_path, TEXT.encode(encoding)))

    assert isinstance(error, FormatError)
    assert (error.message, error.expected, error.location.line) == ("the text is UTF-16", "UTF-8", 1)


def test_a_byte_that_is_not_utf_8_is_an_error_with_its_line(tmp_path: Path) -> None:
    error = refused(saved(tmp_path, TEXT.encode("latin-1")))

    assert (error.message, error.location.line) == ("byte 0xe9 is not UTF-8", 2)


def test_a_byte_that_is_not_utf_8_has_the_right_line_far_behind_the_first_buffer() -> None:
    """Three bytes a line: the bad one is in line 700,001, at 2,100,000 bytes."""
    data = b"ab\n" * 700_000 + b"\xff\n"

    with pytest.raises(FormatError) as caught:
        list(read_lines(io.BytesIO(data), "x"))
    assert caught.value.location.line == 700_001


@pytest.mark.parametrize("size", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_characters_and_lines_over_the_end_of_a_buffer_stay_whole(size: int) -> None:
    text = "x" * (size - 1) + "é\nnext\r\n\u2028last"

    assert list(read_lines(io.BytesIO(text.encode()), "x")) == ["x" * (size - 1) + "é\n", "next\r\n", "\u2028last"]


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\rb\x0bc\x0cd\x1ce\x85f\u2028g\u2029h\x00i\n"

    assert list(read_lines(io.BytesIO(text.encode()), "x")) == [text]


def test_a_very_long_line_is_read(tmp_path: Path) -> None:
    word = "w" * 5_000_000
    (document,) = read_documents(saved(tmp_path, block(f"d 0 0 {word} NN (0)").encode()))

    assert words_of(document) == [[word]]


def test_nul_bytes_are_read_as_they_are(tmp_path: Path) -> None:
    (document,) = read_documents(saved(tmp_path, block("d\t0\t0\ta\x00b\tNN\t-").encode()))

    assert words_of(document) == [["a\x00b"]]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n  \n", b"\xef\xbb\xbf", gzip.compress(b"")],
    ids=["nothing", "blank lines", "byte order mark", "gzip"],
)
def test_an_empty_file_is_an_error_that_says_so(tmp_path: Path, data: bytes) -> None:
    path = saved(tmp_path, data)

    assert str(refused(path)) == f"{path}: the file is empty; expected at least one document"


def test_a_file_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    path = str(tmp_path / "no.conll")

    assert str(refused(path)) == f"{path}: cannot be read: No such file or directory"


def test_an_empty_name_is_an_error_and_not_the_current_directory() -> None:
    assert refused("").message == "the name of an input is empty"


def test_a_directory_stands_for_its_files_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        saved(tmp_path, block("a -", part=str(number)).encode(), f"part{number}.conll")

    (document,) = read_documents(str(tmp_path))

    assert [part.number for part in document.parts] == [1, 2, 10]


def test_a_directory_is_searched_to_its_bottom_for_known_names_packed_or_not(tmp_path: Path) -> None:
    wanted = ["a/b/x.conll", "c.v4_gold_conll", "d.key", "e.conll.gz", "f.conllu", "g.jsonlines"]
    for name in [*wanted, "notes.txt", ".hidden.conll", ".git/x.conll", "h.conll.bak", "c.conll.d/readme"]:
        saved(tmp_path, b"", name)

    suffixes = (".conll", "_conll", ".key", ".conllu", ".jsonlines")
    assert find_files(str(tmp_path), suffixes) == [str(tmp_path / name) for name in wanted]


def test_a_hidden_directory_that_is_named_is_searched(tmp_path: Path) -> None:
    path = saved(tmp_path, b"", ".data/x.conll")

    assert find_files(str(tmp_path / ".data"), (".conll",)) == [path]


def test_a_directory_without_annotation_is_an_error_that_names_the_endings(tmp_path: Path) -> None:
    saved(tmp_path, b"", "notes.txt")
    error = refused(str(tmp_path))

    assert error.message == "no annotation file in this directory"
    assert ".conll" in (error.expected or "")


def test_several_inputs_are_read_one_after_the_other(tmp_path: Path) -> None:
    paths = [saved(tmp_path, block("a -", name=name).encode(), f"{name}.conll") for name in ("z", "a")]

    assert [document.id for document in read_documents(paths)] == ["z", "a"]


def test_parts_may_be_in_files_of_their_own(tmp_path: Path) -> None:
    paths = [saved(tmp_path, block("a -", part=str(part)).encode(), f"{part}.conll") for part in range(3)]

    (document,) = read_documents(paths)

    assert len(document.parts) == 3


def read_standard_input(data: bytes, times: int = 1) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; from merger.formats import read_documents; from merger.errors import InputError\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "try:\n"
        f"    for _ in range({times}):\n"
        "        print([(d.id, d.file, d.parts[0].sentences[0].forms) for d in read_documents('-')])\n"
        "except InputError as error:\n"
        "    print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], input=data, capture_output=True, cwd=ROOT, check=True, timeout=60
    )
    return subprocess.CompletedProcess(result.args, 0, result.stdout.decode(), result.stderr.decode())


@pytest.mark.parametrize(
    "data",
    [TEXT.encode(), gzip.compress(TEXT.encode()), b"\xef\xbb\xbf" + TEXT.encode()],
    ids=["plain", "gzip", "byte order mark"],
)
def test_a_dash_is_standard_input_packed_or_not(data: bytes) -> None:
    assert read_standard_input(data).stdout == "[('d', '<stdin>', ('é', 'b'))]\n"


def test_errors_in_standard_input_name_it() -> None:
    assert read_standard_input(TEXT.encode("latin-1")).stdout.startswith("<stdin>:2: byte 0xe9")
    assert read_standard_input(b"").stdout.startswith("<stdin>: the file is empty")


def test_standard_input_can_be_read_once() -> None:
    lines = read_standard_input(TEXT.encode(), times=2).stdout.splitlines()

    assert lines[1:] == ["<stdin>: standard input was read before; expected - once"]


def test_no_file_is_left_open(tmp_path: Path) -> None:
    """An open file would warn when it is collected, and warnings are errors here."""
    for name, data in (("x.conll", TEXT.encode()), ("x.conll.gz", gzip.compress(TEXT.encode()))):
        path = saved(tmp_path, data, name)
        code = f"import gc; from merger.formats import read_documents; list(read_documents({path!r})); gc.collect()"
        result = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error", "-c", code],
            capture_output=True,
            cwd=ROOT,
            check=True,
            timeout=60,
        )
        assert result.stderr == b""


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="file names are Unicode there")
def test_a_file_name_that_is_not_utf_8_is_shown_with_its_bytes_escaped(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.conll"
    with open(path, "wb") as file:  # noqa: PTH123  # a name in bytes
        file.write(b"x\n")

    error = refused(os.fsdecode(path))

    assert str(error).startswith(f"{tmp_path}/caf\\xe9.conll:1: ")
    assert str(error).encode()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX pipes")
def test_a_pipe_below_a_folder_is_passed_over_with_a_notice(tmp_path: Path) -> None:
    saved(tmp_path, TEXT.encode())
    os.mkfifo(tmp_path / "pipe.conll")
    options = ReadOptions()

    assert [each.id for each in read_documents(str(tmp_path), options=options)] == ["d"]
    (notice,) = options.notices
    assert notice.location.file == str(tmp_path / "pipe.conll")
    assert "passed over" in notice.message


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="POSIX devices")
def test_a_device_that_never_ends_is_not_read(device: str) -> None:
    assert str(refused(device)) == f"{device}: a device, not a file; expected a file or a pipe"


def test_nul_bytes_are_no_text(tmp_path: Path) -> None:
    assert "begins with NUL bytes" in str(refused(saved(tmp_path, bytes(100))))
