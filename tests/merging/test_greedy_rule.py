from __future__ import annotations

from dataclasses import replace

import pytest

from merger.document import Chain, ChainRef, ChainScope, Document, Mention, Part, Sentence, make_mention
from merger.errors import MissingTagsError
from merger.merge import PartMerger, merge_document
from merger.strategies import OptionValue, make_strategy
from tests.support.building import greedy_links, parts_of


def test_a_chain_merges_with_the_earlier_chain_that_has_its_first_noun() -> None:
    document = parts_of(
        "[a the/DT mayor/NN ] met/VBD [b Ann/NNP ] and/CC [a he/PRP ] greeted/VBD [b her/PRP ]",
        "[c the/DT mayor/NN ] waved/VBD at/IN [c himself/PRP ]",
    )

    assert greedy_links(document) == {"1:c": "0:a"}


def test_a_chain_falls_through_to_its_second_noun_when_the_first_is_nowhere_before() -> None:
    document = parts_of(
        "[a the/DT mayor/NN ] met/VBD [b Ann/NNP ] and/CC [a he/PRP ] greeted/VBD [b her/PRP ]",
        "[c the/DT politician/NN ] slept/VBD\n[c the/DT mayor/NN ] snored/VBD",
    )

    assert greedy_links(document) == {"1:c": "0:a"}


def test_the_first_noun_that_is_found_decides_though_a_later_one_points_elsewhere_too() -> None:
    document = parts_of(
        "[a Ann/NNP ] hid/VBD [a herself/PRP ] and/CC [b Bob/NNP ] hid/VBD [b himself/PRP ]",
        "[c Bob/NNP ] knew/VBD\n[c Ann/NNP ] knew/VBD\n[c Ann/NNP ] knew/VBD",
    )

    assert greedy_links(document) == {"1:c": "0:b"}


def test_nouns_are_taken_in_text_order_where_mentions_of_a_chain_cross() -> None:
    # Mention by mention the order would be x, z, cat; by the text it is x, cat, z.
    sentence = Sentence(("x", "cat", "z"), xpos=("NN", "NN", "NN"))
    long_mention, short = make_mention(1, 0, ((0, 0), (2, 2))), make_mention(1, 0, ((1, 1),))
    earlier = parts_of("[a cat/NN ] [a cat/NN ] [b z/NN ] [b z/NN ]")
    document = replace(
        earlier,
        parts=(*earlier.parts, Part((sentence,), 1)),
        chains=(*earlier.chains, Chain("c", (long_mention, short))),
    )

    assert greedy_links(document) == {"1:c": "0:a"}


@pytest.mark.parametrize("tag", ["NN", "NNS", "NNP", "NNPS", "NP", "NPS"])
def test_every_penn_noun_tag_counts(tag: str) -> None:
    document = parts_of(f"[a Bath/{tag} ] was/VBD [a itself/PRP ]", f"[b Bath/{tag} ] was/VBD [b itself/PRP ]")

    assert greedy_links(document) == {"1:b": "0:a"}


@pytest.mark.parametrize("tag", ["PRP", "JJ", "VBG", "CD", "XX"])
def test_no_other_penn_tag_counts(tag: str) -> None:
    document = parts_of(f"[a Bath/{tag} ] was/VBD [a itself/PRP ]", f"[b Bath/{tag} ] was/VBD [b itself/PRP ]")

    assert greedy_links(document) == {}


def test_a_chain_of_pronouns_stays_new_though_the_same_pronoun_came_before() -> None:
    document = parts_of("[a she/PRP ] hid/VBD [a herself/PRP ]", "[b she/PRP ] hid/VBD [b herself/PRP ]")

    assert greedy_links(document) == {}
    assert greedy_links(document, {"match": "token"}) == {}
    assert greedy_links(document, {"match": "mention"}) == {}
    assert greedy_links(document, {"match": "head"}) == {}
    assert greedy_links(document, {"match": "fuzzy"}) == {}


def test_case_counts_unless_it_is_ignored() -> None:
    document = parts_of("[a Water/NN ] froze/VBD [a itself/PRP ]", "[b water/NN ] froze/VBD [b itself/PRP ]")

    assert greedy_links(document) == {}
    assert greedy_links(document, {"ignore-case": True}) == {"1:b": "0:a"}


def test_ignoring_case_knows_letters_that_fold_to_two() -> None:
    document = parts_of("[a STRASSE/NN ] [a it/PRP ]", "[b Straße/NN ] [b it/PRP ]")

    assert greedy_links(document, {"ignore-case": True}) == {"1:b": "0:a"}


# One earlier and one later chain for each reading; the earlier chain's second mention is a pronoun throughout.
READINGS = {
    # mayor is a noun in both; the strings and the heads (mayor, office) differ.
    "noun": ("[a the/DT old/JJ mayor/NN ] [a he/PRP ]", "[b the/DT mayor/NN office/NN ] [b it/PRP ]"),
    # light is a noun in the later chain but an adjective in the earlier one.
    "token": ("[a a/DT light/JJ coat/NN ] [a it/PRP ]", "[b the/DT light/NN ] [b it/PRP ]"),
    # the same string, in which the earlier chain has a verb form where the later has a noun
    "mention": ("[a the/DT running/VBG ] [a it/PRP ]", "[b the/DT running/NN ] [b it/PRP ]"),
    # the strings differ, the head nouns do not
    "head": ("[a the/DT mayor/NN of/IN York/NNP ] [a he/PRP ]", "[b this/DT mayor/NN ] [b he/PRP ]"),
    # Tarrant and Tarrants: 7 + 8 letters, one of them apart: 100 * (15 - 1) / 15 = 93.3, over the threshold of 90
    "fuzzy": ("[a Tarrant/NNP ] [a he/PRP ]", "[b Tarrants/NNP ] [b he/PRP ]"),
}
FOUND_BY = {
    "noun": {"noun", "token"},
    "token": {"token"},
    "mention": {"token", "mention", "fuzzy"},
    "head": {"noun", "token", "head"},
    "fuzzy": {"fuzzy"},
}


@pytest.mark.parametrize("case", READINGS)
@pytest.mark.parametrize("match", READINGS)
def test_each_reading_of_overlap_finds_what_it_says_and_no_more(match: str, case: str) -> None:
    expected = {"1:b": "0:a"} if match in FOUND_BY[case] else {}

    assert greedy_links(parts_of(*READINGS[case]), {"match": match}) == expected


def test_the_head_reading_asks_for_heads_on_both_sides() -> None:
    document = parts_of(
        "[a the/DT mayor/NN of/IN York/NNP ] [a he/PRP ] [b York/NNP ] [b it/PRP ]",
        "[c York/NNP ] [c it/PRP ] [d the/DT town/NN of/IN mayor/NN ] [d it/PRP ]",
    )

    assert greedy_links(document, {"match": "head"}) == {"1:c": "0:b"}


def test_the_head_comes_from_the_tree_where_there_is_one() -> None:
    # "York city mayor": by the tree the first word is the head; by position it would be the last noun.
    tags = ("NNP", "NN", "PRP")
    first = Sentence(("York", "city", "it"), xpos=tags, heads=(-1, 0, 0))
    second = Sentence(("York", "mayor", "it"), xpos=tags, heads=(-1, 0, 0))
    chains = [
        Chain(chain, (make_mention(part, 0, ((0, 1),)), make_mention(part, 0, ((2, 2),))))
        for part, chain in enumerate("ab")
    ]
    document = Document("d", (Part((first,)), Part((second,), 1)), tuple(chains), ChainScope.PART)
    flat = replace(
        document, parts=tuple(Part((replace(part.sentences[0], heads=None),), part.number) for part in document.parts)
    )

    assert greedy_links(document, {"match": "head"}) == {"1:b": "0:a"}
    assert greedy_links(flat, {"match": "head"}) == {}


def test_the_threshold_of_the_fuzzy_reading_is_the_least_ratio_that_counts() -> None:
    # abcd and abce: 8 letters, one apart on each side: 100 * (8 - 2) / 8 = 75.
    document = parts_of("[a abcd/NN ] [a it/PRP ]", "[b abce/NN ] [b it/PRP ]")

    assert greedy_links(document, {"match": "fuzzy", "threshold": 75}) == {"1:b": "0:a"}
    assert greedy_links(document, {"match": "fuzzy", "threshold": 75.1}) == {}


def test_the_tie_rule_decides_among_all_strings_over_the_threshold_in_the_fuzzy_reading() -> None:
    # To abcdefghij the first chain is equal (100), the second, which is nearer, has 100 * (20 - 2) / 20 = 90.
    document = parts_of(
        "[a abcdefghij/NN ] [a it/PRP ] [b abcdefghix/NN ] [b it/PRP ]", "[c abcdefghij/NN ] [c it/PRP ]"
    )

    assert greedy_links(document, {"match": "fuzzy"}) == {"1:c": "0:b"}
    assert greedy_links(document, {"match": "fuzzy", "threshold": 91}) == {"1:c": "0:a"}
    assert greedy_links(document, {"match": "fuzzy", "tie": "first"}) == {"1:c": "0:a"}


def test_the_overlap_tie_adds_up_strings_that_are_just_as_alike() -> None:
    # abcd and abce, abcf: 75 each. Chain a has both of them once (2 mentions), chain b, which is nearer, one.
    document = parts_of("[a abce/NN ] [a abcf/NN ] [b abcf/NN ] [b it/PRP ]", "[c abcd/NN ] [c it/PRP ]")
    options: dict[str, OptionValue] = {"match": "fuzzy", "threshold": 75, "tie": "overlap"}

    assert greedy_links(document, options) == {"1:c": "0:a"}
    assert greedy_links(document, {**options, "tie": "recent"}) == {"1:c": "0:b"}


# Chain a begins first, ends last and has water once; b begins later and has it twice; c has it once.
TIED = "[a water/NN ] [b water/NN ] [b water/NN ] [c water/NN ] [c it/PRP ] [a it/PRP ]"


def test_recent_takes_the_chain_whose_last_mention_is_nearest() -> None:
    document = parts_of(TIED, "[d water/NN ] [d it/PRP ]")

    assert greedy_links(document) == {"1:d": "0:a"}


def test_recent_looks_at_the_last_mention_of_the_merged_chain_not_of_its_first_part() -> None:
    document = parts_of(
        "[a Ann/NNP ] [a water/NN ] [b water/NN ] [b it/PRP ]", "[c Ann/NNP ] [c she/PRP ]", "[d water/NN ] [d it/PRP ]"
    )

    assert greedy_links(document) == {"1:c": "0:a", "2:d": "0:a"}


def test_recent_knows_the_last_mention_where_two_chains_of_a_part_joined() -> None:
    # b and c join a in this order; c ends before d does, b after it.
    document = parts_of(
        "[a river/NN ] [a water/NN ]",
        "[b river/NN ] [c water/NN ] [c it/PRP ] [d fish/NN ] [d it/PRP ] [b fish/NN ]",
        "[e fish/NN ] [e it/PRP ]",
    )

    assert greedy_links(document) == {"1:b": "0:a", "1:c": "0:a", "2:e": "0:a"}


def test_first_takes_the_earliest_chain() -> None:
    document = parts_of("[b x/NN ] [a water/NN ] [b water/NN ] [a it/PRP ]", "[d water/NN ] [d it/PRP ]")

    assert greedy_links(document, {"tie": "first"}) == {"1:d": "0:b"}


def test_overlap_takes_the_chain_with_the_most_mentions_that_match() -> None:
    document = parts_of(TIED, "[d water/NN ] [d it/PRP ]")

    assert greedy_links(document, {"tie": "overlap"}) == {"1:d": "0:b"}


def test_overlap_counts_a_mention_that_has_the_noun_twice_once() -> None:
    # Chain a: one mention with fish twice; chain b: two mentions with fish.
    document = parts_of(
        "[b fish/NN ] [b fish/NN ] [a fish/NN and/CC more/JJR fish/NN ] [a it/PRP ]", "[c fish/NN ] [c it/PRP ]"
    )

    assert greedy_links(document, {"tie": "overlap"}) == {"1:c": "0:b"}


def test_overlap_falls_back_to_the_nearest() -> None:
    document = parts_of("[a fish/NN ] [a it/PRP ] [b fish/NN ] [b it/PRP ]", "[c fish/NN ] [c it/PRP ]")

    assert greedy_links(document, {"tie": "overlap"}) == {"1:c": "0:b"}


def test_two_chains_of_a_part_may_merge_into_one_earlier_chain() -> None:
    document = parts_of(
        "[a the/DT river/NN water/NN ] [a it/PRP ]", "[b river/NN ] [b it/PRP ] [c water/NN ] [c it/PRP ]"
    )

    assert greedy_links(document) == {"1:b": "0:a", "1:c": "0:a"}


def test_one_to_one_gives_an_earlier_chain_to_the_first_that_asks() -> None:
    document = parts_of(
        "[a the/DT river/NN water/NN ] [a it/PRP ]", "[b river/NN ] [b it/PRP ] [c water/NN ] [c it/PRP ]"
    )

    assert greedy_links(document, {"one-to-one": True}) == {"1:b": "0:a"}


def test_one_to_one_lets_the_second_chain_have_another_match_of_its_noun() -> None:
    document = parts_of(
        "[a water/NN ] [a it/PRP ] [b water/NN ] [b it/PRP ]",
        "[c water/NN ] [c it/PRP ] [d water/NN ] [d it/PRP ] [e water/NN ] [e it/PRP ]",
    )

    assert greedy_links(document, {"one-to-one": True}) == {"1:c": "0:b", "1:d": "0:a"}


def test_one_to_one_holds_for_a_part_and_begins_anew_with_the_next() -> None:
    document = parts_of("[a water/NN ] [a it/PRP ]", "[b water/NN ] [b it/PRP ]", "[c water/NN ] [c it/PRP ]")

    assert greedy_links(document, {"one-to-one": True}) == {"1:b": "0:a", "2:c": "0:a"}


def test_chains_of_one_part_are_never_antecedents_of_each_other() -> None:
    document = parts_of(
        "[a fish/NN ] [a it/PRP ] [b fish/NN ] [b it/PRP ]", "[c x/NN ] [c it/PRP ] [d x/NN ] [d it/PRP ]"
    )

    assert greedy_links(document) == {}


def test_a_part_becomes_available_once_it_is_done() -> None:
    document = parts_of("[a x/NN ] [a it/PRP ]", "[b fish/NN ] [b it/PRP ]", "[c fish/NN ] [c it/PRP ]")

    assert greedy_links(document) == {"2:c": "1:b"}


def test_a_noun_that_joined_in_a_middle_part_leads_to_the_whole_merged_chain() -> None:
    document = parts_of(
        "[a Ann/NNP ] [a she/PRP ]", "[b Ann/NNP ] [b the/DT pilot/NN ]", "[c the/DT pilot/NN ] [c she/PRP ]"
    )

    assert greedy_links(document) == {"1:b": "0:a", "2:c": "0:a"}


def test_a_later_part_changes_no_earlier_decision() -> None:
    texts = [
        "[a Ann/NNP ] [a Bo/NNP ]",
        "[b Bo/NNP ] [b fish/NN ] [c fish/NN ] [c it/PRP ]",
        "[d fish/NN ] [d Ann/NNP ]",
    ]
    strategy = make_strategy("greedy")
    decided = [merge_document(parts_of(*texts[:count]), strategy).decisions for count in (1, 2, 3)]

    assert decided[2][: len(decided[1])] == decided[1]
    assert decided[1][: len(decided[0])] == decided[0]


def test_parts_come_in_the_order_of_the_document_not_by_their_numbers() -> None:
    document = parts_of("[a fish/NN ] [a it/PRP ]", "[b fish/NN ] [b it/PRP ]")
    odd = replace(document, parts=(replace(document.parts[0], number=7), replace(document.parts[1], number=9)))

    assert greedy_links(odd) == {"1:b": "0:a"}


def test_universal_tags_do_where_there_are_no_others() -> None:
    document = parts_of(
        "[a York/PROPN ] [a it/PRON ] [b fish/NOUN ] [b it/PRON ]",
        "[c York/PROPN ] [c it/PRON ] [d fish/NOUN ] [d it/PRON ]",
        tags="upos",
    )

    assert greedy_links(document) == {"1:c": "0:a", "1:d": "0:b"}


def _tagged(xpos: tuple[str, ...], upos: tuple[str, ...]) -> Document:
    sentence = Sentence(("Haus", "Not"), xpos=xpos, upos=upos)
    chains = tuple(
        Chain(chain, (Mention(part, 0, 0, 0), Mention(part, 0, 1, 1))) for part, chain in enumerate(("a", "b"))
    )
    return Document("d", (Part((sentence,)), Part((sentence,), 1)), chains, ChainScope.PART)


def test_universal_tags_decide_where_the_others_are_of_another_tag_set() -> None:
    assert greedy_links(_tagged(("SUBST", "ADV"), ("NOUN", "ADV"))) == {"1:b": "0:a"}


def test_universal_tags_decide_where_the_other_column_is_empty() -> None:
    assert greedy_links(_tagged(("", ""), ("NOUN", "ADV"))) == {"1:b": "0:a"}


def test_penn_tags_decide_where_there_are_both() -> None:
    assert greedy_links(_tagged(("VB", "RB"), ("NOUN", "ADV"))) == {}
    assert greedy_links(_tagged(("NN", "RB"), ("VERB", "ADV"))) == {"1:b": "0:a"}


def test_missing_tags_are_an_error_that_names_document_part_and_what_to_do() -> None:
    document = parts_of("[a fish/NN ] [a it/PRP ]", "[b fish ] [b it ]")

    with pytest.raises(MissingTagsError) as caught:
        merge_document(document, make_strategy("greedy"))

    assert (caught.value.location.document, caught.value.location.part) == ("d", 1)
    assert "no part-of-speech tags" in str(caught.value)
    assert "greedy:match=mention needs no tags" in str(caught.value)
    assert "option tagger" in str(caught.value)


def test_missing_tags_on_a_stream_name_the_document_too() -> None:
    document = parts_of("[b fish ] [b it ]")

    with pytest.raises(MissingTagsError) as caught:
        PartMerger(make_strategy("greedy"), "nw/1").add(document.parts[0], document.chains)

    assert (caught.value.location.document, caught.value.location.part) == ("nw/1", 0)


def test_a_part_without_chains_needs_no_tags() -> None:
    document = parts_of("[a fish/NN ] [a it/PRP ]", "nothing here", "[b fish/NN ] [b it/PRP ]")

    assert greedy_links(document) == {"2:b": "0:a"}


def test_evidence_says_which_noun_and_which_mentions() -> None:
    document = parts_of(
        "[a the/DT old/JJ mayor/NN ] met/VBD [a him/PRP ]\n[a a/DT mayor/NN ] spoke/VBD",
        "[b Osgood/NNP ] spoke/VBD\nof/IN [b the/DT mayor/NN ]",
    )

    (decision,) = merge_document(document, make_strategy("greedy")).decisions[1:]
    evidence = decision.evidence

    assert decision.antecedent == ChainRef(0, "a")
    assert evidence is not None
    assert (evidence.rule, evidence.text, evidence.score) == ("noun", "mayor", None)
    # Of the two mentions with mayor the later one is shown.
    assert [(pair.mention, pair.antecedent) for pair in evidence.pairs] == [(Mention(1, 1, 1, 2), Mention(0, 1, 0, 1))]


def test_evidence_shows_the_latest_mention_of_a_chain_that_two_chains_of_a_part_joined() -> None:
    # b and c join a; b's last water is at token 3 of part 1, after c's at token 2.
    document = parts_of(
        "[a river/NN ] [a water/NN ]",
        "[b river/NN ] [c water/NN ] [c water/NN ] [b water/NN ]",
        "[d water/NN ] [d it/PRP ]",
    )

    decision = merge_document(document, make_strategy("greedy")).decisions[-1]

    assert decision.evidence is not None
    assert decision.evidence.pairs[0].antecedent == Mention(1, 0, 3, 3)


def test_evidence_of_the_fuzzy_reading_has_the_similarity() -> None:
    document = parts_of("[a abcd/NN ] [a it/PRP ]", "[b abce/NN ] [b it/PRP ]")

    decision = merge_document(document, make_strategy("greedy", {"match": "fuzzy", "threshold": 70})).decisions[-1]

    assert decision.evidence is not None
    assert (decision.evidence.text, decision.evidence.score) == ("abce", 75.0)


def test_a_new_chain_has_no_evidence() -> None:
    (decision,) = merge_document(parts_of("[a fish/NN ] [a it/PRP ]"), make_strategy("greedy")).decisions

    assert (decision.antecedent, decision.evidence) == (None, None)


def test_a_discontinuous_mention_has_the_nouns_of_its_own_tokens_only() -> None:
    # "old ships and boats": the mention is old ... boats, without ships.
    sentence = Sentence(("old", "ships", "and", "boats"), xpos=("JJ", "NNS", "CC", "NNS"))
    gap = make_mention(0, 0, ((0, 0), (3, 3)))
    later = parts_of("x/NN", "[b ships/NNS ] [b they/PRP ] [c boats/NNS ] [c they/PRP ]")
    document = replace(
        later,
        parts=(Part((sentence,)), later.parts[1]),
        chains=(Chain("a", (gap, make_mention(0, 0, ((2, 2),)))), *later.chains),
    )

    assert greedy_links(document) == {"1:c": "0:a"}
    assert greedy_links(document, {"match": "mention"}) == {}
