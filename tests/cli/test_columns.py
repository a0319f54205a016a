from __future__ import annotations

import json
from pathlib import Path

from tests.support.in_process import error_of, output_of, run

# ID FORM LEMMA XPOS and a column for the name of the speaker, with coreference behind.
ROWS = "1\tGulls\tgull\tNNS\tann\t(0)\n2\tsing\tsing\tVBP\tann\t-\n3\tThey\tthey\tPRP\tann\t(0)\n"
COLUMNS = "word=2,lemma=3,tag=4,speaker=5"


def _write(path: Path) -> Path:
    blocks = (f"#begin document (d); part {part:03d}\n{ROWS}\n#end document\n" for part in range(2))
    path.write_text("".join(blocks))
    return path


def test_named_columns_hold_for_every_command_that_reads_documents(tmp_path: Path) -> None:
    file = _write(tmp_path / "in.conll")
    merged = tmp_path / "merged.conll"

    assert "no part-of-speech tags" in error_of("merge", file, code=1)
    output_of("merge", file, "--columns", COLUMNS, "-o", merged)
    assert merged.read_text().count("(0)") == 4
    scores = json.loads(output_of("score", merged, merged, "--columns", COLUMNS, "--json"))
    assert scores["total"]["conll_f1"] == 1
    line = json.loads(output_of("convert", file, "--to", "jsonlines", "--columns", COLUMNS).splitlines()[0])
    assert line["sentences"] == [["Gulls", "sing", "They"]] * 2
    assert line["pos"] == [["NNS", "VBP", "PRP"]] * 2
    assert line["speakers"] == [["ann"] * 3] * 2


def test_validate_shows_the_first_words_and_their_column(tmp_path: Path) -> None:
    file = _write(tmp_path / "in.conll")

    assert "  first words (column 2): Gulls sing They Gulls sing They\n" in output_of("validate", file)
    report = json.loads(output_of("validate", file, "--columns", "word=3,tag=4", "--json"))["files"][0]
    assert report["first_words"] == ["gull", "sing", "they"] * 2
    assert report["columns"]["word"] == 3
    assert report["columns"]["tag"] == 4


def test_columns_that_are_none_are_a_usage_error(tmp_path: Path) -> None:
    file = _write(tmp_path / "in.conll")

    assert error_of("validate", file, "--columns", "wrod=2", code=2).startswith(
        "--columns: 'wrod=2' is not NAME=NUMBER"
    )
    assert error_of("merge", file, "--columns", "", code=2) == "--columns: the text is empty"


def test_a_file_of_decisions_is_called_one(tmp_path: Path) -> None:
    file = _write(tmp_path / "in.conll")
    decisions = tmp_path / "decisions.jsonl"
    output_of("merge", file, "--columns", COLUMNS, "--decisions", decisions, "-o", tmp_path / "merged.conll")

    says = f"{decisions}:1: this is a file of decisions, not of documents; expected annotated documents"
    assert says in run("score", file, decisions).err
    done = run("validate", decisions)
    assert done.code == 1
    assert says in done.out


def test_a_named_column_that_is_another_costs_its_file_only(tmp_path: Path) -> None:
    bad = _write(tmp_path / "bad.conll")
    good = tmp_path / "good.conll"
    # Words stand in the fourth column, where CoNLL-2012 has them, and column 2 has part numbers.
    good.write_text("#begin document (g); part 000\ng\t0\t0\tGulls\tNNS\t(0)\n\n#end document\n")

    done = run("convert", bad, good, "--to", "jsonlines", "--columns", "speaker=2")

    assert done.code == 1
    assert f"{bad}:2: column 2, named as speaker, is that of the words" in done.err
    assert [json.loads(line)["doc_key"] for line in done.out.splitlines()] == ["g"]


def test_coreference_is_no_column_of_speakers(tmp_path: Path) -> None:
    file = _write(tmp_path / "in.conll")

    error = error_of("convert", file, "--to", "jsonlines", "--columns", "word=2,speaker=6", code=1)

    assert error.startswith(f"{file}:2: column 6, named as speaker, is the last one, which has coreference")
