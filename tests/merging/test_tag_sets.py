from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.agreement.parts_of_speech import mention_classes
from client.evaluation.scoring.links import mergeable_chains
from merger.document import ChainRef, Document
from merger.errors import OptionError
from merger.merge import merge_document
from merger.notices import Notices
from merger.progress import WorkContext
from merger.strategies import make_strategy
from merger.tag_sets import CTB, EAGLES, NOUNS, PENN, PENN_TAGS, STTS, TAG_SETS, UPOS_TAGS, SeenTags, WordClass
from protos.convert.documents import document_to_message
from protos.convert.strategies import spec_to_message
from protos.merge_baseline import v1
from service.answers import merge_document_answer
from service.strategies import ServedStrategies
from tests.support.building import greedy_links, parts_of

# A name, a verb, a pronoun and a common noun, as each tag set writes them.
TAGGED = {
    "STTS": ("NE", "VVFIN", "PPER", "NN"),
    "Chinese Treebank": ("NR", "VV", "PN", "NN"),
    "Arabic Treebank": ("NOUN_PROP", "PV+PVSUFF_SUBJ:3MS", "PRON_3MS", "DET+NOUN+NSUFF_FEM_SG+CASE_DEF_GEN"),
    "EAGLES": ("np00000", "vmis3s0", "pp3fs000", "ncfs000"),
    "CGN": ("SPEC(deeleigen)", "WW(pv,tgw,met-t)", "VNW(pers,pron)", "N(soort,ev,basis)"),
    "universal": ("PROPN", "VERB", "PRON", "NOUN"),
}
OTHER_SPELLINGS = {
    "EAGLES": ("NP00SP0", "VMIS3S0", "PP3FS000", "NCFS000"),
    "CGN": ("SPEC|deeleigen", "WW|pv|tgw", "VNW|pers|pron", "N|soort|ev"),
}
MULTEXT = ("EAGLES", ("Npfsn", "Vmis3s", "Pp3fsn", "Ncfsn"))
CASES = [*TAGGED.items(), *OTHER_SPELLINGS.items(), MULTEXT]


def _two_parts(tags: tuple[str, str, str, str]) -> Document:
    name, verb, pronoun, noun = tags
    return parts_of(
        f"[a Orla/{name} ] slept/{verb} [a she/{pronoun} ] [b barge/{noun} ] slept/{verb} [b it/{pronoun} ]",
        f"[c barge/{noun} ] slept/{verb} [c it/{pronoun} ] [d Orla/{name} ] slept/{verb} [d she/{pronoun} ]",
    )


@pytest.mark.parametrize(("name", "tags"), CASES)
def test_names_and_common_nouns_of_other_tag_sets_are_nouns(name: str, tags: tuple[str, str, str, str]) -> None:
    notices = Notices()
    result = merge_document(_two_parts(tags), make_strategy("greedy"), notices=notices)

    linked = {each.chain: each.antecedent for each in result.decisions if each.antecedent is not None}
    assert linked == {ChainRef(1, "c"): ChainRef(0, "b"), ChainRef(1, "d"): ChainRef(0, "a")}
    assert [notice.kind for notice in notices] == [f"{name} tags"]


@pytest.mark.parametrize(("name", "tags"), CASES)
def test_word_classes_go_by_the_tag_set(name: str, tags: tuple[str, str, str, str]) -> None:
    document = _two_parts(tags)

    assert mention_classes(document, mergeable_chains(document)) == {
        ChainRef(1, "c"): [WordClass.NOUN, WordClass.PRONOUN],
        ChainRef(1, "d"): [WordClass.PROPER_NOUN, WordClass.PRONOUN],
    }, name


def test_a_penn_text_is_not_noted_and_keeps_its_nouns_beside_a_few_strange_tags() -> None:
    # NE is a proper noun in STTS; among Penn tags it is nothing.
    document = parts_of(
        "[a Orla/NE ] slept/VBD [a she/PRP ] [b barge/NN ] to/TO [b it/PRP ]",
        "[c Orla/NE ] slept/VBD [c she/PRP ] [d barge/NN ] to/TO [d it/PRP ]",
    )
    notices = Notices()
    result = merge_document(document, make_strategy("greedy"), notices=notices)

    assert [each.antecedent for each in result.decisions] == [None, None, None, ChainRef(0, "b")]
    assert not list(notices)


def test_tags_of_no_known_set_are_read_by_the_penn_rule() -> None:
    document = parts_of("[a Praha/NNFS1 ] X0/J1 [a ji/Pp4 ]", "[b Praha/NNFS1 ] X0/J1 [b ji/Pp4 ]")

    assert greedy_links(document) == {"1:b": "0:a"}


def test_the_tag_set_comes_from_the_parts_so_far() -> None:
    # The first part alone could be Penn, STTS or CTB: NN is a noun in all of them.
    document = parts_of(
        "[a Haus/NN ] [a Haus/NN ]",
        "[b Haus/NN ] lacht/VVFIN [b es/PPER ] [c Anna/NE ] [c sie/PPER ]",
        "[d Anna/NE ] [d sie/PPER ]",
    )

    assert greedy_links(document) == {"1:b": "0:a", "2:d": "1:c"}


def test_of_sets_that_have_equally_many_tags_the_first_is_taken() -> None:
    seen = SeenTags()
    seen.add(["NN", "CD", ""])
    assert CTB.has("NN")
    assert CTB.has("CD")
    assert seen.tag_set is PENN
    seen.add(["PPER", "VVFIN"])
    assert seen.tag_set is STTS


def test_a_set_that_has_less_than_half_of_the_tags_is_not_taken() -> None:
    seen = SeenTags()
    seen.add(["PPER", "foo1", "foo2"])
    assert seen.tag_set is PENN
    seen.add(["VVFIN"])
    assert seen.tag_set is STTS


def test_a_tag_of_several_sets_is_a_noun_in_all_of_them_or_in_none() -> None:
    spelled = {tag for tags in (*TAGGED.values(), *OTHER_SPELLINGS.values()) for tag in tags}
    tags = (
        PENN_TAGS
        | UPOS_TAGS
        | spelled
        | {"NE", "NR", "NT", "N", "n", "np", "P", "NOUN", "SPEC", "VV", "CS", "SP", "NPS"}
    )
    for tag in tags:
        having = [each for each in TAG_SETS if each.has(tag)]
        for one, other in combinations(having, 2):
            assert (one.word_class(tag) in NOUNS) == (other.word_class(tag) in NOUNS), (tag, one.name, other.name)


@given(st.lists(st.text(max_size=12)))
def test_any_tags_have_a_tag_set_and_classes(tags: list[str]) -> None:
    seen = SeenTags()
    seen.add(tags)
    assert len(seen.tag_set.noun_flags(tags)) == len(tags)
    assert not any(each.word_class("") in NOUNS for each in TAG_SETS)


def test_prepositions_of_other_tag_sets_end_the_head_noun() -> None:
    # "casa de Marta": the head is the last noun before the preposition.
    document = parts_of(
        "[a casa/ncfs000 de/sps00 Marta/np00000 ] [a ella/pp3fs000 ]", "[b casa/ncfs000 ] [b ella/pp3fs000 ]"
    )

    assert EAGLES.is_postmodifier("sps00")
    assert greedy_links(document, {"match": "head"}) == {"1:b": "0:a"}


def test_the_tags_of_nouns_can_be_named_in_full_or_by_their_beginning() -> None:
    document = parts_of(
        "[a Orla/SUBST ] [a she/x ] [b barge/N12 ] [b it/x ] [c tall/SUBSTX ] [c it/x ]",
        "[a Orla/SUBST ] [a she/x ] [b barge/N34 ] [b it/x ] [c tall/SUBSTX ] [c it/x ]",
    )

    assert greedy_links(document) == {}
    assert greedy_links(document, {"nouns": "N*|SUBST"}) == {"1:a": "0:a", "1:b": "0:b"}


def test_named_nouns_are_looked_for_among_universal_tags_where_there_are_no_others() -> None:
    document = parts_of("[a red/ADJ ] [a it/PRON ]", "[b red/ADJ ] [b it/PRON ]", tags="upos")

    assert greedy_links(document) == {}
    assert greedy_links(document, {"nouns": "ADJ"}) == {"1:b": "0:a"}


def test_named_nouns_stand_in_the_signature_and_the_default_does_not() -> None:
    assert make_strategy("greedy", {"nouns": "N*|SUBST"}).signature.endswith(",nouns=N*|SUBST]")
    assert "nouns" not in make_strategy("greedy").signature


@pytest.mark.parametrize("nouns", ["*", "N**", "N*x", "|", "N||M", "N M", "N" * 65, "|".join("N" * 65)])
def test_nouns_that_are_no_tags_are_refused(nouns: str) -> None:
    with pytest.raises(OptionError, match="option nouns"):
        make_strategy("greedy", {"nouns": nouns})


def test_patterns_are_no_regular_expressions() -> None:
    document = parts_of("[a Orla/NXX ] [a she/x ]", "[b Orla/NXX ] [b she/x ]")

    assert greedy_links(document, {"nouns": "N.X|N..|[N]XX|N.*"}) == {}


@pytest.mark.parametrize("options", [{}, {"nouns": "Z*"}])
def test_a_document_in_which_no_tag_is_a_noun_is_noted(options: dict[str, str]) -> None:
    document = parts_of("[a Orla/Qu1 ] [a she/Xy2 ]", "[b Orla/Qu1 ] [b she/Xy2 ]")
    notices = Notices()
    merge_document(document, make_strategy("greedy", options), notices=notices)

    (notice,) = notices
    assert notice.kind == "no noun among the tags"
    assert "Qu1, Xy2" in notice.message
    assert notice.location.document == "d"


def test_notices_about_tags_are_the_same_over_the_wire() -> None:
    document = parts_of("[a Orla/Qu1 ] [a she/Xy2 ]", "[b Orla/Qu1 ] [b she/Xy2 ]")
    request = v1.MergeDocumentRequest(document=document_to_message(document), strategy=spec_to_message("greedy", {}))
    answer = v1.MergeDocumentResponse.FromString(
        merge_document_answer(ServedStrategies(), request.SerializeToString(), WorkContext())
    )
    notices = Notices()
    merge_document(document, make_strategy("greedy"), notices=notices)

    assert [(each.kind, each.message) for each in answer.notices] == [(each.kind, each.message) for each in notices]
    assert len(answer.notices) == 1
