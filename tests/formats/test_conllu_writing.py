from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, make_chain, make_mention
from merger.errors import UnsupportedError
from merger.notices import Notices, Policy
from tests.formats.conllu_text import Spans, chains_of, document, entity_cells, kinds, read, read_noticing, rows, write


def with_chains(text: Document, chains: Mapping[str, Sequence[tuple[int, int, Spans]]]) -> Document:
    """The document with these chains, given as :func:`chains_of` gives them, over the whole of it."""
    made = tuple(
        make_chain(name, [make_mention(part, sentence, spans) for part, sentence, spans in mentions])
        for name, mentions in chains.items()
    )
    return text.with_chains(made, ChainScope.DOCUMENT)


def renamed(text: Document, names: Mapping[str, str]) -> Document:
    """The document with chains renamed; those that get one name are joined."""
    joined: dict[str, list[Mention]] = {}
    for chain in text.chains:
        joined.setdefault(names.get(chain.id, chain.id), []).extend(chain.mentions)
    return text.with_chains(tuple(make_chain(name, m) for name, m in joined.items()), ChainScope.DOCUMENT)


UNTOUCHED = [
    document("a Entity=(e1-person-1(e2--1)\nb Entity=e1)"),
    document("a Bridge=e2<e1:part|Entity=(e1)(e2|SplitAnte=e1<e2,e3<e2\nb Entity=e2)\nc Entity=(e3)"),
    document("1-2 ab SpaceAfter=No\na Entity=(e1)\nb"),
    "# newdoc id = d\n" + rows("a\nb Entity=(e1)").replace("2\tb", "# inside\n2\tb"),
    document("0.1 E Entity=(e1\na X=Y|Entity=e1)"),
    document("a Entity=(e1[1/2])\nb\nc Entity=(e1[2/2])(e2)"),
    document("# part = 0\na Entity=(e1)", "# part = 1\nb Entity=(e1)", "c"),
    document("# part = 0\na Entity=(e1)") + document("# part = 1\nb Entity=(e1)"),
    document("# meta::genre = news\n# newpar\n# text = a  b\na", name="bc/x"),
    rows("a") + "# newdoc\n" + rows("b Entity=(e1)") + "# newdoc id = n\n" + rows("c"),
    "# free text\n\n# newdoc id = x\n" + rows("a") + "\n\n" + rows("b") + "# the end\n",
    "# newdoc id = x\n# global.Entity = eid\n\n# newdoc id = y\n" + rows("b"),
    document("a Entity=(person-7-new\nb Entity=person-7)", fields="entity-GRP-infstat"),
    document("a Entity=(e1)") + "# newdoc id = inherits\n" + rows("b Entity=(e1--1)"),
    document("a Entity=(e1\nb Entity=e1)  ").replace("\n", "\r\n"),
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_was_read_is_written_byte_for_byte(text: str) -> None:
    # Texts without a field order can only be read leniently.
    policy = Policy.NORMAL if "global.Entity" in text else Policy.LENIENT

    assert write(read(text, policy)) == text


def test_a_missing_end_is_completed_so_that_anything_may_follow() -> None:
    text = document("a", "b")

    assert write(read(text.removesuffix("\n\n"))) == text


def test_only_the_ids_that_change_are_rewritten() -> None:
    text = document("a X=1|Entity=(e1-person-2-x(e2--1)|Y=2\nb Entity=e1)(e3\nc Entity=e3)", "d Entity=(e2--1)")

    written = write(renamed(read(text)[0], {"e1": "m", "e2": "e2"}))

    assert written == text.replace("e1", "m")


@pytest.mark.parametrize(
    ("misc", "expected"),
    [
        ("Entity=e1)\t", "Entity=m)\t"),
        ("X=1|Entity=e1)\t \t", "X=1|Entity=m)\t \t"),
        ("Entity= e1)", "Entity=m)"),
        ("Entity=e1-person-2)", "Entity=m)"),
    ],
    ids=["tab at the end", "tabs and blanks at the end", "blank", "fields of old files"],
)
def test_a_closing_bracket_gets_the_new_id_whatever_its_row_is_like(misc: str, expected: str) -> None:
    # The helper has no blanks inside of rows.
    text = document("a Entity=(e1-person-2\nb MISC")

    written = write(renamed(read(text.replace("MISC", misc))[0], {"e1": "m"}))

    assert written == text.replace("(e1", "(m").replace("MISC", expected)
    assert chains_of(read(written)[0]) == {"m": [(0, 0, ((0, 1),))]}


def test_joined_chains_get_one_id_and_keep_their_attributes() -> None:
    text = document("a Entity=(e1-person-1-x)\nb Entity=(e2-person-1-y\nc Entity=e2)")

    written = write(renamed(read(text)[0], {"e2": "e1"}))

    assert written == text.replace("e2", "e1")


def test_a_dropped_mention_leaves_its_cell_and_an_empty_cell_becomes_a_blank() -> None:
    text = document("a Entity=(e1(e2)|Z=1\nb Entity=e1)\nc Entity=(e2)")
    (found,) = read(text)

    written = write(with_chains(found, {"e1": [(0, 0, ((0, 1),))]}))

    assert written == document("a Entity=(e1|Z=1\nb Entity=e1)\nc")


def test_an_attribute_without_a_value_is_not_taken_for_the_entity() -> None:
    text = document("a Entity|Entity=(e1(e2)\nb Entity=e1)")

    written = write(with_chains(read(text)[0], {"e1": [(0, 0, ((0, 1),))]}))

    assert written == text.replace("(e2)", "")


def test_new_mentions_stand_in_alphabetical_place_and_in_nesting_order() -> None:
    """Closing brackets inner first, opening ones outer first, one-word mentions last, or first if nothing opens."""
    (found,) = read(document("a Align=1|SpaceAfter=No\nb\nc\nd", fields="eid"))
    chains: dict[str, list[tuple[int, int, Spans]]] = {
        "out": [(0, 0, ((0, 1),))],
        "in": [(0, 0, ((0, 0),))],
        "right": [(0, 0, ((1, 3),))],
        "short": [(0, 0, ((1, 2),))],
        "one": [(0, 0, ((1, 1),)), (0, 0, ((3, 3),))],
    }

    written = write(with_chains(found, chains))

    assert entity_cells(written) == ["(out(in)", "out)(right(short(one)", "short)", "(one)right)"]
    assert "\tAlign=1|Entity=(out(in)|SpaceAfter=No\n" in written


def test_new_mentions_show_type_and_head_where_known() -> None:
    """The head is the mention's token whose own head lies outside: b, the second."""
    row = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t{}\n"
    heads = (
        row.format(1, "a", 2, "_") + row.format(2, "b", 0, "_") + row.format(3, "c", 2, "Entity=(e1-person-1)") + "\n"
    )
    (found,) = read("# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + heads)

    written = write(with_chains(found, {"e1": [(0, 0, ((0, 1),)), (0, 0, ((2, 2),))]}))

    assert entity_cells(written) == ["(e1-person-2", "e1)", "(e1-person-1)"]


def test_crossing_mentions_of_one_entity_are_written_as_touching_stretches() -> None:
    text = document("a Entity=(e1\nb Entity=(e2\nc Entity=e1)\nd Entity=e2)", fields="eid")

    written = write(renamed(read(text)[0], {"e2": "e1"}))

    assert entity_cells(written) == ["(e1", "(e1[1/2]", "e1[1/2])e1)", "(e1[2/2])"]
    assert chains_of(read(written)[0]) == {"e1": [(0, 0, ((0, 2),)), (0, 0, ((1, 3),))]}


def test_interleaved_discontinuous_mentions_of_one_entity_cannot_be_written() -> None:
    """(a, c) and (b, d): the second stretch at c would belong to the last opened one, b's."""
    text = document("a Entity=(e1[1/2])\nb Entity=(e2[1/2])\nc Entity=(e1[2/2])\nd Entity=(e2[2/2])")

    with pytest.raises(UnsupportedError, match=r"x\.conllu \(document d, part 0, sentence 0\): .*cross each other"):
        write(renamed(read(text)[0], {"e2": "e1"}))


def test_same_start_mentions_that_come_to_share_an_id_keep_their_own_attributes() -> None:
    """e1 is the shorter one but opened first; with one id the last opened closes first."""
    text = document("a Entity=(e1-x(e2-y\nb Entity=e1)\nc Entity=e2)", fields="eid-other")

    (again,) = read(write(renamed(read(text)[0], {"e2": "e1"})))

    source = again.parts[0].sentences[0].source
    assert source is not None
    assert dict(source.details) == {((0, 1),): "e1-x", ((0, 2),): "e1-y"}


def test_links_follow_their_entities() -> None:
    text = document("a Entity=(e1)\nb Bridge=e1<e2:part,e9<e2|Entity=(e2)\nc Entity=(e3)|SplitAnte=e1<e3,e2<e3")

    written = write(renamed(read(text)[0], {"e1": "x", "e3": "z"}))

    assert written == document("a Entity=(x)\nb Bridge=x<e2:part,e9<e2|Entity=(e2)\nc Entity=(z)|SplitAnte=x<z,e2<z")


def test_links_of_old_files_without_relations_follow_too() -> None:
    text = document("a Entity=(1)\nb Bridge=1<5|Entity=(5)", fields="GRP")

    assert write(renamed(read(text)[0], {"1": "3"})) == text.replace("=1<5", "=3<5").replace("(1)", "(3)")


def test_links_inside_one_entity_and_to_lost_ones_are_left_out_with_a_notice() -> None:
    text = document("a Entity=(e1)\nb Bridge=e1<e2|Entity=(e2)\nc Bridge=e4<e3,e1<e3|Entity=(e3)\nd Entity=(e4)")
    (found,) = read(text)
    notices = Notices()

    mentions = {name: spans for name, spans in chains_of(found).items() if name != "e4"}
    written = write(renamed(with_chains(found, mentions), {"e2": "e1"}), notices)

    assert written == document("a Entity=(e1)\nb Entity=(e1)\nc Bridge=e1<e3|Entity=(e3)\nd")
    assert kinds(notices) == {"link inside one entity", "link to a lost entity"}


def test_equal_ids_of_different_newdocs_are_different_entities_for_links() -> None:
    """Both parts have e1 and e2; after the merge part 1's e1 is e2 of part 0."""
    text = document("# part = 0\na Entity=(e1)\nb Entity=(e2)", fields="GRP") + document(
        "# part = 1\nc Entity=(e1)\nd Bridge=e1<e2|Entity=(e2)", fields="GRP"
    )
    (found,) = read(text)
    chains: dict[str, list[tuple[int, int, Spans]]] = {
        "0": [(0, 0, ((0, 0),))],
        "1": [(0, 0, ((1, 1),)), (1, 0, ((0, 0),))],
        "2": [(1, 0, ((1, 1),))],
    }

    written = write(with_chains(found, chains))

    assert written == document(
        "# part = 0\na Entity=(0)\nb Entity=(1)", "# part = 1\nc Entity=(1)\nd Bridge=1<2|Entity=(2)", fields="GRP"
    )


def test_merged_parts_become_one_newdoc_and_say_so_where_comments_are_lost() -> None:
    first = document("# part = 0\n# meta::title = T\n# newpar\na Entity=(e1)")
    second = document("# part = 1\n# meta::title = U\n# newpar\nb Entity=(e1)")
    (found,) = read(first + second)
    notices = Notices()

    written = write(with_chains(found, {"e1": [(0, 0, ((0, 0),)), (1, 0, ((0, 0),))]}), notices)

    assert written == first + "# part = 1\n# newpar\n" + rows("b Entity=(e1)")
    assert kinds(notices) == {"comments at the top of a part left out"}


def test_parts_with_ids_of_their_own_become_one_document_with_part_comments() -> None:
    text = document("a Entity=(e1)", name="x_0") + document("b Entity=(e1)", name="x_1")
    (found,) = read(text, pattern=r"(?P<document>.+)_(?P<part>\d+)")

    merged = write(with_chains(found, {"e1": [(0, 0, ((0, 0),)), (1, 0, ((0, 0),))]}))

    header = "# newdoc id = x\n# part = 0\n# global.Entity = eid-etype-head-other\n"
    assert merged == header + rows("a Entity=(e1)") + "# part = 1\n" + rows("b Entity=(e1)")
    (again,) = read(merged)
    assert (again.id, [part.number for part in again.parts], again.scope) == ("x", [0, 1], ChainScope.DOCUMENT)


def test_a_single_part_with_a_number_keeps_it() -> None:
    (found,) = read(document("a", name="x_3"), pattern=r"(?P<document>.+)_(?P<part>\d+)")

    assert write(found).startswith("# newdoc id = x\n# part = 3\n")


def test_a_document_that_was_cut_is_written_as_a_newdoc_a_part() -> None:
    top = "# meta::genre = news\n# newpar\na Entity=(e1)\nb Entity=(e1)"
    (found,) = read(document(top, "# newpar\nc Entity=(e1)\nd Entity=(e1)", name="n"))
    (first, second) = found.parts[0].sentences
    chains = tuple(Chain("e1", (Mention(part, 0, 0, 0), Mention(part, 0, 1, 1))) for part in (0, 1))
    cut = replace(found, parts=(Part((first,)), Part((second,), 1)), chains=chains)

    parts = write(cut)
    whole = write(with_chains(cut, {"e1": [(part, 0, ((token, token),)) for part in (0, 1) for token in (0, 1)]}))

    head = "# newdoc id = n\n# part = {}\n# global.Entity = eid-etype-head-other\n# meta::genre = news\n# newpar\n"
    one, two = rows("a Entity=(e1)\nb Entity=(e1)"), rows("c Entity=(e1)\nd Entity=(e1)")
    assert parts == head.format(0) + one + head.format(1) + two
    assert whole == head.format(0) + one + "# part = 1\n# newpar\n" + two
    assert write(with_chains(read(parts)[0], chains_of(read(whole)[0]))) == whole


def test_a_whole_document_that_becomes_one_part_loses_its_part_comments() -> None:
    (found,) = read(document("# part = 0\na Entity=(e1)", "# part = 1\nb Entity=(e1)"))
    sentences = tuple(sentence for part in found.parts for sentence in part.sentences)
    chain = Chain("e1", (Mention(0, 0, 0, 0), Mention(0, 1, 0, 0)))

    written = write(replace(found, parts=(Part(sentences),), chains=(chain,), scope=ChainScope.PART))

    assert written == document("# part = 0\na Entity=(e1)", "b Entity=(e1)")


def test_differing_types_of_a_merged_chain_become_the_most_frequent_one() -> None:
    text = document("a Entity=(e1-place-1)\nb Entity=(e2-person-1-x)\nc Entity=(e2-person-1)")
    notices = Notices()

    written = write(renamed(read(text)[0], {"e2": "e1"}), notices)

    assert entity_cells(written) == ["(e1-person-1)", "(e1-person-1-x)", "(e1-person-1)"]
    assert kinds(notices) == {"entity types differ in a merged chain"}


def test_differing_types_of_an_entity_that_was_never_merged_stay() -> None:
    text = document("a Entity=(e1-place-1)\nb Entity=(e1-person-1)")
    notices = Notices()

    assert write(renamed(read(text)[0], {"e1": "x"}), notices) == text.replace("e1", "x")
    assert kinds(notices) == set()


def test_fields_in_another_order_are_put_into_the_first_parts_order() -> None:
    text = document("# part = 0\na Entity=(e1-person-1)") + document(
        "# part = 1\na Entity=(place-7-new\nb Entity=7)", fields="entity-GRP-infstat"
    )
    (found,) = read(text)

    written = write(with_chains(found, {"e1": [(0, 0, ((0, 0),))], "e7": [(1, 0, ((0, 1),))]}))

    assert written.count("global.Entity") == 1
    assert entity_cells(written) == ["(e1-person-1)", "(e7-place--infstat:new", "e7)"]


@pytest.mark.parametrize("name", ["a b", "a(b)", "a-b", "a|b", "a=b", "a[1]", "a<b", "a,b", "", "a\tb"])
def test_ids_that_entity_cannot_carry_are_renamed_and_stay_distinct(name: str) -> None:
    (found,) = read(document("a\nb\nc"))
    notices = Notices()
    chains: dict[str, list[tuple[int, int, Spans]]] = {
        "a_b": [(0, 0, ((0, 0),))],
        name: [(0, 0, ((1, 1),))],
        "e": [(0, 0, ((2, 2),))],
    }

    (again,) = read(write(with_chains(found, chains), notices))

    assert sorted(mentions[0][2][0][0] for mentions in chains_of(again).values()) == [0, 1, 2]
    assert {"a_b", "e"} < chains_of(again).keys()
    assert kinds(notices) == {"chain renamed"}


def test_a_text_without_annotation_gets_its_field_order_declared() -> None:
    (found,) = read("# newdoc id = d\n# sent_id = 1\n" + rows("a"))

    written = write(with_chains(found, {"e1": [(0, 0, ((0, 0),))]}))

    head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"
    assert written == head + rows("a Entity=(d.0.e1)")


def test_line_ends_of_windows_are_kept_in_changed_and_new_lines() -> None:
    text = (document("# part = 0\na Entity=(e1)", "# part = 1\nb")).replace("\n", "\r\n")
    (found,) = read(text)

    written = write(replace(with_chains(found, {"x": [(0, 0, ((0, 0),))]}), id="other"))

    expected = document("# part = 0\na Entity=(x)", "# part = 1\nb", name="other").replace("\n", "\r\n")
    assert written == expected


def test_sentences_from_elsewhere_are_written_in_full() -> None:
    first = Sentence(
        ("Yes", "trace", ",", "we"),
        xpos=("UH", "", ",", "PRP"),
        upos=("INTJ", "", "PUNCT", "PRON"),
        speakers=("Ann", "Ann", "Ann", "Ann"),
        heads=(-1, 0, 0, 0),
        empty=(1,),
    )
    second = Sentence(("a b", ""), speakers=("Ann", "Bob"))
    chains = (Chain("0", (Mention(0, 0, 0, 3, ((0, 0), (3, 3))), Mention(0, 1, 0, 1))),)
    found = Document("bc/x", (Part((first, second), 2),), chains, genre="mz")
    notices = Notices()

    assert write(found, notices) == (
        "# newdoc id = bc/x\n"
        "# part = 2\n"
        "# global.Entity = eid-etype-head-other\n"
        "# meta::genre = mz\n"
        "# sent_id = bc_x-1\n"
        "# speaker = Ann\n"
        "# text = Yes , we\n"
        "1\tYes\t_\tINTJ\tUH\t_\t0\troot\t_\tEntity=(bc/x.2.0[1/2]--1)\n"
        "1.1\ttrace\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
        "2\t,\t_\tPUNCT\t,\t_\t1\tdep\t_\t_\n"
        "3\twe\t_\tPRON\tPRP\t_\t1\tdep\t_\tEntity=(bc/x.2.0[2/2]--1)\n"
        "\n"
        "# sent_id = bc_x-2\n"
        "# text = a b _\n"
        "1\ta b\t_\t_\t_\t_\t_\t_\t_\tEntity=(bc/x.2.0|Speaker=Ann\n"
        "2\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=bc/x.2.0)|Speaker=Bob\n"
        "\n"
    )
    assert kinds(notices) == {"form without characters"}


def test_cells_that_would_break_the_lines_are_changed_with_a_notice() -> None:
    sentence = Sentence(("a\tb", " c "), xpos=("N N", "X"), speakers=("A|B", "C\n"))
    notices = Notices()

    written = write(Document("d", (Part((sentence,)),)), notices)

    assert "1\ta b\t_\t_\tN_N\t_\t_\t_\t_\tSpeaker=A_B\n2\tc\t" in written
    assert kinds(notices) == {"blanks in a form", "blanks in a tag", "bar in a speaker's name"}


def test_sentences_and_parts_without_words_are_left_out_with_a_notice() -> None:
    parts = (Part((Sentence(()), Sentence(("a",)))), Part((), 1), Part((Sentence(("b",)),), 2))
    notices = Notices()

    written = write(Document("d", parts, scope=ChainScope.DOCUMENT), notices)

    (again,) = read(written)
    assert [[s.forms for s in part.sentences] for part in again.parts] == [[("a",)], [("b",)]]
    assert [part.number for part in again.parts] == [0, 2]
    assert kinds(notices) == {"empty sentence left out", "empty part left out"}


def test_an_empty_document_is_written_and_read() -> None:
    written = write(Document("d", (Part(()),)))

    assert [(each.id, each.token_count) for each in read(written + document("a", name="e"))] == [("d", 0), ("e", 1)]


def test_nothing_is_noticed_where_nothing_is_lost() -> None:
    notices = Notices()

    write(read_noticing(document("# part = 0\na Entity=(e1)", "# part = 1\nb"), notices), notices)

    assert kinds(notices) == set()
