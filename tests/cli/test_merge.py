from __future__ import annotations

import gzip
import json
import os
import stat
import sys
from pathlib import Path
from typing import ClassVar

import click
import pytest
from click.testing import CliRunner

from client.cli.commands.merge import command as merge_command
from client.cli.strategy_options import chosen_strategy, strategy_options
from merger.options import Option, OptionValue
from merger.strategies import STRATEGIES, NoneStrategy, make_strategy
from tests.support.command_line import EXAMPLES, NAMES
from tests.support.in_process import error_of, output_of, run

FERRY = EXAMPLES / "parts" / "ferry.conll"
FERRY_KEY = EXAMPLES / "key" / "ferry.conll"
GREEDY = "greedy[match=noun,tie=recent,one-to-one=no,ignore-case=no,threshold=90]"
LEFT_OUT = "singletons were left out of merging and of the output (--singletons keep passes them through)"

# One token is a chain of its own; the noun fish links c to a, and nothing links b.
TINY = """\
#begin document (nw/tiny); part 000
nw/tiny\t0\t0\tfish\tNN\t(a)
nw/tiny\t0\t1\tit\tPRP\t(a)
nw/tiny\t0\t2\tcat\tNN\t(b)
nw/tiny\t0\t3\tit\tPRP\t(b)
nw/tiny\t0\t4\tdog\tNN\t(s)

#end document
#begin document (nw/tiny); part 001
nw/tiny\t1\t0\tfish\tNN\t(c)
nw/tiny\t1\t1\tit\tPRP\t(c)

#end document
"""
TINY_MERGED = """\
#begin document (nw/tiny); part 000
nw/tiny\t0\t0\tfish\tNN\t(a)
nw/tiny\t0\t1\tit\tPRP\t(a)
nw/tiny\t0\t2\tcat\tNN\t(b)
nw/tiny\t0\t3\tit\tPRP\t(b)
nw/tiny\t0\t4\tdog\tNN\t-

nw/tiny\t1\t0\tfish\tNN\t(a)
nw/tiny\t1\t1\tit\tPRP\t(a)

#end document
"""


def test_merging_changes_chain_ids_and_block_boundaries_only() -> None:
    assert output_of("merge", "-", stdin=TINY) == TINY_MERGED


def test_the_summary_goes_to_standard_error() -> None:
    done = run("merge", "-", stdin=TINY)

    # Four part chains; c is linked, the singleton s left out: a and b are left.
    assert done.err.splitlines() == [
        f"1 document, 4 part chains, 1 singleton among them: 1 linked to an earlier chain, 2 merged chains; {GREEDY}",
        f"merge-baseline: note: {LEFT_OUT}",
    ]


def test_one_mention_chains_are_kept_when_asked() -> None:
    assert output_of("merge", "-", "--singletons", "keep", stdin=TINY) == TINY_MERGED.replace("NN\t-", "NN\t(s)")


def test_decisions_are_written_as_json_lines_with_their_evidence(tmp_path: Path) -> None:
    run("merge", "-", "--decisions", tmp_path / "decisions.jsonl", stdin=TINY)

    records = [json.loads(line) for line in (tmp_path / "decisions.jsonl").read_text("utf-8").splitlines()]
    new = {"document": "nw/tiny", "antecedent": None, "strategy": GREEDY, "evidence": None}
    assert records == [
        {**new, "part": 0, "chain": "a"},
        {**new, "part": 0, "chain": "b"},
        {
            "document": "nw/tiny",
            "part": 1,
            "chain": "c",
            "antecedent": {"part": 0, "chain": "a"},
            "strategy": GREEDY,
            "evidence": {
                "rule": "noun",
                "text": "fish",
                "pairs": [{"mention": [1, 0, [[0, 0]]], "antecedent": [0, 0, [[0, 0]]]}],
            },
        },
    ]


def test_the_json_report_has_the_decisions_and_the_notices() -> None:
    report = json.loads(output_of("merge", "-", "--json", stdin=TINY))

    (document,) = report["documents"]
    counts = {name: document[name] for name in ("id", "parts", "part_chains", "merged_chains", "links", "singletons")}
    assert counts == {
        "id": "nw/tiny",
        "parts": 2,
        "part_chains": 4,
        "merged_chains": 2,
        "links": 1,
        "singletons": 1,
    }
    assert [decision["chain"] for decision in document["decisions"]] == ["a", "b", "c"]
    assert [(notice["kind"], notice["count"]) for notice in report["notices"]] == [("singletons left out", 1)]


def test_with_json_documents_go_to_the_output_and_the_report_to_standard_output(tmp_path: Path) -> None:
    report = output_of("merge", "-", "--json", "-o", tmp_path / "merged.conll", stdin=TINY)

    assert json.loads(report)["documents"][0]["links"] == 1
    assert (tmp_path / "merged.conll").read_text("utf-8") == TINY_MERGED


@pytest.mark.parametrize(
    "arguments",
    [
        ("--strategy", "greedy:match=mention,one-to-one"),
        ("--strategy", "greedy", "--option", "match=mention", "--option", "one-to-one=yes"),
        ("--match", "mention", "--one-to-one"),
    ],
)
def test_options_of_the_strategy_may_be_given_in_three_ways(arguments: tuple[str, ...]) -> None:
    report = json.loads(output_of("merge", FERRY, "--json", *arguments))

    assert report["strategy"] == "greedy[match=mention,tie=recent,one-to-one=yes,ignore-case=no,threshold=90]"


@pytest.mark.parametrize("name", NAMES)
def test_the_human_decisions_give_the_key_of_an_example_byte_for_byte(name: str) -> None:
    parts, key = (EXAMPLES / folder / f"{name}.conll" for folder in ("parts", "key"))

    assert output_of("merge", parts, "-s", "oracle", "--key", key) == key.read_bytes().decode()


@pytest.mark.parametrize("name", NAMES)
def test_the_human_decisions_give_the_key_of_a_corefud_example_byte_for_byte(name: str) -> None:
    parts, key = (EXAMPLES / folder / f"{name}.conllu" for folder in ("corefud", "corefud-key"))

    assert output_of("merge", parts, "-s", "oracle", "--key", key) == key.read_bytes().decode()


def test_a_folder_is_merged_as_its_files_one_after_the_other() -> None:
    each = [output_of("merge", EXAMPLES / "parts" / f"{name}.conll") for name in NAMES]

    assert output_of("merge", EXAMPLES / "parts") == "".join(each)


def test_packed_files_are_read_and_written(tmp_path: Path) -> None:
    packed = tmp_path / "tiny.conll.gz"
    packed.write_bytes(gzip.compress(TINY.encode()))

    output_of("merge", packed, "-o", tmp_path / "merged.conll.gz")

    assert gzip.decompress((tmp_path / "merged.conll.gz").read_bytes()).decode() == TINY_MERGED


def test_a_file_may_be_merged_onto_itself(tmp_path: Path) -> None:
    file = tmp_path / "tiny.conll"
    file.write_text(TINY, "utf-8")

    output_of("merge", file, "-o", file, "--overwrite-input")

    assert file.read_text("utf-8") == TINY_MERGED


# The second document has a mention that is never closed.
HALF_BROKEN = TINY + TINY.replace("nw/tiny", "nw/broken").replace("(c)", "(c", 1)


def test_an_error_in_the_middle_of_a_strict_run_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    merged, decisions = tmp_path / "merged.conll", tmp_path / "decisions.jsonl"
    merged.write_text("old", "utf-8")

    error = error_of("merge", "-", "--strict", "-o", merged, "--decisions", decisions, stdin=HALF_BROKEN, code=1)

    assert "nw/broken" in error
    assert "<stdin>:" in error
    assert merged.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["merged.conll"]


def test_a_bad_document_is_left_out_and_told_in_json(tmp_path: Path) -> None:
    done = run("merge", "-", "--json", "-o", tmp_path / "merged.conll", stdin=HALF_BROKEN)
    report = json.loads(done.out)

    assert done.code == 1
    assert [each["id"] for each in report["documents"]] == ["nw/tiny"]
    (failure,) = report["failures"]
    assert (failure["file"], failure["line"], failure["document"]) == ("<stdin>", 23, "nw/broken")
    assert failure["message"].startswith("a mention of chain c is opened but never closed")
    assert "nw/broken" not in (tmp_path / "merged.conll").read_text("utf-8")


def test_an_error_that_documents_share_is_told_once_and_no_output_is_left_empty(tmp_path: Path) -> None:
    """Three documents without tags: the greedy rule can merge none."""
    untagged = "".join(
        TINY.replace("nw/tiny", f"nw/{name}").replace("\tNN\t", "\t-\t").replace("\tPRP\t", "\t-\t") for name in "abc"
    )
    done = run("merge", "-", "-o", tmp_path / "merged.conll", stdin=untagged)

    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.startswith("merge-baseline: error: <stdin> (document nw/a, part 0): ")
    assert line.endswith("[3 documents, this is the first]")
    assert not list(tmp_path.iterdir())


def test_a_file_of_bad_documents_has_no_output_in_the_folder_and_the_others_do(tmp_path: Path) -> None:
    parts, merged = tmp_path / "parts", tmp_path / "merged"
    for folder in (parts, merged):
        folder.mkdir()
    (parts / "bad.conll").write_text(HALF_BROKEN[len(TINY) :], "utf-8")
    (parts / "good.conll").write_text(TINY, "utf-8")
    (merged / "bad.conll").write_text("of an earlier run", "utf-8")

    done = run("merge", parts, "-o", merged, "--overwrite")

    assert done.code == 1
    assert [path.name for path in merged.iterdir() if path.is_file()] == ["good.conll"]
    assert (merged / "good.conll").read_text("utf-8") == TINY_MERGED


def test_a_document_whose_key_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    other = TINY.replace("nw/tiny", "nw/broken")
    key.write_text(TINY_MERGED + TINY_MERGED.replace("nw/tiny", "nw/broken").replace("(a)", "(a", 1), "utf-8")

    done = run("merge", "-", "-s", "oracle", "--key", key, stdin=TINY + other)

    assert done.code == 1
    assert "(nw/tiny)" in done.out
    assert "(nw/broken)" not in done.out
    assert f"error: {key}:" in done.err


def test_documents_of_one_part_are_not_merged_in_silence() -> None:
    one = "#begin document (d); part 000\nd 0 0 fish NN (0)\nd 0 1 fish NN (0)\n\n#end document\n"
    parts = one.replace("(d)", "(d_0)") + one.replace("(d)", "(d_1)")

    assert (
        "no document has two parts, so there is nothing to merge; `merge-baseline split`"
        in run("merge", "-", stdin=one).err
    )
    told = run("merge", "-", stdin=parts).err
    assert r"d_0 and d_1 look like parts: --part-pattern '(?P<document>.*)_(?P<part>\d+)' joins such ids" in told
    joined = run("merge", "-", "--part-pattern", r"(?P<document>.*)_(?P<part>\d+)", stdin=parts).err
    assert "2 part chains: 1 linked" in joined
    assert "nothing to merge" not in joined


def test_lenient_merges_what_strict_stops_at(tmp_path: Path) -> None:
    done = run("merge", "-", "--lenient", "-o", tmp_path / "merged.conll", stdin=HALF_BROKEN)

    assert done.code == 0
    assert "nw/broken" in (tmp_path / "merged.conll").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX file modes")
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    new, old = tmp_path / "new.conll", tmp_path / "old.conll"
    old.touch(0o640)
    old.chmod(0o640)

    output_of("merge", "-", "-o", new, stdin=TINY)
    output_of("merge", "-", "-o", old, stdin=TINY)

    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights there")
def test_a_symbolic_link_stays_one_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.conll", tmp_path / "link.conll"
    target.write_text("old", "utf-8")
    link.symlink_to(target)

    output_of("merge", "-", "-o", link, stdin=TINY)

    assert link.is_symlink()
    assert target.read_text("utf-8") == TINY_MERGED


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX device files")
def test_a_device_is_written_to_and_not_replaced() -> None:
    assert output_of("merge", "-", "-o", os.devnull, stdin=TINY) == ""
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_the_key_may_have_other_boundaries_and_another_format(tmp_path: Path) -> None:
    jsonl = tmp_path / "key.jsonl"
    output_of("convert", FERRY_KEY, "--to", "jsonlines", "-o", jsonl)

    assert output_of("merge", FERRY, "-s", "oracle", "--key", jsonl) == FERRY_KEY.read_text("utf-8")


def test_a_document_that_precomputed_clusters_lack_is_reported_and_left_out(tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.conll"
    clusters.write_text(TINY_MERGED, encoding="utf-8")
    second = TINY.replace("nw/tiny", "nw/second")

    done = run("merge", "-", "--strategy", f"precomputed:{clusters}", stdin=TINY + second)
    strict = run("merge", "-", "--strict", "--strategy", f"precomputed:{clusters}", stdin=second)

    assert (done.code, done.out) == (1, TINY_MERGED)
    assert "(document nw/second): the file with the clusters lacks this document" in done.err
    assert "1 document failed and left out" in done.err
    assert (strict.code, strict.out) == (1, "")


def test_documents_with_and_without_tags_have_their_signatures_told_with_their_numbers(tmp_path: Path) -> None:
    row = "{name}\t{part}\t0\tAda\t{tag}\t(0)\n{name}\t{part}\t1\tAda\t{tag}\t(0)\n"
    text = "".join(
        f"#begin document ({name}); part 00{part}\n{row.format(name=name, part=part, tag=tag)}\n#end document\n"
        for name, tag in (("a", "NNP"), ("b", "-"), ("c", "NNP"))
        for part in range(2)
    )
    file = tmp_path / "three.conll"
    file.write_text(text, "utf-8")

    done = run("merge", file, "-s", "greedy:match=token", "-o", tmp_path / "merged.conll")

    assert done.code == 0
    (line,) = (line for line in done.err.splitlines() if "part chains" in line)
    assert line.count("greedy[match=token") == 2
    assert "] (2 documents), greedy[" in line
    assert line.endswith("+untagged:en (1 document)")


class LoudStrategy(NoneStrategy):
    name: ClassVar[str] = "loud"
    options: ClassVar[tuple[Option, ...]] = (
        Option("volume", 3, "how loud to merge", low=0, high=11, flag=True),
        Option("echo", False, "whether it comes back"),
        Option("tie", "loudest", "the chain that wins", choices=("loudest", "recent"), flag=True),
    )


def test_options_that_a_new_strategy_marks_are_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES, LoudStrategy.name, LoudStrategy)

    @click.command
    @strategy_options
    def command(spec: str, pairs: tuple[str, ...], **flags: OptionValue | None) -> None:
        click.echo(make_strategy(*chosen_strategy(spec, pairs, flags)).signature)

    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    loud = CliRunner().invoke(command, ["-s", "loud", "--volume", "7", "--tie", "recent"]).output
    greedy = CliRunner().invoke(command, ["-s", "greedy", "--tie", "first"]).output
    wrong = CliRunner().invoke(command, ["-s", "greedy", "--tie", "loudest"])

    assert "--volume INTEGER loud: how loud to merge. Default: 3." in shown
    assert "loud: the chain that wins. Default: loudest." in shown
    assert "--echo" not in shown
    assert loud == "loud[volume=7,echo=no,tie=recent]\n"
    assert greedy == GREEDY.replace("tie=recent", "tie=first") + "\n"
    assert "option tie: 'loudest' is not one of recent, first, overlap" in str(wrong.exception)


def test_no_flag_of_a_strategy_hides_an_option_of_merge() -> None:
    names = [name for parameter in merge_command.params for name in (*parameter.opts, *parameter.secondary_opts)]

    assert len(names) == len(set(names))
