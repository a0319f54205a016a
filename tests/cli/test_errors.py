from __future__ import annotations

import os
import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support import command_line
from tests.support.command_line import EXAMPLES, NOWHERE
from tests.support.in_process import error_of, output_of, run
from tests.support.running_server import until

FERRY = str(EXAMPLES / "parts" / "ferry.conll")
FERRY_KEY = str(EXAMPLES / "key" / "ferry.conll")
UNTAGGED = """\
#begin document (novel); part 0
novel\t0\t0\tAnn\t_\t_\t(1)
novel\t0\t1\ther\t_\t_\t(1)

#end document
"""
MERGE_COMMANDS = ("merge", "score", "split", "convert", "validate", "strategies", "serve", "demo", "completion")


@pytest.mark.parametrize("arguments", [("merge", "nowhere.conll"), ("score", "nowhere.conll", FERRY)])
def test_a_file_that_is_not_there_is_an_input_error(arguments: tuple[str, ...]) -> None:
    assert error_of(*arguments, code=1) == "nowhere.conll: cannot be read: No such file or directory"


def test_an_empty_input_is_an_input_error() -> None:
    assert error_of("merge", "-", code=1) == "<stdin>: the file is empty; expected at least one document"


def test_bytes_that_are_not_utf8_are_an_input_error_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.conll"
    file.write_bytes(b"#begin document (a); part 0\na\t0\t0\tcaf\xe9\tNN\t-\n\n#end document\n")

    assert error_of("merge", file, code=1) == f"{file}:2 (document a): byte 0xe9 is not UTF-8; expected UTF-8"


def test_an_unknown_strategy_is_a_usage_error_that_lists_the_known_ones() -> None:
    error = error_of("merge", FERRY, "-s", "gready", code=2)

    assert error.startswith("no strategy 'gready' (did you mean greedy?); there are none, greedy, ")


def test_a_connection_is_waited_for_no_longer_than_retry_for_says() -> None:
    # It notes that it tries again, then gives up; the time that it waited for the connection is in the last line.
    done = run("merge", FERRY, "--server", NOWHERE, "--retry-for", "1")

    assert done.code == 3
    assert "within 1 s" in done.err.splitlines()[-1]


def test_options_after_a_comma_are_answered_with_the_colon() -> None:
    error = error_of("merge", FERRY, "-s", "greedy,match=token", code=2)

    assert "options come after a colon: greedy:match=token" in error


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--match", "nouns"), "Invalid value for '--match': 'nouns' is not one of 'noun', 'token', "),
        (("-s", "greedy:match=nouns"), "option match: 'nouns' is not one of noun, token, mention, head, fuzzy"),
        (("--option", "macth=noun"), "strategy greedy has no option 'macth' (did you mean match?); its options: "),
        (("--option", "match"), "--option match: expected NAME=VALUE (see merge-baseline merge --help)"),
        (("--threshold", "101"), "option threshold: 101.0 is not a number from 0 to 100"),
        (("--threshold", "high"), "Invalid value for '--threshold': 'high' is not a valid float"),
        (("-s", "none", "--one-to-one"), "strategy none has no option 'one-to-one'; it has none"),
        (("-s", "oracle"), "strategy oracle needs the gold merges: --key PATH"),
        (("--part-pattern", "("), "--part-pattern: "),
        (("--part-pattern", "(?P<part>.)"), "--part-pattern: expected the groups (?P<document>...) and (?P<part>...)"),
        (("--server", "here"), "server address 'here' is not HOST:PORT"),
        (("--server", "http://here:1"), "server address 'http://here:1' is not HOST:PORT"),
        (("--server", "he re:1"), "server address 'he re:1' is not HOST:PORT"),
        (("--server", "here:1", "--tls-server-name", ""), "TLS: '' is not a server name"),
        (("--server", "here:70000"), "server address 'here:70000': the port is not a number from 1 to 65535"),
        (("--decisions", "-"), "--decisions - needs standard output for itself"),
        (("--wrong",), "No such option"),
        (("-s", "greedy:match=noun,match=token"), "option match is given twice: noun and token"),
        (("--strict", "--lenient"), "--strict and --lenient cannot be combined"),
        (("--timeout", "-1"), "Invalid value for '--timeout': -1.0 is not in the range 0<x<=1000000.0"),
        (("--timeout", "nan"), "Invalid value for '--timeout': nan is not a number"),
        (("--retry-for", "nan"), "Invalid value for '--retry-for': nan is not a number"),
        (("--timeout", "600"), "--timeout is for merging on a server: --server is missing"),
        (("--retry-for", "0"), "--retry-for is for merging on a server: --server is missing"),
        (("--key", FERRY_KEY), "strategy greedy does not use the gold merges: --key is for oracle"),
        (("-", "-"), "standard input (-) can be read only once"),
        (("-", "--key", "-"), "standard input (-) can be read only once"),
        (("--format", "xml"), "Invalid value for '--format': 'xml' is not one of"),
    ],
)
def test_wrong_options_are_usage_errors_that_say_what_is_right(arguments: tuple[str, ...], says: str) -> None:
    assert error_of("merge", FERRY, *arguments, code=2).startswith(says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "expected exactly one of --tokens, --sentences, --into and --keep-parts"),
        (("--tokens", "5", "--into", "2"), "expected exactly one of --tokens, --sentences, --into and --keep-parts"),
        (("--tokens", "0"), "0 tokens: at least 1 is needed"),
    ],
)
def test_a_split_needs_one_way_to_cut(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    assert error_of("split", FERRY_KEY, "-o", tmp_path / "task", *arguments, code=2) == says
    assert not (tmp_path / "task").exists()


def test_a_missing_argument_and_a_missing_command_are_usage_errors() -> None:
    assert error_of("merge", code=2).startswith("Missing argument 'INPUT...'")
    assert error_of("marge", code=2).startswith("No such command 'marge'")


def test_without_a_command_the_help_is_shown() -> None:
    done = run()

    assert done.code == 2
    assert "Commands:" in done.out + done.err


def test_input_without_tags_is_an_error_that_names_the_place_and_what_to_do() -> None:
    error = error_of("merge", "-", stdin=UNTAGGED, code=1)

    assert error.startswith("<stdin> (document novel, part 0): no part-of-speech tags, and strategy greedy ")
    assert "greedy:match=mention needs no tags" in error
    assert output_of("merge", "-", "-s", "none", stdin=UNTAGGED) == UNTAGGED


def test_a_key_of_other_documents_is_an_input_error() -> None:
    error = error_of("merge", FERRY, "-s", "oracle", "--key", str(EXAMPLES / "key" / "clock.conll"), code=1)

    assert error == f"{FERRY} (document nw/ferry): the key lacks this document"


def test_a_merged_document_cannot_be_merged_again() -> None:
    assert "merge-baseline split" in error_of("merge", FERRY_KEY, code=1)


def test_no_server_there_is_told_apart_from_bad_input() -> None:
    commands = (("merge", FERRY), ("strategies",), ("demo",))
    # Each waits some seconds for the server to come, so these are processes at the same time.
    with ThreadPoolExecutor() as workers:
        found = workers.map(lambda each: command_line.error_of(*each, "--server", NOWHERE, code=3), commands)
        errors = list(found)

    assert all(error.startswith(f"no server answers at {NOWHERE}") for error in errors)
    hasty = error_of("merge", FERRY, "--server", NOWHERE, "--timeout", "0.5", "--retry-for", "0", code=3)
    assert hasty.startswith(f"no server answers at {NOWHERE} within 0.5 s; ")


def test_a_host_whose_name_is_not_known_is_told_apart_from_one_where_nothing_answers() -> None:
    with pytest.raises(socket.gaierror) as unknown:
        socket.getaddrinfo("nowhere.invalid", 1)
    if unknown.value.errno != socket.EAI_NONAME:
        pytest.skip("no name service here that says so")

    # It gives itself half a second to find that out.
    assert until(
        lambda: error_of("strategies", "--server", "nowhere.invalid:1", code=3).startswith(
            "the host name of nowhere.invalid:1 is unknown"
        )
    )


def test_a_port_in_use_is_said_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        error = error_of("serve", "--port", str(port), code=3)

    assert error.startswith(f"can't listen on 127.0.0.1:{port}: ")


def test_a_port_that_is_none_is_a_usage_error() -> None:
    assert error_of("serve", "--port", "70000", code=2) == "--port: 70000 is not a number from 0 to 65535"


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_a_time_that_is_none_is_a_usage_error(seconds: str) -> None:
    error = error_of("health", NOWHERE, "--timeout", seconds, code=2)

    assert error.startswith("Invalid value for '--timeout': ")


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="arguments are Unicode there")
@pytest.mark.parametrize("command", ["health", "merge", "serve", "--host", "--strategy", "--tls-server-name"])
def test_arguments_that_are_not_utf_8_are_errors_of_one_line(command: str) -> None:
    odd = os.fsdecode(b"h\xff")
    arguments: dict[str, tuple[str, ...]] = {
        "health": ("health", f"{odd}:1"),
        "merge": ("merge", FERRY, "--server", f"{odd}:1"),
        "serve": ("serve", "--host", odd),
        "--host": ("doctor", "--host", odd),
        "--strategy": ("health", NOWHERE, "--strategy", odd),
        "--tls-server-name": ("health", NOWHERE, "--tls-server-name", odd),
    }
    code = 3 if command == "--strategy" else 2

    assert "h\\udcff" in error_of(*arguments[command], code=code)


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="arguments are Unicode there")
def test_the_doctor_shows_arguments_that_are_not_utf_8() -> None:
    odd = os.fsdecode(b"h\xff")
    done = run("doctor", "--server", f"{odd}:1", "--check-cert", odd, "--check-key", odd)

    assert (done.code, done.err) == (1, "")
    assert "server address 'h\\udcff:1' is not HOST:PORT" in done.out
    assert "certificate h\\udcff: cannot be read" in done.out


def test_an_output_folder_that_is_not_there_is_named() -> None:
    assert error_of("merge", FERRY, "-o", "nowhere/merged.conll", code=1) == (
        "nowhere/merged.conll: No such folder: nowhere"
    )


def test_an_output_that_is_a_folder_is_named(tmp_path: Path) -> None:
    assert error_of("convert", FERRY, "--to", "jsonlines", "-o", tmp_path, code=1) == f"{tmp_path}: Is a directory"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may write everywhere, and Windows has no modes"
)
def test_an_output_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    error = error_of("merge", FERRY, "-o", tmp_path / "merged.conll", code=1)

    tmp_path.chmod(0o700)
    assert error == f"{tmp_path / 'merged.conll'}: Permission denied"


def test_a_split_folder_below_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    error = error_of("split", FERRY_KEY, "--into", "2", "-o", tmp_path / "file" / "task", code=1)

    assert error == f"{tmp_path / 'file' / 'task'}: Not a directory"


def test_different_words_in_key_and_response_are_shown(tmp_path: Path) -> None:
    response = tmp_path / "other.conll"
    text = Path(FERRY_KEY).read_text("utf-8")
    words = re.findall(r"^nw/ferry\s+0\s+0\s+(\S+)", text, re.MULTILINE)
    response.write_text(re.sub(r"^(nw/ferry\s+0\s+0\s+)\S+", r"\1Quux", text, count=1, flags=re.MULTILINE), "utf-8")

    error = error_of("score", FERRY_KEY, response, code=1)

    assert "'Quux'" in error
    assert f"'{words[0]}'" in error


@pytest.mark.parametrize("command", MERGE_COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = run(command, "--help")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: merge-baseline {command} ")


def test_the_help_lists_every_command_and_the_exit_codes() -> None:
    text = output_of("--help")

    for command in MERGE_COMMANDS:
        assert f"  {command} " in text
    assert "Exit codes: 0 success; 1 bad input; 2 wrong usage" in text
    assert output_of("-h") == text
