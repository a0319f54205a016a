from __future__ import annotations

import re

import pytest

from merger.document import ChainScope
from merger.formats import FORMATS, Lines, ReadOptions
from merger.formats.grouping import group_parts
from tests.support.conll_text import block, chains_of, read_rows, read_text, words_of


def test_ids_are_strings_and_not_their_digits() -> None:
    document = read_rows("a (e1)\nb (time1\nc time1)\nd (1)")

    assert chains_of(document) == {"e1": [(0, 0, 0, 0)], "time1": [(0, 0, 1, 2)], "1": [(0, 0, 3, 3)]}


@pytest.mark.parametrize("opening", ["(3|(4", "(3(4", "(4|(3", "(4(3", "(4|(5)|(3", "(5)(3(4"])
@pytest.mark.parametrize("closing", ["3)|6)", "3)6)", "6)|3)", "6)3)", "3)|(7)|6)", "(7)6)3)"])
def test_brackets_of_a_cell_may_come_in_any_order_and_without_bars(opening: str, closing: str) -> None:
    chains = chains_of(read_rows(f"a {opening}\nb 4)(6\nc {closing}"))

    assert (chains["3"], chains["4"], chains["6"]) == ([(0, 0, 0, 2)], [(0, 0, 0, 1)], [(0, 0, 1, 2)])


def test_a_cell_may_close_one_mention_and_open_another() -> None:
    chains = chains_of(read_rows("a (3\nb 3)|(4)|(5\nc 5)"))

    assert chains == {"3": [(0, 0, 0, 1)], "4": [(0, 0, 1, 1)], "5": [(0, 0, 1, 2)]}


def test_of_nested_mentions_of_one_chain_the_last_opened_closes_first() -> None:
    assert chains_of(read_rows("a (1\nb (1\nc 1)\nd 1)")) == {"1": [(0, 0, 0, 3), (0, 0, 1, 2)]}


def test_crossing_mentions_of_one_chain_are_read_as_nested_since_the_format_has_no_others() -> None:
    """Meant are a-c and b-d; nothing in the rows tells them from a-d and b-c."""
    assert chains_of(read_rows("a (1\nb (1\nc 1)\nd 1)")) == {"1": [(0, 0, 0, 3), (0, 0, 1, 2)]}


def test_crossing_mentions_of_different_chains_are_fine() -> None:
    chains = chains_of(read_rows("a (1\nb (2\nc 1)\nd 2)"))

    assert chains == {"1": [(0, 0, 0, 2)], "2": [(0, 0, 1, 3)]}


@pytest.mark.parametrize("blank", ["-", "_", "*", ""])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\t\n", "\t\r\n", " \n"])
def test_empty_cells_and_line_ends_of_all_kinds_say_no_mention(blank: str, ending: str) -> None:
    """A blank behind an empty last cell cannot be told from one behind the cell before: there are six columns."""
    rows = "".join(f"d\t0\t{i}\t{w}\tNN\t{c}{ending}" for i, (w, c) in enumerate([("a", blank), ("b", "(0)")]))
    documents, notices = read_text(f"#begin document (d); part 000{ending}{rows}{ending}#end document{ending}")

    assert words_of(documents[0]) == [["a", "b"]]
    assert chains_of(documents[0]) == {"0": [(0, 0, 1, 1)]}
    assert not list(notices)


@pytest.mark.parametrize("behind", [" ", "   ", "\t", " \t", " \r"])
def test_blanks_and_tabs_behind_columns_that_stand_between_blanks_are_no_column(behind: str) -> None:
    document = read_rows(f"d 0 0 a NN (0){behind}\nd 0 1 b NN -{behind}")

    assert words_of(document) == [["a", "b"]]
    assert chains_of(document) == {"0": [(0, 0, 0, 0)]}


@pytest.mark.parametrize("word", ["(3)", "7)", "(8", "-", "|", "((("])
@pytest.mark.parametrize("between", ["\t", " ", "    "])
def test_only_the_last_column_is_coreference(word: str, between: str) -> None:
    document = read_rows(between.join(["d", "0", "0", word, "NN", "(0)"]))

    assert words_of(document) == [[word]]
    assert chains_of(document) == {"0": [(0, 0, 0, 0)]}


@pytest.mark.parametrize(
    ("row", "word", "tag", "speaker"),
    [
        ("cat (0)", "cat", None, None),
        ("d cat (0)", "cat", None, None),
        ("d 0 cat (0)", "cat", None, None),
        ("d 0 0 cat (0)", "cat", None, None),
        ("d 0 0 cat NN (0)", "cat", "NN", None),
        ("d 0 0 cat NN * cat 01 1 Ann * (0)", "cat", "NN", "Ann"),
        ("d 0 0 cat NN * cat 01 1 Ann * (ARG0*) (0)", "cat", "NN", "Ann"),
        ("d 0 0 cat NN * - - - - * (ARG0*) (V*) * (0)", "cat", "NN", None),
    ],
)
def test_the_number_of_columns_may_be_any(row: str, word: str, tag: str | None, speaker: str | None) -> None:
    document = read_rows(row)
    sentence = document.parts[0].sentences[0]

    assert sentence.forms == (word,)
    assert (sentence.xpos, sentence.speakers) == (tag and (tag,), speaker and (speaker,))
    assert chains_of(document) == {"0": [(0, 0, 0, 0)]}


def test_the_number_of_columns_may_change_from_row_to_row() -> None:
    document = read_rows("d 0 0 a NN * - - - Ann * (V*) (0\nd 0 1 b NN * - - - Ann * 0)")

    assert words_of(document) == [["a", "b"]]
    assert chains_of(document) == {"0": [(0, 0, 0, 1)]}


def test_a_hash_is_a_token_where_columns_stand_between_tabs() -> None:
    document = read_rows("#\t(0\n1\t0)\n# a comment")

    assert words_of(document) == [["#", "1"]]
    assert chains_of(document) == {"0": [(0, 0, 0, 1)]}


def test_unicode_line_separators_and_nul_are_characters_of_a_token() -> None:
    word = "a\u2028b\x85c\x0bd\x00e"
    document = read_rows(f"d\t0\t0\t{word}\tNN\t(0)")

    assert words_of(document) == [[word]]


def test_comments_and_blank_lines_may_stand_anywhere() -> None:
    text = "\n# front\n" + block("\n# one\na -\n# two\nb -\n\n\n\n# three\nc -\n") + "# behind\n\n"
    documents, _ = read_text(text)

    assert [words_of(document) for document in documents] == [[["a", "b"], ["c"]]]


def test_part_0_and_part_000_are_the_same_part() -> None:
    for part in ("0", "00", "000"):
        documents, _ = read_text(block("a -", part=part))
        assert documents[0].parts[0].number == 0


def test_blocks_of_one_document_are_its_parts_with_chains_of_their_own() -> None:
    documents, _ = read_text(block("a (0)\nb (0)") + block("c (0)\nd (0)", part="001"))

    (document,) = documents
    assert [part.number for part in document.parts] == [0, 1]
    assert document.scope is ChainScope.PART
    assert [[m.part for m in chain.mentions] for chain in document.chains] == [[0, 0], [1, 1]]


def test_a_block_whose_second_column_counts_up_is_a_merged_document() -> None:
    documents, _ = read_text(block("d 0 0 a (0)\n\nd 1 0 b -\n\nd 1 0 c -\n\nd 2 0 d (0)"))

    (document,) = documents
    assert [len(part.sentences) for part in document.parts] == [1, 2, 1]
    assert document.scope is ChainScope.DOCUMENT
    assert chains_of(document) == {"0": [(0, 0, 0, 0), (2, 0, 0, 0)]}


def test_a_second_column_that_does_not_start_at_the_part_says_nothing() -> None:
    documents, _ = read_text(block("d 0 0 a -\n\nd 1 0 b -", part="003"))

    assert [part.number for part in documents[0].parts] == [3]


@pytest.mark.parametrize(
    ("line", "name", "part"),
    [
        ("#begin document (bc/cctv/00/cctv_0000); part 012", "bc/cctv/00/cctv_0000", 12),
        ("# begin document (d); part 0", "d", 0),
        ("#begin document (LuoTestCase); ", "LuoTestCase", 0),
        ("#begin document (d)", "d", 0),
        ("#begin document d", "d", 0),
        ("#begin document (a (b) c); part 1", "a (b) c", 1),
    ],
)
def test_the_first_line_may_be_written_in_several_ways(line: str, name: str, part: int) -> None:
    documents, _ = read_text(f"{line}\na -\n\n#end document\n")

    assert (documents[0].id, documents[0].parts[0].number) == (name, part)


def test_the_genre_is_what_ontonotes_ids_begin_with() -> None:
    documents, _ = read_text(block("a -", name="bc/cctv/00/cctv_0000") + block("a -", name="plain"))

    assert [document.genre for document in documents] == ["bc", None]


def test_documents_without_a_name_are_named_after_the_file() -> None:
    text = "# begin document \na -\n\n# end document\n" * 2
    documents, _ = read_text(text, file="dir/GUM_bio_byron.conll")

    assert [document.id for document in documents] == ["GUM_bio_byron", "GUM_bio_byron-1"]


def test_a_document_may_have_no_chains_no_tokens_or_one_token() -> None:
    documents, notices = read_text(block("a -\nb -", "plain") + block("", "empty") + block("a (0)", "one"))

    assert [(document.id, document.token_count, len(document.chains)) for document in documents] == [
        ("plain", 2, 0),
        ("empty", 0, 0),
        ("one", 1, 1),
    ]
    assert not list(notices)


def test_chains_come_in_the_order_of_their_first_mention_the_longer_first() -> None:
    document = read_rows("a (9|(8|(7)\nb 9)\nc 8)\nd (1)")

    assert [chain.id for chain in document.chains] == ["8", "9", "7", "1"]


def test_a_part_pattern_makes_parts_of_documents_with_ids_of_their_own() -> None:
    options = ReadOptions(part_pattern=re.compile(r"(?P<document>.*)_(?P<part>\d+)"))
    text = block("a -", "bn_0") + block("b -", "bn_1")
    blocks = FORMATS["conll2012"].read(Lines("x", text.splitlines(keepends=True)), options)
    (document,) = group_parts(blocks, options.notices)

    assert (document.id, [part.number for part in document.parts]) == ("bn", [0, 1])
