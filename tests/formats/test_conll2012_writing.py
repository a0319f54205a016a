from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, make_chain, make_mention
from merger.errors import UnsupportedError
from merger.notices import Notices, Policy
from tests.formats.random_conll import Layout, RandomDocument, layouts, plain_text, random_documents
from tests.support.conll_text import block, chains_of, read_rows, read_text, words_of, write_text


def found_chains(document: Document) -> dict[tuple[int, str], set[tuple[int, int, int]]]:
    return {
        (chain.mentions[0].part, chain.id): {mention[1:4] for mention in chain.mentions} for chain in document.chains
    }


@given(random=random_documents(), layout=layouts())
def test_unchanged_text_is_read_right_and_comes_back_byte_for_byte(random: RandomDocument, layout: Layout) -> None:
    text = plain_text(random, layout)
    documents, notices = read_text(text, Policy.STRICT)

    (document,) = documents
    assert words_of(document) == [words for part in random.parts for words, _ in part]
    assert found_chains(document) == random.chains()
    assert write_text(documents).encode() == text.encode()
    assert not list(notices)


@given(random=random_documents(), whole=st.booleans())
def test_documents_from_elsewhere_are_written_so_that_reading_gives_the_same_chains(
    random: RandomDocument, *, whole: bool
) -> None:
    chains: dict[tuple[int, str], list[Mention]] = {}
    for (part, chain), mentions in random.chains().items():
        chains.setdefault((0 if whole else part, chain), []).extend(Mention(part, *mention) for mention in mentions)
    document = Document(
        "nw/d",
        tuple(
            Part(tuple(Sentence(tuple(words)) for words, _ in part), number) for number, part in enumerate(random.parts)
        ),
        tuple(make_chain(chain, mentions) for (_, chain), mentions in chains.items()),
        ChainScope.DOCUMENT if whole and len(random.parts) > 1 else ChainScope.PART,
    )

    (again,), _ = read_text(write_text([document]), Policy.STRICT)

    assert again.id == document.id
    assert again.scope is document.scope
    assert [[s.forms for s in part.sentences] for part in again.parts] == [
        [s.forms for s in part.sentences] for part in document.parts
    ]
    assert {(c.id, c.mentions) for c in again.chains} == {(c.id, c.mentions) for c in document.chains}


def _columns_before_the_last(text: str) -> list[str]:
    return [line.rstrip("\r\n")[: line.rstrip("\r\n").rfind("\t" if "\t" in line else " ")] for line in rows_of(text)]


def rows_of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip() and not line.startswith(("#begin", "#end"))]


@given(random=random_documents(), layout=layouts(), names=st.lists(st.sampled_from("xyz"), min_size=3, max_size=3))
def test_renaming_chains_changes_the_last_column_only(random: RandomDocument, layout: Layout, names: list[str]) -> None:
    text = plain_text(random, layout)
    (document,), _ = read_text(text)
    renamed = tuple(Chain(f"{names[len(chain.id) % 3]}:{chain.id}", chain.mentions) for chain in document.chains)

    written = write_text([document.with_chains(renamed, document.scope)])

    (again,), _ = read_text(written, Policy.STRICT)
    assert {(c.id, c.mentions) for c in again.chains} == {(c.id, c.mentions) for c in renamed}
    assert _columns_before_the_last(written) == _columns_before_the_last(text)
    outside = [[line for line in each.split("\n") if line not in rows_of(each)] for each in (written, text)]
    assert outside[0] == outside[1]


@given(random=random_documents(), layout=layouts())
def test_dropping_all_chains_leaves_empty_cells_as_the_sentence_has_them(
    random: RandomDocument, layout: Layout
) -> None:
    (document,), _ = read_text(plain_text(random, layout))

    written = write_text([document.with_chains((), document.scope)])

    cells = {row.rstrip("\r").rpartition("\t" if layout.between == "\t" else " ")[2] for row in rows_of(written)}
    assert cells <= {layout.blank, "-"}
    assert read_text(written, Policy.STRICT)[0][0].chains == ()


def merged_into_one(document: Document) -> Document:
    mentions = [mention for chain in document.chains for mention in chain.mentions]
    return document.with_chains((make_chain("0", mentions),), ChainScope.DOCUMENT)


def test_a_merged_document_is_one_block_whose_second_column_keeps_the_parts() -> None:
    parts = (
        "#begin document (d); part 000\nd   0   0   a   NN   (5)\n\n#end document\n"
        "#begin document (d); part 001\nd   1   0   b   NN   (5)\n\nd   1   0   c   NN   -\n\n#end document\n"
    )
    (document,), _ = read_text(parts)

    assert write_text([merged_into_one(document)]) == (
        "#begin document (d); part 000\nd   0   0   a   NN   (0)\n\n"
        "d   1   0   b   NN   (0)\n\nd   1   0   c   NN   -\n\n#end document\n"
    )


def test_a_merged_document_gets_part_numbers_where_the_rows_of_all_parts_had_0() -> None:
    (document,), _ = read_text(block("d 0 0 a NN (5)") + block("d 0 0 b NN (5)", part="001"))

    (again,), _ = read_text(write_text([merged_into_one(document)]))

    assert chains_of(again) == {"0": [(0, 0, 0, 0), (1, 0, 0, 0)]}


def test_a_second_column_that_is_not_the_part_stays_in_blocks_that_stay() -> None:
    text = block("d 0 0 a NN (5)\n") + block("d x 0 b NN (5)\n", part="001") + block("d 7 0 b NN (5)\n", part="002")

    assert write_text(read_text(text)[0]) == text


def test_part_boundaries_that_have_no_column_are_reported() -> None:
    (document,), _ = read_text(block("a (5)\n") + block("b (5)\n", part="001"))
    notices = Notices()
    text = write_text([merged_into_one(document)], notices)

    assert text == block("a (0)\n\nb (0)\n")
    assert [str(notice) for notice in notices] == [
        "x.conll:2 (document d, part 0): no part boundaries: rows of 2 columns have no part number in the second"
    ]


def test_comments_between_parts_that_a_merged_document_has_no_place_for_are_reported() -> None:
    (document,), _ = read_text(block("d 0 0 a NN -\n") + "# one\n# two\n" + block("d 1 0 b NN -\n", part="001"))
    notices = Notices()

    assert "# one" in write_text([document], notices)
    assert not list(notices)
    assert "# one" not in write_text([document.with_chains((), ChainScope.DOCUMENT)], notices)
    assert [str(notice) for notice in notices] == [
        "x.conll (document d): lines between the parts are left out, such as '# one' [2 times, this is the first]"
    ]


def test_a_sentence_that_had_no_blank_line_behind_it_gets_one_when_another_follows() -> None:
    (document,), _ = read_text(block("d 0 0 a NN -") + block("d 1 0 b NN -", part="001"))

    assert write_text([merged_into_one(document)]).count("\n\n") == 1


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.NORMAL])
def test_crossing_mentions_of_one_chain_are_refused_with_their_words(policy: Policy) -> None:
    document = Document(
        "d",
        (Part((Sentence(("the", "red", "cat", "sat")),)),),
        (make_chain("7", [Mention(0, 0, 0, 2), Mention(0, 0, 1, 3)]),),
    )

    with pytest.raises(UnsupportedError, match="mentions 'the red cat' and 'red cat sat' of chain 7 cross") as caught:
        write_text([document], Notices(policy))
    assert (caught.value.location.document, caught.value.location.part, caught.value.location.sentence) == ("d", 0, 0)


def test_of_crossing_mentions_the_lenient_policy_leaves_the_later_one_out_and_says_so() -> None:
    mentions = [Mention(0, 0, 0, 2), Mention(0, 0, 1, 3), Mention(0, 0, 3, 3)]
    document = Document("d", (Part((Sentence(("the", "red", "cat", "sat")),)),), (make_chain("7", mentions),))
    notices = Notices(Policy.LENIENT)

    (again,), _ = read_text(write_text([document], notices))

    assert again.chains[0].mentions == (Mention(0, 0, 0, 2), Mention(0, 0, 3, 3))
    assert ["the later one is left out" in str(notice) for notice in notices] == [True]


def test_a_mention_may_begin_on_the_last_token_of_another_one_of_its_chain() -> None:
    mentions = [Mention(0, 0, 0, 4), Mention(0, 0, 1, 2), Mention(0, 0, 2, 3), Mention(0, 0, 2, 2)]
    document = Document("d", (Part((Sentence(tuple("abcde")),)),), (make_chain("7", mentions),))

    (again,), _ = read_text(write_text([document]))

    assert set(again.chains[0].mentions) == set(mentions)


def test_brackets_are_written_from_outside_in_and_back_out() -> None:
    spans = {"outer": (0, 2), "inner": (0, 1), "late": (1, 2), "one": (0, 0)}
    chains = tuple(Chain(name, (Mention(0, 0, *span),)) for name, span in spans.items())
    text = write_text([Document("d", (Part((Sentence(tuple("abc")),)),), chains)])

    assert [row.rpartition("\t")[2] for row in rows_of(text)] == ["(outer|(inner|(one)", "(late|inner)", "late)|outer)"]


def test_a_mention_that_opens_and_closes_on_one_token_comes_back_as_it_was_written() -> None:
    text = block("a (1\nb (1|1)\nc 1)\n")
    documents, _ = read_text(text)

    assert chains_of(documents[0]) == {"1": [(0, 0, 0, 2), (0, 0, 1, 1)]}
    assert write_text(documents) == text


def discontinuous() -> Document:
    mention = make_mention(0, 0, ((0, 0), (2, 2)))
    return Document("d", (Part((Sentence(("a", "b", "c")),)),), (Chain("7", (mention,)),))


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.NORMAL])
def test_a_discontinuous_mention_is_refused_with_its_words(policy: Policy) -> None:
    with pytest.raises(UnsupportedError, match="discontinuous mention 'a c'"):
        write_text([discontinuous()], Notices(policy))


def test_a_discontinuous_mention_is_written_whole_under_the_lenient_policy() -> None:
    notices = Notices(Policy.LENIENT)

    assert chains_of(read_text(write_text([discontinuous()], notices))[0][0]) == {"7": [(0, 0, 0, 2)]}
    assert [notice.kind for notice in notices] == ["discontinuous mention"]


def test_empty_nodes_are_left_out_of_text_and_mentions_with_a_notice() -> None:
    sentence = Sentence(("a", "E", "b", "E"), empty=(1, 3))
    chains = (Chain("0", (Mention(0, 0, 1, 2),)), Chain("1", (Mention(0, 0, 3, 3),)))
    notices = Notices()

    (again,), _ = read_text(write_text([Document("d", (Part((sentence,)),), chains)], notices))

    assert words_of(again) == [["a", "b"]]
    assert chains_of(again) == {"0": [(0, 0, 1, 1)]}
    assert {notice.kind: notice.count for notice in notices} == {
        "empty nodes left out": 2,
        "empty nodes left out of mentions": 2,
        "mention of empty nodes only": 1,
    }


def test_ids_that_the_column_cannot_hold_are_replaced_by_new_ones_with_a_notice() -> None:
    chains = tuple(Chain(name, (Mention(0, 0, i, i),)) for i, name in enumerate(["a b", "a_b", "(1)", ""]))
    notices = Notices()

    (again,), _ = read_text(write_text([Document("d", (Part((Sentence(tuple("wxyz")),)),), chains)], notices))

    assert sorted(len(mentions) for mentions in chains_of(again).values()) == [1, 1, 1, 1]
    assert chains_of(again)["a_b"] == [(0, 0, 1, 1)]
    assert [(notice.kind, notice.count) for notice in notices] == [("chain renamed", 3)]


def test_words_that_would_break_a_row_are_changed_with_a_notice() -> None:
    notices = Notices()
    document = Document("d", (Part((Sentence(("a\tb", "c\nd", "", "New York")),)),))

    (again,), _ = read_text(write_text([document], notices))

    assert words_of(again) == [["a_b", "c_d", "-", "New York"]]
    assert [(notice.message, notice.count) for notice in notices] == [
        (r"'a\tb' is written as 'a_b': cells of CoNLL-2012 have no tabs or line ends", 2),
        ("a token without text is written as '-'", 1),
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("#end document", "%23end document"),
        ("#begin document (x); part 7", "%23begin document (x); part 7"),
        ("a\tb\nc\r", "a%09b%0Ac%0D"),
        (" ", "%20"),
        (" d\u00a0", "%20d%C2%A0"),
    ],
)
def test_an_id_that_would_be_read_as_another_is_written_with_escapes_with_a_notice(name: str, written: str) -> None:
    notices = Notices()
    document = Document(name, (Part((Sentence(("a", "b")),)), Part((Sentence(("c",)),), 1)))

    text = write_text([document], notices)

    (again,), _ = read_text(text, Policy.STRICT)
    assert (again.id, words_of(again)) == (written, [["a", "b"], ["c"]])
    assert {row.partition("\t")[0] for row in text.splitlines() if row.count("\t") > 4} == {written}
    (notice,) = notices
    assert notice.message.startswith(f"document id {name!r} is written as {written!r}")
    assert len(str(notice).splitlines()) == 1


def test_an_id_with_inner_blanks_and_signs_is_written_as_it_is() -> None:
    notices = Notices()
    document = Document("#1 (a); part 2 100%", (Part((Sentence(("a",)),)),))

    (again,), _ = read_text(write_text([document], notices), Policy.STRICT)

    assert again.id == document.id
    assert not list(notices)


def test_a_document_without_an_id_is_reported() -> None:
    notices = Notices()
    write_text([Document("", (Part((Sentence(("a",)),)),))], notices)

    assert ["the document has no id" in notice.message for notice in notices] == [True]


def test_lines_that_another_format_has_behind_a_part_are_not_taken_for_the_end_of_a_block() -> None:
    document = Document("d", (Part((Sentence(("a",)),), head="# newdoc id = d\n", tail="# end\n"),))

    text = write_text([document])

    assert text == "#begin document (d); part 000\nd\t0\t0\ta\t-\t-\t-\t-\t-\t-\t*\t-\n\n#end document\n"


def test_a_part_without_tokens_loses_its_boundary_in_a_merged_document_with_a_notice() -> None:
    parts = (Part((Sentence(("a",)),)), Part((), 1), Part((Sentence(("b",)),), 2))
    notices = Notices()
    write_text([Document("d", parts, scope=ChainScope.DOCUMENT)], notices)

    (notice,) = notices
    assert (notice.kind, notice.location.part) == ("part without tokens", 1)


def test_a_row_whose_part_is_not_that_of_its_sentence_is_left_alone() -> None:
    """The first row says which part a sentence is in: 000 and 001. The sentence of part 001 has a row of part 7."""
    text = block("d 0 0 a NN (5)\n") + block("d 1 0 b NN (5)\nd 7 1 c NN -\n", part="001")
    (document,), _ = read_text(text)

    written = write_text([merged_into_one(document)])

    assert "d 1 0 b NN (0)\nd 7 1 c NN -\n" in written


def test_of_a_sentence_that_gets_another_part_only_rows_with_its_old_one_change() -> None:
    text = block("d 0 0 a NN (5)\n") + block("d 0 0 b NN (5)\nd 7 1 c NN -\nd 00 2 e NN -\n", part="001")
    (document,), _ = read_text(text)

    written = write_text([merged_into_one(document)])

    assert "d 1 0 b NN (0)\nd 7 1 c NN -\nd 1 2 e NN -\n" in written


def test_a_nameless_document_gets_its_name_written_so_that_other_files_can_be_compared_with_it() -> None:
    documents, _ = read_text("# begin document \na -\n\n# end document\n", file="GUM_bio_byron.conll")
    notices = Notices()

    assert write_text(documents, notices) == "#begin document (GUM_bio_byron); part 000\na -\n\n# end document\n"
    assert [notice.kind for notice in notices] == ["name written"]
    named, _ = read_text(block("a -"))
    write_text(named, notices)
    assert [notice.count for notice in notices] == [1]


def test_a_document_behind_one_without_a_last_line_end_begins_on_a_line_of_its_own() -> None:
    first, _ = read_text(block("a -").removesuffix("\n"))
    second, _ = read_text(block("b -", name="e"))

    assert write_text([*first, *second]) == block("a -") + block("b -", name="e")


def test_parts_without_a_last_line_end_from_files_of_their_own_stay_apart() -> None:
    texts = [block("a (0)", part="000").removesuffix("\n"), block("b (0)", part="001").removesuffix("\n")]
    one, other = (read_text(text)[0][0] for text in texts)
    joined = Document("d", (one.parts[0], other.parts[0]), scope=ChainScope.PART)

    assert len(read_text(write_text([joined]))[0][0].parts) == 2


@pytest.mark.parametrize("text", [block(""), block("# nothing"), "# front\n\n" + block("a -") + "\n# behind\n\n"])
def test_comments_and_blank_lines_come_back(text: str) -> None:
    assert write_text(read_text(text)[0]) == text


CHANGES: list[tuple[str, str | None, str]] = [
    ("d 0 0 a NN    (0)\nd 0 1 b NN    -", None, "d 0 0 a NN    -\nd 0 1 b NN    -"),
    ("d 0 0 a NN (0) \nd 0 1 b NN _ ", None, "d 0 0 a NN _ \nd 0 1 b NN _ "),
    ("d 0 0 a NN (0)\t", "x", "d 0 0 a NN (x)\t"),
    ("a\t(0) \r\nb\t-\r", "x", "a\t(x) \r\nb\t-\r"),
    ("d\t0\t0\ta\t(0)\t\nd\t0\t1\tb\t-\t", None, "d\t0\t0\ta\t-\t\nd\t0\t1\tb\t-\t"),
    ("(0)\t(0)\n0\t-", "x", "(0)\t(x)\n0\t-"),
]


@pytest.mark.parametrize(("rows", "name", "wanted"), CHANGES)
def test_text_around_a_changed_cell_stays(rows: str, name: str | None, wanted: str) -> None:
    """The one chain gets another name, or goes."""
    document = read_rows(rows)
    chains = tuple(Chain(name, chain.mentions) for chain in document.chains if name is not None)

    assert write_text([document.with_chains(chains, document.scope)]) == block(wanted)
