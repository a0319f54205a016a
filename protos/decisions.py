"""Decisions, merged chains, human merges and notices: merger's types to messages and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from merger.decisions import Decision, Evidence, MentionPair
from merger.document import Chain, ChainRef, ChainScope, Document, Part, make_chain
from merger.errors import Location
from merger.notices import Notice, Notices
from protos.documents import placed_from_message, placed_to_message, ref_from_message, ref_to_message
from protos.merge_baseline import v1

KEY_FILE = "(key)"
"""What errors from a server have in place of the name of the file that the caller read the human merges from."""


def decision_to_message(decision: Decision) -> v1.Decision:
    """One decision."""
    return v1.Decision(
        chain=ref_to_message(decision.chain),
        antecedent=None if decision.antecedent is None else ref_to_message(decision.antecedent),
        evidence=None if decision.evidence is None else _evidence_to_message(decision.evidence),
        also=[ref_to_message(ref) for ref in decision.also],
    )


def decision_from_message(message: v1.Decision) -> Decision:
    """One decision."""
    return Decision(
        ref_from_message(message.chain),
        ref_from_message(message.antecedent) if message.HasField("antecedent") else None,
        _evidence_from_message(message.evidence) if message.HasField("evidence") else None,
        tuple(ref_from_message(ref) for ref in message.also),
    )


def _evidence_to_message(evidence: Evidence) -> v1.Evidence:
    pairs = [
        v1.MentionPair(mention=placed_to_message(pair.mention), antecedent=placed_to_message(pair.antecedent))
        for pair in evidence.pairs
    ]
    return v1.Evidence(rule=evidence.rule, text=evidence.text, pairs=pairs, score=evidence.score)


def _evidence_from_message(message: v1.Evidence) -> Evidence:
    pairs = tuple(
        MentionPair(placed_from_message(pair.mention), placed_from_message(pair.antecedent)) for pair in message.pairs
    )
    return Evidence(message.rule, message.text, pairs, message.score if message.HasField("score") else None)


def chains_by_ref(part: int, chains: Iterable[Chain]) -> dict[ChainRef, Chain]:
    """The chains of one part by their names."""
    return {ChainRef(part, chain.id): chain for chain in chains}


def merged_to_messages(merged: Sequence[Chain], part_chains: Mapping[ChainRef, Chain]) -> list[v1.MergedChain]:
    """Merged chains as lists of the part chains in them, in the text order of their first mentions."""
    owner = {mention: ref for ref, chain in part_chains.items() for mention in chain.mentions}
    return [
        v1.MergedChain(
            id=chain.id,
            members=[ref_to_message(ref) for ref in dict.fromkeys(owner[mention] for mention in chain.mentions)],
        )
        for chain in merged
    ]


def merged_from_messages(
    messages: Iterable[v1.MergedChain], part_chains: Mapping[ChainRef, Chain]
) -> tuple[Chain, ...]:
    """Merged chains with the mentions of the part chains in them. Raises ``KeyError`` for an unknown part chain."""
    return tuple(
        make_chain(
            message.id,
            [mention for ref in message.members for mention in part_chains[ref_from_message(ref)].mentions],
        )
        for message in messages
    )


def key_to_message(key: Document) -> v1.HumanMerges:
    """The chains of a human merged document, without its text."""
    return v1.HumanMerges(
        chains=[
            v1.HumanChain(id=chain.id, mentions=[placed_to_message(mention) for mention in chain.mentions])
            for chain in key.chains
        ]
    )


def key_from_message(message: v1.HumanMerges, document_id: str, parts: tuple[Part, ...] = ()) -> Document:
    """The human merged document on the text of ``parts``; its file is :data:`KEY_FILE`."""
    chains = tuple(
        make_chain(chain.id, [placed_from_message(mention) for mention in chain.mentions]) for chain in message.chains
    )
    return Document(document_id, parts, chains, ChainScope.DOCUMENT, file=KEY_FILE)


def notice_to_message(notice: Notice) -> v1.Notice:
    """One notice; file and line of its place are the caller's and stay out."""
    place = notice.location
    return v1.Notice(
        kind=notice.kind,
        message=notice.message,
        location=v1.Location(document=place.document, part=place.part, sentence=place.sentence, token=place.token),
        count=notice.count,
    )


def add_notice(message: v1.Notice, notices: Notices) -> None:
    """Put a notice from a server among the caller's."""
    place = message.location
    location = Location(
        document=place.document if place.HasField("document") else None,
        part=place.part if place.HasField("part") else None,
        sentence=place.sentence if place.HasField("sentence") else None,
        token=place.token if place.HasField("token") else None,
    )
    notices.add(message.kind, message.message, location, message.count)
