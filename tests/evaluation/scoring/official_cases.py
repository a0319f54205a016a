"""The official scorer's test files, read as that scorer (v8.01) reads them, and what it printed for them."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.shared_data import SHARED_DATA, why_skipped

Mention = tuple[int, int]
"""First and last token, inclusive; tokens are numbered over the document, from 0."""

DATA = SHARED_DATA / "scorer-cases"
WHY_SKIPPED = why_skipped("scorer-cases")


def expected() -> list[dict[str, Any]]:
    """The entries of expected.json; none where the data is absent."""
    path = DATA / "expected.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def read_documents(name: str) -> dict[str, list[list[Mention]]]:
    """Chains per document. Chains come in the order of their first bracket, which decides on repetitions."""
    documents: dict[str, list[list[Mention]]] = {}
    chains: dict[str, list[Mention]] = {}
    opened: dict[str, list[int]] = {}
    token = 0
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if begin := re.match(r"#\s*begin document (.*)", line):
            chains, opened, token = {}, {}, 0
            documents[begin[1]] = []
        elif re.match(r"#\s*end document", line):
            documents[list(documents)[-1]] = [chain for chain in chains.values() if chain]
        elif line.strip():
            cell = line.split("\t")[-1]
            for whole in re.findall(r"\((\d+)\)", cell):
                chains.setdefault(whole, []).append((token, token))
            cell = re.sub(r"\(\d+\)", "", cell)
            for start in re.findall(r"\((\d+)", cell):
                chains.setdefault(start, [])
                opened.setdefault(start, []).append(token)
            for end in re.findall(r"(\d+)\)", cell):
                chains[end].append((opened[end].pop(), token))
            token += 1
    return documents


def read_pair(key_name: str, response_name: str) -> list[tuple[list[list[Mention]], list[list[Mention]]]]:
    """Key and response of each document of the key; of repeated mentions in the response the first stays.

    The official scorer drops repetitions only of mentions that the key has; its test files repeat no other.
    """
    responses = read_documents(response_name)
    return [(chains, _first_ones(responses.get(name, []))) for name, chains in read_documents(key_name).items()]


def _first_ones(chains: list[list[Mention]]) -> list[list[Mention]]:
    seen: set[Mention] = set()
    kept = []
    for chain in chains:
        fresh = []
        for mention in chain:
            if mention not in seen:
                seen.add(mention)
                fresh.append(mention)
        if fresh:
            kept.append(fresh)
    return kept
