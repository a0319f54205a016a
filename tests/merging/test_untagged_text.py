"""Greedy merging of text without part-of-speech tags, by a closed list of pronouns and function words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Document, Sentence
from merger.errors import MissingTagsError, OptionError
from merger.function_words import content_flags
from merger.merge import merge_document
from merger.notices import Notices
from merger.strategies import make_strategy
from tests.support.building import greedy_links, links, parts_of
from tests.support.random_documents import part_documents

_MENTION = {"match": "mention"}


def _content(text: str, language: str = "en") -> list[str]:
    sentence = Sentence(tuple(text.split()))
    flags = content_flags(sentence, language)
    return [form for form, flag in zip(sentence.forms, flags, strict=True) if flag]


def test_whole_mentions_match_unless_all_of_their_words_are_pronouns_and_function_words() -> None:
    document = parts_of(
        "[a the mayor ] said [a he ] would go to [b all of them ] [b those ]",
        "[c the mayor ] said [c he ] would go to [d all of them ] [d those ]",
    )

    assert greedy_links(document, _MENTION) == {"1:c": "0:a"}


def test_a_word_matches_any_word_of_an_earlier_mention_but_no_function_word() -> None:
    document = parts_of(
        "[a the old mayor of York ] and [a her ] dog",
        "[b York ] and [b it ] again\n[c the house of ours ] and [c her ] roof",
    )

    # York is a word of a's; c shares the, of and her with a, and nothing else.
    assert greedy_links(document, {"match": "token"}) == {"1:b": "0:a"}


def test_alike_mentions_match_without_tags_too() -> None:
    document = parts_of("[a Mr. Osgood ] [a he ]", "[b Mr Osgood ] [b he ]")

    assert greedy_links(document, {"match": "fuzzy"}) == {"1:b": "0:a"}


@pytest.mark.parametrize("match", ["noun", "head"])
def test_rules_about_nouns_need_tags_and_name_both_ways_out(match: str) -> None:
    document = parts_of("[a fish ] [a it ]")

    with pytest.raises(MissingTagsError, match=r"greedy:match=mention needs no tags.*option tagger"):
        merge_document(document, make_strategy("greedy", {"match": match}))


def test_signature_evidence_and_a_notice_say_that_there_were_no_tags() -> None:
    notices = Notices()
    document = parts_of("[a the mayor ] [a he ]", "[b the mayor ] [b he ]")

    result = merge_document(document, make_strategy("greedy", _MENTION), notices=notices)

    assert result.strategy.endswith("]+untagged:en")
    assert [each.evidence and each.evidence.rule for each in result.decisions] == [None, "untagged-mention"]
    (notice,) = notices
    assert notice.kind == "no tags"
    assert notice.location.document == "d"


def test_sentences_with_tags_go_by_their_tags_beside_sentences_without() -> None:
    # "quick" is no noun by its tag; in the untagged part it is no function word and would match.
    notices = Notices()
    document = parts_of(
        "[a quick/JJ ] [a him/PRP ] [b Ann/NNP ] [b she/PRP ]",
        "[c quick/JJ ] [c him/PRP ]",
        "[d Ann ] [d she ]",
    )

    result = merge_document(document, make_strategy("greedy", _MENTION), notices=notices)

    assert links(result.decisions) == {"2:d": "0:b"}
    assert result.strategy.endswith("]+partly-untagged:en")
    (notice,) = notices
    assert notice.kind == "partly tagged"
    assert "1 of 3 sentences" in notice.message


def test_a_partly_tagged_part_is_reported_by_the_literal_rule_too() -> None:
    notices = Notices()
    document = parts_of("[a fish/NN ] [a it/PRP ]\n[b fish ] [b it ]")

    result = merge_document(document, make_strategy("greedy"), notices=notices)

    assert "untagged" not in result.strategy
    assert [notice.kind for notice in notices] == ["partly tagged"]


def _without_tags(document: Document) -> Document:
    parts = tuple(
        replace(part, sentences=tuple(replace(each, xpos=None, upos=None) for each in part.sentences))
        for part in document.parts
    )
    return replace(document, parts=parts)


@given(part_documents(), st.sampled_from(["token", "mention", "fuzzy"]))
def test_tags_decide_wherever_a_text_has_them(document: Document, match: str) -> None:
    tagged = replace(
        document,
        parts=tuple(
            replace(
                part,
                sentences=tuple(
                    replace(each, xpos=None, upos=tuple("PRON" for _ in each.forms)) for each in part.sentences
                ),
            )
            for part in document.parts
        ),
    )

    # Nothing is a noun, so nothing matches, whatever the words are.
    assert greedy_links(tagged, {"match": match}) == {}


@given(part_documents())
def test_whole_mentions_that_match_without_tags_are_equal_and_have_a_word_off_the_list(document: Document) -> None:
    untagged = _without_tags(document)

    result = merge_document(untagged, make_strategy("greedy", _MENTION))

    for decision in result.decisions:
        if decision.evidence is not None:
            (pair,) = decision.evidence.pairs
            here, there = untagged.sentence(pair.mention), untagged.sentence(pair.antecedent)
            assert [here.forms[i] for i in pair.mention.tokens] == [there.forms[i] for i in pair.antecedent.tokens]
            flags = content_flags(here, "en")
            assert any(flags[index] for index in pair.mention.tokens)


def test_contractions_count_as_what_they_are_made_of() -> None:
    assert _content("She 'll see the mayor 's house , and I do n\u2019t") == ["see", "mayor", "house"]


def test_words_in_capitals_are_names_but_in_a_headline() -> None:
    assert _content("they told US in the US and Us") == ["told", "US", "US"]
    assert _content("THEY TOLD US") == ["TOLD"]


def test_numbers_signs_and_empty_nodes_stand_for_no_entity() -> None:
    assert _content("in 1990 , -- 3rd man") == ["3rd", "man"]
    assert content_flags(Sentence(("Ann", "Ann"), empty=(1,)), "en") == (True, False)


def test_other_languages_go_by_capitals_and_scripts_without_case_by_letters() -> None:
    assert _content("\u00ab Er sah den Mann , Olga", "other") == ["Mann", "Olga"]
    assert _content("\u4ed6 \u770b\u89c1 1990 \u3002", "other") == ["\u4ed6", "\u770b\u89c1"]


def test_the_language_is_an_option_and_is_in_the_signature() -> None:
    document = parts_of("dort [a der Mann ] [a er ]", "nun [b der Mann ] [b er ]")
    strategy = make_strategy("greedy", {"match": "mention", "language": "other"})

    result = merge_document(document, strategy)

    assert links(result.decisions) == {"1:b": "0:a"}
    assert result.strategy.endswith("language=other]+untagged:other")
    assert "language" not in make_strategy("greedy", _MENTION).signature


@pytest.mark.parametrize(
    ("options", "users"),
    [
        ({"match": "mention", "threshold": 80}, "match=fuzzy"),
        ({"threshold": 80}, "match=fuzzy"),
        ({"match": "head", "language": "other"}, "match=token or match=mention or match=fuzzy"),
    ],
)
def test_an_option_that_the_match_makes_no_use_of_is_refused(options: dict[str, str | int], users: str) -> None:
    with pytest.raises(OptionError, match=rf"is for {users}, not for"):
        make_strategy("greedy", options)


def test_an_option_at_its_default_is_never_refused() -> None:
    assert make_strategy("greedy", {"match": "mention", "threshold": 90, "language": "en"}).values["threshold"] == 90
