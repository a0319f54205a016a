"""Merging on a server gives what merging in process gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.remote.sync import RemoteMerger
from merger.document import Document, chains_by_part
from merger.errors import MergeBaselineError
from merger.formats import read_documents
from merger.merge import MergeResult, merge_document
from merger.notices import Notice, Notices
from merger.strategies import make_strategy
from tests.support.samples import Spec, all_specs, documents_with_key

EXAMPLES = Path(__file__).parents[2] / "examples"

SPECS = all_specs()

Outcome = tuple[MergeResult, list[Notice]] | tuple[type[MergeBaselineError], str]


def outcome(merge: Callable[[Notices], MergeResult]) -> Outcome:
    notices = Notices()
    try:
        return merge(notices), list(notices)
    except MergeBaselineError as error:
        return type(error), str(error)


def assert_congruent(
    remote: RemoteMerger, spec: Spec, document: Document, key: Document | None, *, keep: bool = False
) -> None:
    name, options = spec

    def local(notices: Notices) -> MergeResult:
        strategy = make_strategy(name, options)
        return merge_document(document, strategy, key=key, keep_singletons=keep, notices=notices)

    def whole(notices: Notices) -> MergeResult:
        return remote.merge(document, name, options, key=key, keep_singletons=keep, notices=notices)

    def parts(notices: Notices) -> MergeResult:
        return remote.merge_in_parts(document, name, options, key=key, keep_singletons=keep, notices=notices)

    expected = outcome(local)
    assert outcome(whole) == expected
    assert outcome(parts) == expected


@cache
def examples() -> tuple[list[Document], list[Document]]:
    """The parts and the gold merges."""
    return list(read_documents(str(EXAMPLES / "parts"))), list(read_documents(str(EXAMPLES / "key")))


def title(spec: Spec) -> str:
    return ",".join([spec[0], *(f"{option}={value}" for option, value in spec[1].items())])


@pytest.mark.parametrize("spec", SPECS, ids=title)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(pair=documents_with_key(), keep=st.booleans())
def test_generated_documents_merge_the_same_on_a_server(
    *, by_processes: RemoteMerger, spec: Spec, pair: tuple[Document, Document], keep: bool
) -> None:
    document, key = pair
    assert_congruent(by_processes, spec, document, key, keep=keep)


@pytest.mark.parametrize("spec", SPECS, ids=title)
def test_every_example_merges_the_same_on_a_server(by_processes: RemoteMerger, spec: Spec) -> None:
    documents, keys = examples()
    assert len(documents) >= 4
    for document, key in zip(documents, keys, strict=True):
        assert document.id == key.id
        assert sum(map(len, chains_by_part(document))) >= 2
        assert_congruent(by_processes, spec, document, key)


def test_the_oracle_without_human_merges_says_the_same_on_a_server(by_processes: RemoteMerger) -> None:
    document = next(read_documents(str(EXAMPLES / "parts")))
    assert_congruent(by_processes, ("oracle", {}), document, None)
