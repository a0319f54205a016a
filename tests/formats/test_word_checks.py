from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Document, Part, Sentence
from merger.errors import FormatError, InputError
from merger.formats import ReadOptions, read_documents
from merger.formats.word_checks import check_words
from merger.merge import merge_document
from merger.notices import Notices, Policy
from merger.strategies import make_strategy
from tests.support.building import parts_of
from tests.support.conll_text import block

GERMAN = "Die alte Fähre lag seit Jahren im Hafen , und niemand fuhr mehr mit ihr ."
CHINESE = "旧 渡船 停 在 港口 里 已经 很多 年 了 、 没有 人 再 坐 它 。"
CAPITALS = "NO DOGS IN THE PARK"


def _document(words: list[str]) -> Document:
    """One sentence of these words."""
    return Document("d", (Part((Sentence(tuple(words)),)),))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("_ _ _ _", "placeholders for words"),
        ("[WORD] [WORD] [WORD]", "placeholders for words"),
        ("<MASK> <MASK> <MASK> <MASK> .", "placeholders for words"),
        ("tok " * 10, "placeholders for words"),
        ("Or ##lan sm ##iled .", "word pieces"),
        ("[CLS] Orlan smiled . [SEP]", "word pieces"),
        ("\u2581Or lan \u2581sm iled .", "word pieces"),
        ("\u0120Or lan \u0120smiled .", "word pieces"),
        ("0 1 2 3 0 1", "numbers for words"),
        ("NOUN VERB PRON VERB", "tags for words"),
        ("DT NN VBD IN NNP .", "tags for words"),
        ("ART NN VVFIN APPR NE $.", "tags for words"),
    ],
)
def test_what_is_no_words_is_noted_and_an_error_under_strict(words: str, kind: str) -> None:
    document = _document(words.split())
    notices = Notices()
    check_words(document, notices)
    assert [notice.kind for notice in notices] == [kind]
    with pytest.raises(FormatError) as caught:
        check_words(document, Notices(Policy.STRICT))
    assert caught.value.location.document == "d"


@pytest.mark.parametrize(
    "words",
    [
        *(GERMAN, CHINESE, CAPITALS, "ha ha ha ha", "In 1997 , 12 .", "See # 3 and ## 4 .", "# # tag", "IN TO", "- -"),
        "[1] Smith [2] Jones said so",
    ],
)
def test_texts_are_not_noted(words: str) -> None:
    check_words(_document(words.split()), Notices(Policy.STRICT))


def test_rows_that_have_nothing_but_the_id_of_the_document_are_not_noted() -> None:
    check_words(_document(["d"] * 20), Notices(Policy.STRICT))


@given(st.lists(st.sampled_from([*GERMAN.split(), *CHINESE.split()]), min_size=5, unique=True))
def test_no_part_of_a_text_is_noted(words: list[str]) -> None:
    check_words(_document(words), Notices(Policy.STRICT))


def _line(**more: object) -> str:
    words = [["Or", "lan", "smiled", "."], ["He", "slept", "."]]
    return json.dumps({"doc_key": "d", "sentences": words, "clusters": [[[0, 1], [4, 4]]], **more})


def test_a_subtoken_map_that_joins_tokens_is_noted(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(_line(subtoken_map=[0, 0, 1, 2, 3, 4, 5]) + "\n")
    notices = Notices()
    list(read_documents(str(tmp_path / "x.jsonl"), options=ReadOptions(notices)))

    (notice,) = notices
    assert "subtoken_map" in notice.message
    with pytest.raises(FormatError, match="subtoken_map"):
        list(read_documents(str(tmp_path / "x.jsonl"), options=ReadOptions(Notices(Policy.STRICT))))


def test_a_subtoken_map_of_whole_words_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(_line(subtoken_map=[0, 1, 2, 3, 4, 5, 6]) + "\n")

    assert list(read_documents(str(tmp_path / "x.jsonl"), options=ReadOptions(Notices(Policy.STRICT))))


def test_with_failures_a_document_of_placeholders_is_left_out_under_strict(tmp_path: Path) -> None:
    blanked = "\n".join(f"a 0 {number} _ NN (1)" for number in range(4))
    (tmp_path / "x.conll").write_text(block(blanked, "a") + block("b 0 0 Gulls NNS (1)", "b"))
    failures: list[InputError] = []
    options = ReadOptions(Notices(Policy.STRICT), failures=failures)

    assert [document.id for document in read_documents(str(tmp_path / "x.conll"), options=options)] == ["b"]
    assert [failure.location.document for failure in failures] == ["a"]


def _merge_kinds(document: Document, match: str) -> list[str]:
    notices = Notices()
    merge_document(document, make_strategy("greedy", {"match": match}), notices=notices)
    return [notice.kind for notice in notices]


@pytest.mark.parametrize("match", ["noun", "token", "head"])
def test_chains_that_all_have_one_noun_are_noted_by_the_merge(match: str) -> None:
    few, masked = (
        parts_of(*(" ".join(f"[{chain} NAME/NNP ] [{chain} it/PRP ]" for chain in part) for part in parts))
        for parts in (("abcde", "fghi"), ("abcde", "fghij"))
    )
    text = parts_of(
        "[a the/DT mayor/NN ] met/VBD [b Ann/NNP ] [a he/PRP ] [b her/PRP ]", "[c Ann/NNP ] slept/VBD [c she/PRP ]"
    )

    assert "one string for all chains" in _merge_kinds(masked, match)
    assert _merge_kinds(few, match) == []
    assert _merge_kinds(text, match) == []


def test_one_chain_a_part_with_the_same_name_is_not_noted() -> None:
    document = parts_of("[a Ann/NNP ] slept/VBD [a she/PRP ]", "[b Ann/NNP ] woke/VBD [b she/PRP ]")

    assert _merge_kinds(document, "noun") == []
