"""What a request names is never opened: options that reach files, processes or the network are the operator's."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest

import server
from merger.document import Document, Part, Sentence
from merger.errors import OptionError, UnavailableError
from merger.formats import read_documents
from merger.options import Option
from merger.strategies import STRATEGIES
from merger.strategies.greedy.strategy import GreedyStrategy
from protos.convert.documents import document_to_message
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.redacted_backend import without_addresses
from service.strategies import ServedStrategies
from tests.support.command_line import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = EXAMPLES / "key" / "wells.conll"
OPERATORS = [
    (name, option)
    for name, kind in STRATEGIES.items()
    for option in kind.options
    if option.name in kind.operator_options
]


class Traps(NamedTuple):
    """A path on which whoever opens it hangs, and a URL at which somebody listens."""

    path: str
    url: str
    listener: socket.socket

    def is_untouched(self) -> bool:
        self.listener.setblocking(False)
        try:
            self.listener.accept()
        except BlockingIOError:
            return True
        return False


@pytest.fixture
def traps(tmp_path: Path) -> Iterator[Traps]:
    path = tmp_path / "trap"
    os.mkfifo(path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Traps(str(path), f"http://127.0.0.1:{listener.getsockname()[1]}", listener)


@pytest.fixture(scope="module")
def stub() -> Iterator[ChainMergeServiceStub]:
    # A CoreNLP server that nobody runs: it is not asked for anything here.
    enable = (f"precomputed:path={CLUSTERS}", "corenlp:url=http://127.0.0.1:9")
    options = server.ServerOptions(port=0, workers=0, grace_seconds=0, enable=enable, warm=False)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        yield ChainMergeServiceStub(channel)


def request(strategy: str, options: dict[str, str], document: Document | None = None) -> v1.MergeDocumentRequest:
    settings = [v1.OptionSetting(name=name, value=v1.OptionValue(text=text)) for name, text in options.items()]
    return v1.MergeDocumentRequest(
        document=v1.Document() if document is None else document_to_message(document),
        strategy=v1.StrategySpec(name=strategy, options=settings),
    )


def refusal(stub: ChainMergeServiceStub, asked: v1.MergeDocumentRequest) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as caught:
        stub.MergeDocument(asked, timeout=PATIENCE)
    return caught.value.code(), caught.value.details() or ""


@pytest.mark.parametrize(("strategy", "option"), OPERATORS, ids=lambda each: getattr(each, "name", each))
def test_an_option_of_the_operator_is_refused_and_what_it_names_is_not_touched(
    stub: ChainMergeServiceStub, traps: Traps, strategy: str, option: Option
) -> None:
    for value in (traps.path, traps.url, "6G", "1"):
        code, details = refusal(stub, request(strategy, {option.name: value}))
        if strategy == "stanza":
            assert (code, details) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "strategy stanza: the operator has not enabled it (server option enable)",
            )
        else:
            assert code is grpc.StatusCode.INVALID_ARGUMENT
            assert details == f"strategy {strategy}: option {option.name} is the server operator's"
    assert traps.is_untouched()


def test_the_list_of_strategies_has_no_option_of_the_operator(stub: ChainMergeServiceStub) -> None:
    listed = stub.ListStrategies(v1.ListStrategiesRequest(), timeout=PATIENCE)
    names = {(strategy.name, option.name) for strategy in listed.strategies for option in strategy.options}
    assert {strategy.name for strategy in listed.strategies} == set(STRATEGIES)
    assert not names & {(strategy, option.name) for strategy, option in OPERATORS}
    assert str(CLUSTERS) not in str(listed)
    assert "127.0.0.1:9" not in str(listed)


def test_no_option_of_a_caller_is_free_text(stub: ChainMergeServiceStub) -> None:
    # What has a choice of values can't name a file, whatever a strategy does with it.
    for strategy in stub.ListStrategies(v1.ListStrategiesRequest(), timeout=PATIENCE).strategies:
        for option in strategy.options:
            # The names of tags: compared with tags, and nothing else.
            if (strategy.name, option.name) != ("greedy", "nouns"):
                assert option.choices or option.type != v1.OptionType.OPTION_TYPE_STRING, (strategy.name, option.name)


def test_ids_and_texts_that_look_like_paths_and_urls_are_only_texts(stub: ChainMergeServiceStub, traps: Traps) -> None:
    for text in (traps.path, traps.url, f"file://{traps.path}"):
        sentence = Sentence((text,), ("NN",), speakers=(text,))
        document = Document(text, (Part((sentence,)),), genre=text)
        assert stub.MergeDocument(request("greedy", {}, document), timeout=PATIENCE).signature
        code, _ = refusal(stub, request("precomputed", {}, document))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert traps.is_untouched()


def test_clusters_of_the_operator_are_not_told_to_who_does_not_have_the_document(stub: ChainMergeServiceStub) -> None:
    ours = next(read_documents(str(CLUSTERS)))
    first = ours.parts[0].sentences[0].forms[0]
    guess = Document(ours.id, (Part((Sentence(("guess",)),)),))
    stranger = Document("stranger", (Part((Sentence(("guess",)),)),))
    for document in (guess, stranger):
        code, details = refusal(stub, request("precomputed", {}, document))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert details == (
            f"document {document.id}: the clusters that this server has for precomputed are not of this document; "
            "expected a document of theirs, with the same id and tokens"
        )
        assert first not in details


def test_who_has_the_document_gets_its_clusters(stub: ChainMergeServiceStub) -> None:
    ours = next(read_documents(str(EXAMPLES / "parts" / "wells.conll")))
    answer = stub.MergeDocument(request("precomputed", {}, ours), timeout=PATIENCE)
    assert any(decision.HasField("antecedent") for decision in answer.decisions)


def test_why_a_backend_can_not_start_is_for_the_operator(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    missing = tmp_path / "secret-name.conll"
    missing.write_text(CLUSTERS.read_text(encoding="utf-8"), encoding="utf-8")
    enable = (f"precomputed:path={missing}",)
    options = server.ServerOptions(port=0, workers=0, grace_seconds=0, enable=enable, warm=False)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        missing.unlink()
        code, details = refusal(ChainMergeServiceStub(channel), request("precomputed", {}))
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert details == "strategy precomputed can't run on this server now; the server's log says why"
    assert "secret-name.conll" in caplog.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("at http://10.0.0.5:9000 cannot be reached: Connection refused", "at … cannot be reached: Connection refused"),
        ("/opt/corenlp/x.jar is damaged (see ~/log, ../a/b)", "… is damaged (see …, …)"),
        ("CoreNLP did not answer within 2 s and/or 3/4 of it", "CoreNLP did not answer within 2 s and/or 3/4 of it"),
    ],
)
def test_addresses_and_paths_are_left_out_of_what_callers_are_told(text: str, told: str) -> None:
    assert without_addresses(text) == told


class _GreedyWithFile(GreedyStrategy):
    """A strategy without a backend whose callers must not name a file."""

    name = "with-file"
    options = (*GreedyStrategy.options, Option("path", "", "a file with words"))
    operator_options = frozenset({"path"})


def test_a_strategy_with_an_option_of_the_operator_is_offered_to_no_caller_unless_enabled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(STRATEGIES, _GreedyWithFile.name, _GreedyWithFile)
    strategies = ServedStrategies()

    listed = {info.name: info for info in strategies.infos()}[_GreedyWithFile.name]
    assert "path" not in {option.name for option in listed.options}
    assert listed.unavailable == "the operator has not enabled it (server option enable)"
    assert _GreedyWithFile.name not in strategies.offered
    for options in ({}, {"path": "/etc/hostname"}):
        with pytest.raises(UnavailableError, match="the operator has not enabled it"):
            strategies.make(_GreedyWithFile.name, options)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (
            "corenlp:url=http://127.0.0.1:9",
            "corenlp:url=http://127.0.0.1:10,parser=shift-reduce",
            "callers choose by algorithm, parser, max-tokens, timeout, which are the same",
        ),
        (
            f"precomputed:path={CLUSTERS}",
            f"precomputed:path={EXAMPLES / 'key' / 'ferry.conll'}",
            "callers can't choose between them",
        ),
    ],
)
def test_two_backends_that_no_caller_can_tell_apart_are_refused(first: str, second: str, why: str) -> None:
    with pytest.raises(OptionError) as error:
        ServedStrategies((first, second))

    assert str(error.value) == f"option enable: {first} and {second}: {why}, so the second would never be used"


def test_two_backends_that_callers_can_tell_apart_are_both_to_be_had() -> None:
    specs = [f"corenlp:url=http://127.0.0.1:9,algorithm={each}" for each in ("deterministic", "neural")]
    strategies = ServedStrategies(specs)

    for algorithm in ("deterministic", "neural"):
        assert f"algorithm={algorithm}" in strategies.make("corenlp", {"algorithm": algorithm}).signature


def test_a_backend_that_fails_on_a_document_does_not_tell_where_it_is(stub: ChainMergeServiceStub) -> None:
    document = next(read_documents(str(EXAMPLES / "parts" / "wells.conll")))
    _, details = refusal(stub, request("corenlp", {}, document))
    assert "127.0.0.1:9" not in details
    assert "corenlp" in details.lower()
