"""CoreNLP gives the same result behind the gRPC server as in process, as a whole and part by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import server
from client.remote.sync import RemoteMerger
from merger.document import Document
from merger.errors import OptionError
from merger.formats import read_documents
from merger.merge import merge_document
from merger.progress import WorkContext
from merger.strategies import Strategy, make_strategy
from tests.support.corenlp_here import MEMORY, needs_shift_reduce

pytestmark = [needs_shift_reduce, pytest.mark.usefixtures("corenlp")]

ALLOTMENT = Path(__file__).parents[2] / "examples" / "parts" / "allotment.conll"


@pytest.fixture(scope="module")
def document() -> Document:
    return next(iter(read_documents(str(ALLOTMENT))))


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteMerger]:
    # The same memory as in process: then both share one CoreNLP server.
    options = server.ServerOptions(port=0, enable=(f"corenlp:memory={MEMORY}",))
    with server.background(options) as address, RemoteMerger(address) as remote:
        yield remote


def in_process(**options: str) -> Strategy:
    return make_strategy("corenlp", {"memory": MEMORY, **options})


def test_the_whole_pass_is_the_same_on_a_server(remote: RemoteMerger, document: Document) -> None:
    strategy = in_process()
    here = merge_document(document, strategy)
    strategy.close()

    there = remote.merge(document, "corenlp")

    assert any(decision.antecedent is not None for decision in here.decisions)
    assert (there.decisions, there.document.chains) == (here.decisions, here.document.chains)
    assert there.strategy == here.strategy


def test_the_incremental_pass_is_the_same_on_a_stream_and_tells_how_far_it_is(
    remote: RemoteMerger, document: Document
) -> None:
    strategy = in_process(**{"pass": "incremental"})
    here = merge_document(document, strategy)
    strategy.close()
    stages: list[str] = []

    there = remote.merge_in_parts(
        document,
        "corenlp",
        {"pass": "incremental"},
        watch=WorkContext(progress=lambda stage, _, __: stages.append(stage)),
    )

    assert (there.decisions, there.document.chains) == (here.decisions, here.document.chains)
    assert stages.count("parts") == len(document.parts)
    assert set(stages) > {"parts"}


def test_what_is_not_enabled_is_not_to_be_had(remote: RemoteMerger, document: Document) -> None:
    with pytest.raises(OptionError, match="not enabled with these options here"):
        remote.merge(document, "corenlp", {"algorithm": "neural"})
    with pytest.raises(OptionError, match="option memory is the server operator's"):
        remote.merge(document, "corenlp", {"memory": "20G"})
