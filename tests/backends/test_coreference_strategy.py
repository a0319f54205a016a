"""The coreference pass as a strategy, with clusters from files: what it decides follows from clusters we know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import server
from client.remote.sync import RemoteMerger
from merger.document import Document
from merger.errors import AlignmentError, OptionError, UnavailableError
from merger.formats import read_documents, write_documents
from merger.merge import MergeResult, merge_document
from merger.notices import Notices
from merger.strategies import make_strategy
from service.strategies import ServedStrategies

EXAMPLES = Path(__file__).parents[2] / "examples"
KEY = EXAMPLES / "key"
FERRY = EXAMPLES / "parts" / "ferry.conll"
SPEC = f"precomputed:path={KEY}"


def documents() -> list[Document]:
    return list(read_documents(str(EXAMPLES / "parts")))


def merged(document: Document, **options: str | bool) -> MergeResult:
    return merge_document(document, make_strategy("precomputed", {"path": str(KEY), **options}))


@pytest.mark.parametrize("policy", ["majority-one-to-one", "majority", "any-link"])
@pytest.mark.parametrize("mentions", ["exact", "head", "overlap"])
def test_with_the_human_clusters_the_pass_makes_the_human_merges(policy: str, mentions: str) -> None:
    keys = {key.id: key for key in read_documents(str(KEY))}

    for document in documents():
        result = merged(document, policy=policy, mentions=mentions)
        found = {frozenset(chain.mentions) for chain in result.document.chains}
        assert found == {frozenset(chain.mentions) for chain in keys[document.id].chains}


def test_clusters_that_cross_no_part_link_nothing() -> None:
    strategy = make_strategy("precomputed", {"path": str(EXAMPLES / "parts")})

    for document in documents():
        assert all(decision.antecedent is None for decision in merge_document(document, strategy).decisions)


def test_a_decision_shows_linked_mentions_and_their_number() -> None:
    document = next(iter(read_documents(str(FERRY))))
    result = merged(document)
    chains = {(chain.mentions[0].part, chain.id): chain for chain in document.chains}
    decision = next(decision for decision in result.decisions if decision.antecedent is not None)

    assert decision.antecedent is not None
    assert decision.evidence is not None
    here, there = chains[decision.chain], chains[decision.antecedent]
    assert decision.evidence.rule == "link"
    # All mentions of both chains are in the one human cluster, and the first link is with a single earlier chain.
    assert decision.evidence.score == len(here.mentions) * len(there.mentions)
    pair = decision.evidence.pairs[0]
    assert pair.mention in here.mentions
    assert pair.antecedent in there.mentions


def test_a_document_that_the_file_lacks_is_an_error_that_names_it() -> None:
    strategy = make_strategy("precomputed", {"path": str(KEY / "wells.conll")})

    with pytest.raises(AlignmentError, match="nw/ferry"):
        merge_document(next(iter(read_documents(str(FERRY)))), strategy)


def test_a_stream_needs_the_incremental_pass() -> None:
    strategy = make_strategy("precomputed", {"path": str(KEY)})

    with pytest.raises(OptionError, match="pass=incremental"):
        strategy.start(None)


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteMerger]:
    options = server.ServerOptions(port=0, enable=(SPEC,))
    with server.background(options) as address, RemoteMerger(address) as remote:
        yield remote


def test_a_served_pass_gives_what_it_gives_in_process(remote: RemoteMerger) -> None:
    for document in documents():
        for options in ({}, {"policy": "any-link"}, {"mentions": "head", "policy": "majority"}):
            here, there = merged(document, **options), remote.merge(document, "precomputed", options)
            assert there.decisions == here.decisions
            assert there.strategy == here.strategy
            texts = ["".join(write_documents([each.document], "conll2012", Notices())) for each in (here, there)]
            assert texts[0] == texts[1]


def test_callers_cannot_name_files(remote: RemoteMerger) -> None:
    with pytest.raises(OptionError, match="option path is the server operator's"):
        remote.merge(documents()[0], "precomputed", {"path": "/etc/passwd"})


def test_only_strategies_with_a_backend_are_enabled() -> None:
    with pytest.raises(OptionError, match="strategies to enable are corenlp, stanza, precomputed"):
        ServedStrategies(["greedy"])
    with pytest.raises(UnavailableError, match="the operator has not enabled it"):
        ServedStrategies().make("precomputed", {})


def test_an_enabled_strategy_is_listed_with_the_options_of_callers_only() -> None:
    infos = {info.name: info for info in ServedStrategies([SPEC]).infos()}

    assert infos["precomputed"].unavailable is None
    assert [option.name for option in infos["precomputed"].options] == ["policy", "mentions", "pass", "within-part"]
    assert infos["stanza"].unavailable is not None
