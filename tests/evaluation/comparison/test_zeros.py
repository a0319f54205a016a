"""Comparisons of documents with empty nodes: how they are paired is chosen, and in the signature."""

from __future__ import annotations

from client.evaluation.comparison.task import make_task
from client.evaluation.scoring.mention_matching import Matching
from merger.document import ChainScope
from merger.notices import Notices
from tests.support.conllu_pairs import document

NAMES = "Ida (e1--1)\nmet -\nOle (e2--1)"
KEY = document(NAMES, "0 (e1--1) 1:nsubj\nslept -\n0 (e2--1) 2:nsubj\nran -")
MOVED = document(NAMES, "slept -\n0 (e1--1) 1:nsubj\nran -\n0 (e2--1) 2:nsubj")


def test_zeros_of_a_response_are_paired_as_asked_for() -> None:
    """By position the key's second zero meets the response's first, in the other chain: see the scorer's own test."""
    parts = KEY.with_chains(KEY.chains, ChainScope.PART)
    found = {
        zeros: make_task(parts, KEY, keep_singletons=True, matching=Matching(zeros=zeros)).score(MOVED, Notices())
        for zeros in ("dependent", "linear")
    }

    assert found["dependent"]["bcub"].recall_numerator == 4
    assert found["linear"]["bcub"].recall_numerator == 3 * 1 / 2


def test_only_a_key_with_empty_nodes_has_a_pairing() -> None:
    bare = document(NAMES)

    assert make_task(bare, bare).zeros is None
    assert make_task(KEY, KEY, matching=Matching(zeros="linear")).zeros == "linear"
