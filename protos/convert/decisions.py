"""Decisions, merged chains, gold merges and notices: merger's types to messages and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from merger.decisions.model import Decision, Evidence, MentionPair, MergedMembers
from merger.document import Chain, ChainRef, ChainScope, Document, Part, make_chain
from merger.errors import Location
from merger.notices import Notice, Notices
from protos.convert.documents import placed_from_message, placed_to_message, ref_from_message, set_placed
from protos.merge_baseline import v1

KEY_FILE = "gold merges"
"""What errors from a server have in place of the name of the file that the caller read the gold merges from."""


def add_decisions(answer: v1.MergeDocumentResponse | v1.PartDecisions, decisions: Iterable[Decision]) -> None:
    """Add decisions to those of an answer."""
    # Filled in place, which takes a quarter of the time: messages made by themselves are copied when they are put
    # somewhere.
    add = answer.decisions.add
    for decision in decisions:
        message = add()
        _set_ref(message.chain, decision.chain)
        if decision.antecedent is not None:
            _set_ref(message.antecedent, decision.antecedent)
        if decision.evidence is not None:
            _set_evidence(message.evidence, decision.evidence)
        for ref in decision.also:
            _set_ref(message.also.add(), ref)


def decision_from_message(message: v1.Decision) -> Decision:
    """One decision."""
    return Decision(
        ref_from_message(message.chain),
        ref_from_message(message.antecedent) if message.HasField("antecedent") else None,
        _evidence_from_message(message.evidence) if message.HasField("evidence") else None,
        tuple(ref_from_message(ref) for ref in message.also),
    )


def _set_ref(message: v1.ChainRef, ref: ChainRef) -> None:
    # To set a field makes the message present, even to what the field is by default.
    message.part, message.chain = ref


def _set_evidence(message: v1.Evidence, evidence: Evidence) -> None:
    message.rule = evidence.rule
    message.text = evidence.text
    if evidence.score is not None:
        message.score = evidence.score
    for pair in evidence.pairs:
        added = message.pairs.add()
        set_placed(added.mention, pair.mention)
        set_placed(added.antecedent, pair.antecedent)


def _evidence_from_message(message: v1.Evidence) -> Evidence:
    pairs = tuple(
        MentionPair(placed_from_message(pair.mention), placed_from_message(pair.antecedent)) for pair in message.pairs
    )
    return Evidence(message.rule, message.text, pairs, message.score if message.HasField("score") else None)


def chains_by_ref(part: int, chains: Iterable[Chain]) -> dict[ChainRef, Chain]:
    """The chains of one part by their names."""
    return {ChainRef(part, chain.id): chain for chain in chains}


def add_merged(answer: v1.MergeDocumentResponse | v1.MergeStreamSummary, merged: Iterable[MergedMembers]) -> None:
    """Add merged chains to those of an answer."""
    add = answer.chains.add
    for name, members in merged:
        message = add()
        message.id = name
        for ref in members:
            _set_ref(message.members.add(), ref)


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
    """The chains of a gold merged document, without its text."""
    return v1.HumanMerges(
        chains=[
            v1.HumanChain(id=chain.id, mentions=[placed_to_message(mention) for mention in chain.mentions])
            for chain in key.chains
        ]
    )


def key_from_message(message: v1.HumanMerges, document_id: str, parts: tuple[Part, ...] = ()) -> Document:
    """The gold merged document on the text of ``parts``; its file is :data:`KEY_FILE`."""
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
