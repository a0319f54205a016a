from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Document
from merger.errors import FormatError, OptionError
from merger.formats import FORMATS, ReadOptions
from merger.merge import merge_document
from merger.notices import Notices, Policy
from merger.strategies import make_strategy
from tests.support.conll_text import block, chains_of, read_text, words_of, write_text

# ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE PRED PPRED COREF
SEMEVAL = """\
1 Els el el DA DA f=1 _ 2 2 det det _ _ _ _ (4
2 gossos gos gos NC NC f=2 _ 3 3 suj suj _ _ _ _ 4)
3 dormien dormir dormir VM VM _ _ 0 0 S S _ _ _ _ _

1 Ells ell ell PP PP _ _ 2 2 suj suj _ _ _ _ (4)
2 roncaven roncar roncar VM VM _ _ 0 0 S S _ _ _ _ _
"""
# ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC COREF
CONLLU_LIKE = """\
1 Boats boat NOUN NNS Number=Plur 2 nsubj _ _ (7)
2 sink sink VERB VBP _ 0 root _ _ -

1 They they PRON PRP _ 2 nsubj _ _ (7)
2 vanish vanish VERB VBP _ 0 root _ _ -
"""


def _tabs(rows: str) -> str:
    return rows.replace(" ", "\t")


def _read(rows: str, columns: str = "", policy: Policy = Policy.NORMAL) -> Document:
    (document,), _ = read_text(block(rows), policy, columns=columns)
    return document


def _sentences(document: Document, column: str) -> list[tuple[object, ...] | None]:
    return [getattr(sentence, column) for part in document.parts for sentence in part.sentences]


def _conllu(document: Document) -> list[list[str]]:
    text = "".join(FORMATS["conllu"].write(document, Notices()))
    return [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]


@pytest.mark.parametrize("separated", [_tabs, str])
def test_the_columns_of_semeval_2010_are_recognised(separated: object) -> None:
    document = _read(separated(SEMEVAL))  # type: ignore[operator]

    assert words_of(document) == [["Els", "gossos", "dormien"], ["Ells", "roncaven"]]
    assert chains_of(document) == {"4": [(0, 0, 0, 1), (0, 1, 0, 0)]}
    assert _sentences(document, "xpos") == [("DA", "NC", "VM"), ("PP", "VM")]
    assert _sentences(document, "speakers") == [None, None]
    assert _sentences(document, "heads") == [(1, 2, -1), (1, -1)]
    assert [row[2] for row in _conllu(document)] == ["el", "gos", "dormir", "ell", "roncar"]


def test_the_predicted_columns_of_semeval_2010_stand_in_for_empty_gold_ones() -> None:
    document = _read("1 Ells _ ell _ PP _ _ 2 2 suj suj _ _ _ _ (4)\n2 dormen _ dormir _ VM _ _ 0 0 S S _ _ _ _ _")

    assert _sentences(document, "xpos") == [("PP", "VM")]
    assert [row[2] for row in _conllu(document)] == ["ell", "dormir"]


def test_the_columns_of_conllu_with_coreference_behind_are_recognised() -> None:
    document = _read(_tabs(CONLLU_LIKE))

    assert words_of(document) == [["Boats", "sink"], ["They", "vanish"]]
    assert _sentences(document, "upos") == [("NOUN", "VERB"), ("PRON", "VERB")]
    assert _sentences(document, "xpos") == [("NNS", "VBP"), ("PRP", "VBP")]
    assert _sentences(document, "speakers") == [None, None]
    assert [row[2] for row in _conllu(document)] == ["boat", "sink", "they", "vanish"]


@pytest.mark.parametrize("rows", [SEMEVAL, CONLLU_LIKE])
def test_other_layouts_come_back_byte_for_byte(rows: str) -> None:
    text = block(_tabs(rows))
    documents, notices = read_text(text, Policy.STRICT)

    assert write_text(documents) == text
    assert not list(notices)


def test_merged_documents_of_other_layouts_keep_their_words_and_say_that_parts_are_lost() -> None:
    text = block(_tabs(CONLLU_LIKE)) + block(_tabs(CONLLU_LIKE), part="001")
    (document,), _ = read_text(text)
    merged = merge_document(document, make_strategy("greedy")).document
    notices = Notices()
    written = write_text([merged], notices)

    (again,), _ = read_text(written)
    assert words_of(again) == [["Boats", "sink"], ["They", "vanish"]] * 2
    assert list(chains_of(again).values()) == [[(0, each, 0, 0) for each in range(4)]]
    assert "part boundaries left out" in [notice.kind for notice in notices]


def test_a_named_part_column_says_where_the_parts_of_a_merged_document_are() -> None:
    rows = "1 Boats 0 NNS (7)\n2 sink 0 VBP -"
    text = block(_tabs(rows)) + block(_tabs(rows.replace(" 0 ", " 1 ")), part="001")
    columns = "word=2,part=3,tag=4"
    (document,), _ = read_text(text, columns=columns)
    merged = merge_document(document, make_strategy("greedy")).document
    notices = Notices()
    written = write_text([merged], notices)

    (again,), _ = read_text(written, columns=columns)
    assert [part.number for part in again.parts] == [0, 1]
    assert not list(notices)
    (renumbered,), _ = read_text(text.replace("part 001", "part 002"), columns=columns)
    assert "2\tsink\t2\tVBP\t-" in write_text([merge_document(renumbered, make_strategy("greedy")).document])


def test_four_columns_that_count_have_the_word_in_the_second() -> None:
    assert words_of(_read("1 Boats NNS (7)\n2 sink VBP -")) == [["Boats", "sink"]]


def test_three_columns_have_the_word_before_the_coreference() -> None:
    assert words_of(_read("1 Boats (7)\n2 sink -")) == [["Boats", "sink"]]


def test_a_document_with_the_name_1_and_one_row_is_conll2012() -> None:
    document = _read("1 0 0 Boats NNS * - - - - * (7)")

    assert words_of(document) == [["Boats"]]


def test_named_columns_come_before_those_of_conll2012() -> None:
    document = _read(
        "d 0 boat Boats x NNS - - - ann * (7)\nd 0 sink sink x VBP - - - ann * -", "tag=6,lemma=3,speaker=-"
    )

    assert words_of(document) == [["Boats", "sink"]]
    assert _sentences(document, "xpos") == [("NNS", "VBP")]
    assert _sentences(document, "speakers") == [None]
    assert [row[2] for row in _conllu(document)] == ["boat", "sink"]


def test_named_columns_come_before_those_that_are_recognised() -> None:
    document = _read(CONLLU_LIKE, "word=3,speaker=8")

    assert words_of(document) == [["boat", "sink"], ["they", "vanish"]]
    assert _sentences(document, "speakers") == [("nsubj", "root"), ("nsubj", "root")]
    assert _sentences(document, "upos") == [("NOUN", "VERB"), ("PRON", "VERB")]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("1 0 NNS boat (7)\n2 0 VBP sink -", "the second has no words, but '0'"),
        ("1 x NNS boat (7)\n2 x VBP sink -\n\n1 x NNS boat (7)\n2 x VBP sink -", "the second has no words, but 'x'"),
        ("1 Boats NNS (7)\n2 sink VBP -\n\nd 0 they (7)\nd 1 sink -", "of some sentences, and not of others"),
        ("1-2 Boatsll _ -\n1 Boats NNS (7)\n2 will MD -", "1-2 is a multiword token or an empty node"),
        ("1 Boats NNS (7)\n1.1 _ _ -\n2 will MD -", "1.1 is a multiword token or an empty node"),
    ],
)
def test_counted_rows_of_no_known_layout_are_an_error_that_names_the_option(rows: str, says: str) -> None:
    with pytest.raises(FormatError, match="option columns, such as word=2,tag=5") as caught:
        _read(rows)

    assert says in caught.value.message
    assert caught.value.location.line == 2
    assert words_of(_read(rows, "word=2"))


def test_a_sentence_that_counts_in_a_file_that_began_otherwise_is_an_error_at_its_line() -> None:
    rows = "d 0 0 Boats NNS (7)\n" + "\n" + "1 They they x PRP (7)\n2 sink sink x VBP -"
    later = "d 0 0 Boats NNS (7)\nd 0 1 sink VBP -\n\n" * 400 + "1 They they x PRP (7)\n2 sink sink x VBP -"
    with pytest.raises(FormatError, match="option columns"):
        _read(rows)
    with pytest.raises(FormatError, match="the first column counts words here") as caught:
        _read(later)
    assert caught.value.location.line == 2 + 400 * 3
    other_way_round = f"{CONLLU_LIKE}\n" * 200 + "d 0 0 Boats NNS * - - - x (7)"
    with pytest.raises(FormatError, match="the first column does not count words here"):
        _read(other_way_round)


def test_rows_without_the_column_of_the_word_are_an_error() -> None:
    with pytest.raises(FormatError, match="no column 6 before the last one") as caught:
        _read("d 0 0 Boats NNS (7)", "word=6")
    assert caught.value.location.line == 2


@pytest.mark.parametrize(
    "columns",
    [
        "word",
        "word=",
        "word=0",
        "word=-1",
        "word=-",
        "word=x",
        "word=2,word=3",
        "words=2",
        "word=2,tag=2",
        "word=99999",
        ",",
        "word=\u0662",
    ],
)
def test_bad_columns_are_refused(columns: str) -> None:
    with pytest.raises(OptionError, match=r"^columns: "):
        ReadOptions(columns=columns)


def test_runs_of_tabs_separate_columns_where_rows_differ_in_length_otherwise() -> None:
    rows = "d\t\t0\t0\tBoats\tNNS\t(7)\nd\t0\t1\tsink\t\t\tVBP\t-\t\nd\t0\t2\tdeep\tRB\t(8)"
    text = block(rows)
    documents, _ = read_text(text, Policy.STRICT)

    assert words_of(documents[0]) == [["Boats", "sink", "deep"]]
    assert _sentences(documents[0], "xpos") == [("NNS", "VBP", "RB")]
    assert chains_of(documents[0]) == {"7": [(0, 0, 0, 0)], "8": [(0, 0, 2, 2)]}
    assert write_text(documents) == text


def test_several_tabs_behind_the_coreference_say_nothing() -> None:
    """The official scorer splits at tabs in Perl, which drops empty columns at the end."""
    text = block("d\t0\t0\tBoats\tNNS\t(7)\t\t\nd\t0\t1\tsink\tVBP\t-\t\t")
    documents, _ = read_text(text, Policy.STRICT)

    assert chains_of(documents[0]) == {"7": [(0, 0, 0, 0)]}
    assert write_text(documents) == text


def test_an_empty_cell_between_others_is_a_cell_where_rows_have_the_same_number() -> None:
    document = _read("d\t0\t0\tBoats\t\t(7)\nd\t0\t1\tsink\tVBP\t-")

    assert _sentences(document, "xpos") == [("", "VBP")]


FORMS = (
    "The old woman and her two sons were walking to the harbour when the gulls came down and took the fish that they "
    "had bought for the guests at the inn"
)
LEMMAS = (
    "the old woman and she two son be walk to the harbour when the gull come down and take the fish that they have "
    "buy for the guest at the inn"
)


def _with_lemmas(words: str, other: str) -> str:
    """Rows with words in the column of CoNLL-2012's word, and others in the column before."""
    pairs = zip(words.split(), other.split(), strict=True)
    return block("\n".join(f"d 0 {before} {word} x -" for word, before in pairs))


def test_lemmas_read_as_words_are_noted_and_an_error_under_strict() -> None:
    _, notices = read_text(_with_lemmas(LEMMAS, FORMS))

    assert [notice.kind for notice in notices] == ["lemmas for words"]
    with pytest.raises(FormatError, match=r"column 4, read as words, .* the lemmas of those in column 3"):
        read_text(_with_lemmas(LEMMAS, FORMS), Policy.STRICT)


def test_lemmas_read_as_words_are_noted_in_a_file_that_starts_with_a_title_without_forms() -> None:
    title = "\n".join(f"d 0 _ {word} x -" for word in ("the", "inn", "and", "the", "fish"))
    rows = _with_lemmas(f"{LEMMAS} {LEMMAS}", f"{FORMS} {FORMS}")
    _, notices = read_text(rows.replace("000\n", f"000\n{title}\n\n"))

    assert [notice.kind for notice in notices] == ["lemmas for words"]


def test_words_beside_their_lemmas_are_not_noted() -> None:
    read_text(_with_lemmas(FORMS, LEMMAS), Policy.STRICT)
    read_text(_with_lemmas(FORMS, FORMS), Policy.STRICT)


@given(
    st.lists(
        st.sampled_from(["word=2", "tag=5", "speaker=-", "part=3", "head=9", "lemma=1", "upos=4"]),
        min_size=1,
        unique=True,
    )
)
def test_columns_that_are_named_once_are_taken(items: list[str]) -> None:
    named = ReadOptions(columns=",".join(items)).named_columns()

    assert len(named) == len(items)
    assert named.get("word", 1) == 1
