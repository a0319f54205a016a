"""Bad documents among many: omissions, reports, and the unchanged reading of all others."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Document
from merger.errors import InputError
from merger.formats import FORMATS, ReadOptions, read_documents
from merger.formats.base import Lines
from merger.formats.grouping import group_parts
from merger.notices import Notices, Policy
from tests.support.conll_text import block

TWICE = "a (0)|(1)"
"""One span in two chains."""


def read(path: Path | list[Path], **options: object) -> tuple[list[Document], list[InputError]]:
    failures: list[InputError] = []
    paths = [str(each) for each in (path if isinstance(path, list) else [path])]
    found = read_documents(paths, options=ReadOptions(failures=failures, **options))  # type: ignore[arg-type]
    return list(found), failures


def read_text(
    path: Path, text: str | bytes, **options: object
) -> tuple[list[str], list[tuple[int | None, str | None]]]:
    """The ids that are read, and line and document of what failed."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    documents, failures = read(path, **options)
    assert {each.location.file for each in failures} <= {str(path)}
    return [each.id for each in documents], [(each.location.line, each.location.document) for each in failures]


def newdoc(name: str, misc: str = "Entity=(e1-person-1)", comment: str = "") -> str:
    head = "# global.Entity = eid-etype-head\n"
    return f"# newdoc id = {name}\n{head}{comment}1\tApes\tape\tNOUN\tNNS\t_\t0\troot\t_\t{misc}\n\n"


def line(name: str, clusters: object = ()) -> str:
    return json.dumps({"doc_key": name, "sentences": [["Apes", "climb"]], "clusters": clusters}) + "\n"


def test_without_a_list_for_them_the_first_failure_is_raised(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text(block("a -") + block(TWICE, name="e") + block("b -", name="f"))
    documents = read_documents(str(path))

    with pytest.raises(InputError, match=r"x\.conll:5 \(document e, part 0\): one span is a mention of chain 0"):
        list(documents)


@pytest.mark.parametrize(
    ("bad", "at"),
    [
        (block(TWICE, name="e"), 5),
        (block("a (0", name="e"), 5),
        (block("a 0)", name="e"), 5),
        (block("a (0\n\nb 0)", name="e"), 7),
        (block("a ((", name="e"), 5),
        (block("a -\n\nword", name="e"), 7),
        # Its end is missed where the next document begins.
        ("#begin document (e); part 000\na -\n\n", 7),
    ],
)
def test_conll_2012_goes_on_with_the_next_beginning(tmp_path: Path, bad: str, at: int) -> None:
    assert read_text(tmp_path / "x.conll", block("a -") + bad + block("b -", name="f")) == (["d", "f"], [(at, "e")])


def test_a_bad_part_costs_the_whole_document_and_no_other(tmp_path: Path) -> None:
    """Part 1 of three is bad: nothing of the document is passed on, with its first part before and its last behind."""
    text = block("a -", name="c") + block("a -") + block(TWICE, part="001") + block("b -", part="002")

    assert read_text(tmp_path / "x.conll", text + block("c -", name="e")) == (["c", "e"], [(8, "d")])


def test_two_bad_parts_of_a_document_are_two_failures(tmp_path: Path) -> None:
    text = block(TWICE) + block("a -", part="001") + block(TWICE, part="002")

    assert read_text(tmp_path / "x.conll", text + block("c -", name="e")) == (["e"], [(2, "d"), (8, "d")])


def test_parts_in_the_wrong_order_cost_their_document(tmp_path: Path) -> None:
    text = block("a -", part="002") + block("b -", part="001") + block("c -", name="e")

    assert read_text(tmp_path / "x.conll", text) == (["e"], [(5, "d")])


def test_a_document_that_comes_again_is_left_out_the_second_time(tmp_path: Path) -> None:
    text = block("a -") + block("b -", name="e") + block("c -", part="001") + block("d -", part="002")

    assert read_text(tmp_path / "x.conll", text + block("c -", name="f")) == (["d", "e", "f"], [(8, "d")])


def test_text_without_a_beginning_costs_the_document_that_it_may_be_a_part_of(tmp_path: Path) -> None:
    """The beginning of a part is missing: it may be part 1 of the document before."""
    text = block("a -", name="c") + block("a -") + "b -\n\n#end document\n" + block("c -", name="e")

    assert read_text(tmp_path / "x.conll", text) == (["c", "e"], [(7, None), (5, "d")])


def test_text_without_a_beginning_costs_the_document_behind_it_that_lacks_a_part(tmp_path: Path) -> None:
    text = block("a -") + "b -\n\n#end document\n" + block("c -", name="e", part="001") + block("c -", name="f")

    assert read_text(tmp_path / "x.conll", text) == (["f"], [(4, None), (2, "d"), (8, "e")])


def test_bytes_that_are_no_utf_8_cost_their_document(tmp_path: Path) -> None:
    text = block("a -").encode() + block("caf\u00e9 -", name="e").encode("latin-1") + block("b -", name="f").encode()

    assert read_text(tmp_path / "x.conll", text) == (["d", "f"], [(5, "e")])


def test_a_name_that_is_no_utf_8_may_be_that_of_a_part(tmp_path: Path) -> None:
    text = block("a -").encode() + block("a -", name="caf\u00e9").encode("latin-1") + block("b -", name="f").encode()

    assert read_text(tmp_path / "x.conll", text) == (["f"], [(4, None), (2, "d")])


def test_what_is_left_of_a_broken_gzip_file_is_read_up_to_its_last_document(tmp_path: Path) -> None:
    """Documents of random letters do not pack well: 100 fill several buffers of what unpacks them."""
    texts = [
        block("\n".join(f"{number * 7919 + word:x} -" for word in range(5000)), name=f"d{number}")
        for number in range(100)
    ]
    packed = gzip.compress("".join(texts).encode())
    ids, failures = read_text(tmp_path / "x.conll.gz", packed[: len(packed) // 2])

    assert 1 < len(ids) < 99
    assert ids == [f"d{number}" for number in range(len(ids))]
    assert [document for _, document in failures] == [f"d{len(ids)}"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfea\x00", b"what is this?\n", b"#end document\n"])
def test_a_file_that_is_none_costs_no_document_of_another(tmp_path: Path, content: bytes) -> None:
    paths = [tmp_path / f"{number}.conll" for number in range(3)]
    for path, text in zip(paths, (block("a -").encode(), content, block("a -", name="e").encode()), strict=True):
        path.write_bytes(text)
    documents, failures = read(paths)

    assert [each.id for each in documents] == ["d", "e"]
    assert [each.location.file for each in failures] == [str(paths[1])]


def test_a_file_that_is_none_costs_the_document_that_goes_on_behind_it(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.conll" for number in range(3)]
    for path, text in zip(paths, (block("a -"), "", block("a -", part="002") + block("a -", name="e")), strict=True):
        path.write_text(text)
    documents, failures = read(paths)

    assert [each.id for each in documents] == ["e"]
    assert [each.location.document for each in failures] == [None, "d"]


def test_a_file_that_cannot_be_opened_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "good.conll").write_text(block("a -"))
    documents, failures = read([tmp_path / "none.conll", tmp_path / "good.conll"])

    assert [each.id for each in documents] == ["d"]
    assert [each.message for each in failures] == ["cannot be read: No such file or directory"]


@pytest.mark.parametrize(
    ("bad", "at"),
    [
        (newdoc("e", "Entity=(e1-person-1)(e2-person-1)"), 8),
        (newdoc("e", "Entity=(e1-person-1"), 8),
        (newdoc("e", "Entity=((("), 8),
        (newdoc("e", comment="# part = x\n"), 8),
        (newdoc("e").replace("Apes\tape", "Apes"), 8),
        # The next document begins in its sentence.
        (newdoc("e")[:-1], 9),
    ],
)
def test_conll_u_goes_on_with_the_next_newdoc(tmp_path: Path, bad: str, at: int) -> None:
    ids, failures = read_text(tmp_path / "x.conllu", newdoc("d") + "\n" + bad + newdoc("f"))

    assert (ids, failures) == (["d", "f"], [(at, "e")])


def test_the_sentences_behind_a_bad_one_are_no_document_of_their_own(tmp_path: Path) -> None:
    row = "1\tThey\tthey\tPRON\tPRP\t_\t0\troot\t_\t_\n\n"
    text = newdoc("d", "Entity=(((") + row + row

    assert read_text(tmp_path / "x.conllu", text + newdoc("e")) == (["e"], [(3, "d")])


def test_a_bad_header_of_conll_u_costs_all_documents_whose_entities_it_is_for(tmp_path: Path) -> None:
    header = "# global.Entity = eid-etype-head\n"
    text = newdoc("d").replace(header, "# global.Entity = etype\n") + newdoc("e").replace(header, "") + newdoc("f")

    assert read_text(tmp_path / "x.conllu", text) == (["f"], [(2, "d"), (2, "e")])


def test_bytes_that_are_no_utf_8_cost_their_newdoc(tmp_path: Path) -> None:
    text = newdoc("d").encode() + newdoc("e").replace("ape", "\u00e9").encode("latin-1") + newdoc("f").encode()

    assert read_text(tmp_path / "x.conllu", text) == (["d", "f"], [(7, "e")])


@pytest.mark.parametrize(
    "bad",
    [
        line("e", [[[0, 9]]]),
        line("e", [[[0, 0]], [[0, 0]]]),
        line("e")[:-3] + "\n",
        line("e").replace("climb", "\udcff"),
    ],
)
def test_jsonlines_goes_on_with_the_next_line(tmp_path: Path, bad: str) -> None:
    text = (line("d") + bad + line("f")).encode("utf-8", "surrogateescape")

    assert read_text(tmp_path / "x.jsonl", text) == (["d", "f"], [(2, "e")])


def test_a_line_of_json_without_a_name_costs_no_other(tmp_path: Path) -> None:
    assert read_text(tmp_path / "x.jsonl", line("d") + "{\n" + line("f")) == (["d", "f"], [(2, None)])


def test_a_line_without_a_name_may_be_a_part_where_lines_are(tmp_path: Path) -> None:
    pattern = re.compile(r"(?P<document>.*)_(?P<part>\d+)")
    text = line("c_0") + line("d_0") + line("d_1") + "{\n" + line("f_0") + line("f_1")[:-3] + "\n" + line("g_0")

    assert read_text(tmp_path / "x.jsonl", text, part_pattern=pattern) == (
        ["c", "g"],
        [(4, None), (2, "d"), (6, "f")],
    )


def test_a_repaired_document_is_none_that_fails(tmp_path: Path) -> None:
    ids, failures = read_text(tmp_path / "x.conll", block(TWICE), notices=Notices(Policy.LENIENT))

    assert (ids, failures) == (["d"], [])


PART = st.tuples(st.sampled_from("defg"), st.sampled_from(["a -", "a (0)", TWICE, "a (0", "word"]))


def _parts(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, int, str]]:
    """Documents of one part or more, each once, with the parts' numbers."""
    for name in dict.fromkeys(name for name, _ in pairs):
        for number, (_, rows) in enumerate(pair for pair in pairs if pair[0] == name):
            yield name, number, rows


@given(st.lists(PART, min_size=1, max_size=9))
def test_good_documents_are_what_they_are_alone_whatever_is_bad_around_them(pairs: list[tuple[str, str]]) -> None:
    parts = list(_parts(pairs))
    bad = {name for name, _, rows in parts if rows not in {"a -", "a (0)"}}
    failures: list[InputError] = []

    def found(wanted: set[str], failures: list[InputError] | None) -> list[tuple[str, int, int]]:
        text = "".join(block(rows, name, f"{number:03}") for name, number, rows in parts if name in wanted)
        options = ReadOptions(failures=failures)
        blocks = FORMATS["conll2012"].read(Lines("x", text.splitlines(keepends=True)), options)
        return [(each.id, len(each.parts), len(each.chains)) for each in group_parts(blocks, Notices(), failures)]

    everything = {name for name, _, _ in parts}
    together = found(everything, failures)
    assert together == [
        each for name in dict.fromkeys(n for n, _, _ in parts) if name not in bad for each in found({name}, None)
    ]
    assert {each.location.document for each in failures} == bad


def test_documents_before_the_end_of_a_cut_off_gzip_file_are_read(tmp_path: Path) -> None:
    """Without its trailer (8 bytes) the whole text can be unpacked, but nobody knows that it is whole."""
    path = tmp_path / "x.conll.gz"
    path.write_bytes(gzip.compress("".join(block("a (0)", name=f"d{n}") for n in range(40)).encode())[:-8])

    documents, (failure,) = read(path)

    assert [each.id for each in documents] == [f"d{number}" for number in range(39)]
    assert failure.location.document == "d39"
    assert "broken gzip data" in failure.message


def test_a_gzip_file_of_which_nothing_can_be_unpacked_is_not_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.conll.gz"
    path.write_bytes(gzip.compress(block("a (0)").encode())[:11])

    documents, (failure,) = read(path)

    assert documents == []
    assert "broken gzip data" in failure.message


def test_a_link_in_a_folder_to_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """So are files that a version control system of large files has not fetched."""
    (tmp_path / "a.conll").write_text(block("a (0)"), "utf-8")
    (tmp_path / "b.conll").symlink_to(tmp_path / "nowhere")

    documents, (failure,) = read(tmp_path)

    assert len(documents) == 1
    assert failure.location.file == str(tmp_path / "b.conll")
