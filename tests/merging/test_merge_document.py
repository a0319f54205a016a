from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merger.decisions.model import apply_decisions
from merger.document import Chain, ChainScope, Document, Mention, chains_by_part
from merger.errors import AlignmentError, AnnotationError, OptionError
from merger.merge import PartMerger, merge_document
from merger.notices import Notices
from merger.progress import WorkContext
from merger.resegment import with_boundaries_of
from merger.strategies import STRATEGIES, Option, list_strategies, make_strategy, parse_spec
from tests.support.building import clusters, greedy_links, links, parts_of, whole
from tests.support.random_documents import part_documents

WITH_SINGLETONS = parts_of(
    "[s fish/NN ] [a cat/NN ] [a it/PRP ]",
    "[t cat/NN ] [b fish/NN ] [b it/PRP ]",
    "[c cat/NN ] [c it/PRP ]",
)


def test_one_mention_chains_are_dropped_with_a_notice_that_counts_them() -> None:
    notices = Notices()

    result = merge_document(WITH_SINGLETONS, make_strategy("greedy"), notices=notices)

    assert result.singletons == 2
    assert {chain.id: len(chain.mentions) for chain in result.document.chains} == {"a": 4, "b": 2}
    assert [(notice.kind, notice.count) for notice in notices] == [("singletons left out", 2)]


def test_one_mention_chains_are_kept_unmerged_on_request() -> None:
    notices = Notices()

    result = merge_document(WITH_SINGLETONS, make_strategy("greedy"), keep_singletons=True, notices=notices)

    assert {chain.id: len(chain.mentions) for chain in result.document.chains} == {"a": 4, "b": 2, "s": 1, "t": 1}
    assert len(notices) == 0
    assert result.singletons == 2


def test_one_mention_chains_are_never_antecedents_and_get_no_decision() -> None:
    for keep in (False, True):
        result = merge_document(WITH_SINGLETONS, make_strategy("greedy"), keep_singletons=keep)

        assert links(result.decisions) == {"2:c": "0:a"}
        assert [each.chain for each in result.decisions] == [(0, "a"), (1, "b"), (2, "c")]


def test_kept_one_mention_chains_get_ids_of_their_own_where_ids_collide() -> None:
    document = parts_of("[0 x/NN ] [0 it/PRP ] [1 y/NN ]", "[0 x/NN ] [0 it/PRP ] [1 z/NN ]")

    merged = merge_document(document, make_strategy("greedy"), keep_singletons=True).document

    assert [(chain.id, len(chain.mentions)) for chain in merged.chains] == [("0", 4), ("1", 1), ("2", 1)]


def test_the_result_is_the_same_text_with_chains_over_the_whole_document() -> None:
    document = parts_of("[a x/NN ] [a it/PRP ]", "[b x/NN ] [b it/PRP ]")

    result = merge_document(document, make_strategy("greedy"))

    assert result.document.parts == document.parts
    assert result.document.scope is ChainScope.DOCUMENT
    assert result.strategy == "greedy[match=noun,tie=recent,one-to-one=no,ignore-case=no,threshold=90]"


def test_progress_is_reported_after_every_part() -> None:
    done: list[int] = []

    merge_document(
        WITH_SINGLETONS,
        make_strategy("none"),
        watch=WorkContext(progress=lambda _stage, count, _total: done.append(count)),
    )

    assert done == [1, 2, 3]


@settings(max_examples=60)
@given(document=part_documents(), match=st.sampled_from(["noun", "mention"]))
def test_parts_given_one_by_one_give_what_the_whole_document_gives(document: Document, match: str) -> None:
    strategy = make_strategy("greedy", {"match": match})
    whole_result = merge_document(document, strategy)

    merger = PartMerger(strategy, document.id)
    streamed = [
        decision
        for part, chains in zip(document.parts, chains_by_part(document), strict=True)
        for decision in merger.add(part, chains)
    ]

    assert tuple(streamed) == whole_result.decisions
    assert merger.finish() == whole_result.document.chains
    assert merger.singletons == whole_result.singletons


@settings(max_examples=60)
@given(document=part_documents(singletons=False))
def test_the_merged_document_is_what_its_decisions_make(document: Document) -> None:
    result = merge_document(document, make_strategy("greedy"))

    assert apply_decisions(document, result.decisions).chains == result.document.chains


@settings(max_examples=60)
@given(document=part_documents(singletons=False))
def test_the_floor_leaves_every_chain_as_it_is(document: Document) -> None:
    assert clusters(merge_document(document, make_strategy("none")).document) == clusters(document)


def test_the_ceiling_repeats_the_human_merges() -> None:
    document = parts_of("[a x ] [a x ] [b x ] [b x ]", "[c x ] [c x ] [d x ] [d x ]")
    key = whole("[e x ] [e x ] [f x ] [f x ]", "[f x ] [f x ] [e x ] [e x ]")

    result = merge_document(document, make_strategy("oracle"), key=key)

    assert clusters(result.document) == clusters(key)
    assert result.strategy == "oracle"


def test_the_ceiling_takes_a_key_without_part_boundaries() -> None:
    document = parts_of("[a x ] [a x ]", "[b x ] [b x ]\n[b x ]")
    key = whole("[e x ] [e x ]\n[e x ] [e x ]\n[e x ]")

    result = merge_document(document, make_strategy("oracle"), key=key)

    assert [len(chain.mentions) for chain in result.document.chains] == [5]


def test_the_ceiling_needs_a_key() -> None:
    with pytest.raises(OptionError, match="gold merges"):
        merge_document(WITH_SINGLETONS, make_strategy("oracle"))


def test_a_document_that_is_merged_already_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(AnnotationError, match=r"chain e has mentions in parts 0 and 1.*merge-baseline split"):
        merge_document(whole("[e x/NN ]", "[e x/NN ]"), make_strategy("none"))


def test_a_key_with_other_words_is_an_error_that_shows_both() -> None:
    with pytest.raises(AlignmentError, match=r"token 1 of the document \(from 0\) is 'y'; expected 'x'"):
        with_boundaries_of(parts_of("a x"), parts_of("a y"))


def test_a_key_with_a_sentence_too_many_is_an_error() -> None:
    with pytest.raises(
        AlignmentError, match=r"token 2 of the document \(from 0\) is 'b'; expected the end of the document"
    ):
        with_boundaries_of(parts_of("a x"), parts_of("a x\nb"))


def test_boundaries_move_mentions_to_their_new_part_and_sentence() -> None:
    merged = with_boundaries_of(parts_of("a", "b c\nd"), whole("a\n[e b ] [e c ]\n[e d ]"))

    assert merged.chains == (Chain("e", (Mention(1, 0, 0, 0), Mention(1, 0, 1, 1), Mention(1, 1, 0, 0))),)
    assert merged.scope is ChainScope.DOCUMENT


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"match": "nouns"}, "option match: 'nouns' is not one of noun, token, mention, head, fuzzy"),
        ({"one-to-one": "maybe"}, "option one-to-one: 'maybe' is not yes or no"),
        ({"one-to-one": 1}, "option one-to-one: 1 is not yes or no"),
        (
            {"match": "fuzzy", "threshold": 0.9},
            "option threshold: 0.9 is in percent, and nearly all strings are that similar; did you mean 90?",
        ),
        (
            {"match": "fuzzy", "threshold": "1"},
            "option threshold: 1 is in percent, and nearly all strings are that similar; did you mean 100?",
        ),
        ({"threshold": 101}, "option threshold: 101 is not a number from 0 to 100"),
        ({"threshold": "nan"}, "option threshold: 'nan' is not a number from 0 to 100"),
        ({"threshold": "high"}, "option threshold: 'high' is not a number from 0 to 100"),
        ({"threshold": True}, "option threshold: True is not a number from 0 to 100"),
        (
            {"macth": "noun"},
            (
                "strategy greedy has no option 'macth' (did you mean match?); its options: match, tie, one-to-one, "
                "ignore-case, threshold, nouns, language"
            ),
        ),
    ],
)
def test_an_option_that_does_not_fit_is_an_error_that_says_what_it_takes(
    options: dict[str, str | int | bool], says: str
) -> None:
    with pytest.raises(OptionError) as caught:
        make_strategy("greedy", options)

    assert str(caught.value) == says


def test_an_unknown_strategy_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(OptionError, match="no strategy 'gready'") as caught:
        make_strategy("gready")

    assert all(name in str(caught.value) for name in STRATEGIES)


def test_options_may_come_as_text() -> None:
    name, options = parse_spec("greedy:match=fuzzy, one-to-one, threshold=80")
    document = parts_of("[a abcde/NN ] [a it/PRP ]", "[b abcdf/NN ] [b it/PRP ] [c abcde/NN ] [c it/PRP ]")

    # abcde and abcdf: 100 * (10 - 2) / 10 = 80. The first chain takes the antecedent.
    assert (name, greedy_links(document, options)) == ("greedy", {"1:b": "0:a"})


@pytest.mark.parametrize("name", ["none", "greedy", "oracle"])
def test_a_signature_is_a_spec_that_gives_the_same_strategy(name: str) -> None:
    signature = make_strategy(name).signature

    again, options = parse_spec(signature.replace("[", ":").removesuffix("]"))

    assert make_strategy(again, options).signature == signature


def test_the_list_of_strategies_says_which_need_a_key() -> None:
    needs = {info.name: info.needs_key for info in list_strategies()}

    assert (needs["none"], needs["greedy"], needs["oracle"]) == (False, False, True)


LARGE = """
import pathlib, random, resource, sys
from merger.formats.conll2012.format import Conll2012Format
from merger.formats.base import Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.merge import merge_document
from merger.notices import Notices
from merger.strategies import make_strategy

def lines():
    # 100 parts of 500 sentences of 20 words, of which 6 are mentions: 1,000,000 words and 300,000 mentions. A part has
    # 1,000 chains of 3 mentions.
    draw = random.Random(7).randrange
    for part in range(100):
        yield f"#begin document (nw/large); part {part:03d}\\n"
        for sentence in range(500):
            for word in range(20):
                chain = f"({(sentence * 6 + word) % 1000})" if word < 6 else "-"
                yield f"nw/large\\t{part}\\t{word}\\tword{draw(50000)}\\tNN\\t-\\t-\\t-\\t-\\tSpeaker\\t*\\t{chain}\\n"
            yield "\\n"
        yield "#end document\\n"

options = ReadOptions(Notices())
(document,) = group_parts(Conll2012Format().read(Lines("large", lines()), options), options.notices)
result = merge_document(document, make_strategy("greedy"))
mentions = sum(len(chain.mentions) for chain in result.document.chains)
status = pathlib.Path("/proc/self/status")
if status.exists():
    # Linux counts into ru_maxrss what the process that started this one had, before exec.
    peak = 1024 * int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:")).split()[1])
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(document.token_count, mentions, len(result.decisions), peak)
"""


@pytest.mark.large
@pytest.mark.skipif(sys.platform == "win32", reason="the resource module, which tells the peak memory, is POSIX only")
def test_a_document_of_a_million_tokens_is_read_and_merged_in_less_than_a_gibibyte() -> None:
    done = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=False, timeout=300)

    assert done.stderr == ""
    tokens, mentions, decisions, peak = map(int, done.stdout.split())
    assert (tokens, mentions, decisions) == (1_000_000, 300_000, 100_000)
    assert peak < 1 << 30


def test_numbers_in_messages_and_signatures_have_no_exponent_and_all_their_digits() -> None:
    option = Option("most", 1.0, "a bound", low=0, high=2_000_000)

    assert option.takes == "a number from 0 to 2000000"
    assert option.show(1_000_000.0) == "1000000"
    assert option.show(91.23456789) == "91.23456789"
