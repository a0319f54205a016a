from __future__ import annotations

from pathlib import Path

import pytest

from merger.document import Document, Part, Sentence
from merger.errors import FormatError, OptionError
from merger.formats import FORMATS, detect_format, format_of, get_format, read_documents
from tests.support.conll_text import block, read_rows

CONLLU_ROW = "1\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\tEntity=(e1)\n"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (block("a -"), "conll2012"),
        ("# begin document \na -\n", "conll2012"),
        ("\r\n#begin document (d); part 000\r\n", "conll2012"),
        ("\n# a comment\n\n#begin document (d)\n", "conll2012"),
        ("#begin document (d); part 000\n1\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\t(0)\n", "conll2012"),
        ("# newdoc id = d\n# sent_id = 1\n" + CONLLU_ROW, "conllu"),
        ("# global.Entity = eid-etype-head\n", "conllu"),
        (CONLLU_ROW, "conllu"),
    ],
)
def test_a_format_is_recognised_by_the_first_lines(head: str, name: str) -> None:
    assert detect_format(head, "x").name == name


def test_the_name_of_a_file_does_not_decide(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(block("a (0)"), encoding="utf-8")

    assert [format_of(document) for document in read_documents(str(path))] == ["conll2012"]


@pytest.mark.parametrize("text", ["The cat sat.\n", "a -\nb (0)\n", "%PDF-1.7\n", "# only a comment\n"])
def test_what_is_no_annotation_is_an_error_that_names_the_formats_and_the_option(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        detect_format(text, "dir/x.txt")

    error = caught.value
    assert str(error).startswith("dir/x.txt:1: the format is not recognised; expected ")
    assert all(each.title in str(error) for each in FORMATS.values())
    assert "option format_name" in str(error)


@pytest.mark.parametrize("head", ["", "\n", " \r\n\t\n"])
def test_nothing_at_all_is_an_empty_file(head: str) -> None:
    with pytest.raises(FormatError, match="x: the file is empty; expected at least one document"):
        detect_format(head, "x")


def test_a_format_that_is_named_is_not_recognised_first(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("The cat sat.\n", encoding="utf-8")

    with pytest.raises(FormatError, match="text outside a document"):
        list(read_documents(str(path), "conll2012"))


def test_a_format_with_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(OptionError, match="no format 'conll2003'; there are conll2012, conllu, jsonlines"):
        get_format("conll2003")


def test_documents_that_were_not_read_count_as_conll_2012() -> None:
    assert format_of(Document("d", ())) == "conll2012"
    assert format_of(Document("d", (Part(()), Part((Sentence(("a",)),))))) == "conll2012"
    assert format_of(read_rows("a -")) == "conll2012"
