"""The decisions on one document: whether they fit its parts, the merged chains they name, and the merge they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from merger.decisions.model import Decision, MergedChains, apply_decisions
from merger.decisions.records import DecisionRecord
from merger.document import Chain, ChainRef, ChainScope, Document, chains_by_part, part_chains
from merger.errors import DecisionError, Location
from merger.notices import Notices


def by_document(records: Iterable[DecisionRecord]) -> dict[str, list[DecisionRecord]]:
    """The records of each document, in the order in which they came."""
    found: dict[str, list[DecisionRecord]] = {}
    for record in records:
        found.setdefault(record.document, []).append(record)
    return found


def by_maker(records: Iterable[DecisionRecord]) -> dict[str, list[DecisionRecord]]:
    """The records on one document of each annotator or strategy, in the order in which they came.

    Raises :class:`~merger.errors.DecisionError` if records of one name come from two files: they could be two
    annotators.
    """
    found: dict[str, list[DecisionRecord]] = {}
    for record in records:
        same = found.setdefault(record.maker, [])
        if same and same[0].location.file != record.location.file:
            raise DecisionError(
                f"{record.maker} decides on this document in {same[0].location.file} too",
                record.location,
                expected="a different name for each annotator, or one file from each",
            )
        same.append(record)
    return found


def checked_decisions(parts: Document, records: Sequence[DecisionRecord]) -> tuple[DecisionRecord, ...]:
    """The records on a document in the order of its chains: one on each chain of two or more mentions.

    Singletons are not merged (LongtoNotes 3.1, A.4) and need no decision; one with a decision is merged.

    Raises :class:`~merger.errors.DecisionError`, with file, line, document and part, for unknown chains, for repeated,
    contradictory, cyclic and missing decisions, and for antecedents that are not in an earlier part.
    """
    chains = part_chains(parts)
    order = {ref: position for position, ref in enumerate(chains)}
    decided: dict[ChainRef, DecisionRecord] = {}
    for record in records:
        ref = record.decision.chain
        _check_known(parts, ref, chains, record)
        if ref in decided:
            raise _repeated(record, decided[ref])
        decided[ref] = record
    for record in records:
        _check_antecedent(record, decided, chains)
        for other in record.decision.also:
            _check_also(record, other, decided, order)
    for ref, chain in chains.items():
        if ref not in decided and len(chain.mentions) > 1:
            file = records[0].location.file if records else None
            place = Location(file, document=parts.id, part=ref.part)
            raise DecisionError(f"no decision on chain {ref.chain}", place, expected="one a chain")
    return tuple(decided[ref] for ref in chains if ref in decided)


def antecedent_sets(parts: Document, decisions: Iterable[Decision]) -> dict[ChainRef, frozenset[ChainRef]]:
    """For every chain decided on, the part chains of its antecedent when it was decided; no chain if it is new.

    The antecedent is the merged chain that the decisions on earlier parts have built: all chains of one part see the
    same merged chains. Other chains that a decision joins (``also``) count too. Raises
    :class:`~merger.errors.DecisionError` as :meth:`~merger.decisions.model.MergedChains.apply` does.
    """
    merged = MergedChains()
    sets: dict[ChainRef, frozenset[ChainRef]] = {}
    for part, chains, decided in decisions_by_part(parts, decisions):
        for decision in decided:
            named = [*([] if decision.antecedent is None else [decision.antecedent]), *decision.also]
            earlier = [merged.members(merged.root(ref)) for ref in named if ref in merged]
            here = [ref for ref in named if ref.part == part]
            sets[decision.chain] = frozenset(here).union(*earlier)
        merged.apply(part, chains, decided, parts.id)
    return sets


def decisions_by_part(
    parts: Document, decisions: Iterable[Decision]
) -> Iterator[tuple[int, list[Chain], list[Decision]]]:
    """Part by part its chains that take part in merging, and the decisions given on them, in the order of the chains.

    Singletons take part if there is a decision on them. A chain without a decision has none here either.
    """
    chosen = {decision.chain: decision for decision in decisions}
    for part, chains in enumerate(chains_by_part(parts)):
        taking_part = [chain for chain in chains if len(chain.mentions) > 1 or ChainRef(part, chain.id) in chosen]
        refs = [ChainRef(part, chain.id) for chain in taking_part]
        yield part, taking_part, [chosen[ref] for ref in refs if ref in chosen]


def apply_records(
    parts: Document, records: Sequence[DecisionRecord], *, keep_singletons: bool = False, notices: Notices | None = None
) -> Document:
    """The merged document that decisions make.

    Singletons without a decision are left out, with a notice, or with ``keep_singletons`` passed through
    unmerged. Raises :class:`~merger.errors.DecisionError` as :func:`checked_decisions` does.
    """
    decisions = [record.decision for record in checked_decisions(parts, records)]
    if not keep_singletons:
        decided = {decision.chain for decision in decisions}
        kept = tuple(chain for ref, chain in part_chains(parts).items() if ref in decided)
        if notices is not None and len(kept) < len(parts.chains):
            notices.add(
                "singletons left out",
                "singletons without a decision were left out (option keep_singletons passes them through)",
                count=len(parts.chains) - len(kept),
            )
        parts = parts.with_chains(kept, ChainScope.PART)
    return apply_decisions(parts, decisions)


def _named(ref: ChainRef) -> str:
    return f"chain {ref.chain} of part {ref.part}"


def _said(decision: Decision) -> str:
    said = "new" if decision.antecedent is None else f"linked to {_named(decision.antecedent)}"
    return said + "".join(f", joined with {_named(other)}" for other in decision.also)


def _check_known(parts: Document, ref: ChainRef, chains: dict[ChainRef, Chain], record: DecisionRecord) -> None:
    if ref in chains:
        return
    count = len(parts.parts)
    if ref.part >= count:
        message, expected = f"a decision on {_named(ref)}", f"a part from 0 to {count - 1}"
    else:
        message, expected = f"a decision on chain {ref.chain}, which part {ref.part} lacks", "a chain of this part"
    raise DecisionError(message, record.location, expected=expected)


def _repeated(record: DecisionRecord, first: DecisionRecord) -> DecisionError:
    ref = record.decision.chain
    place = str(replace(first.location, document=None, part=None)) or "before"
    later, earlier = _said(record.decision), _said(first.decision)
    makers = f" by {record.maker} and by {first.maker}" if record.maker != first.maker else ""
    if later == earlier:
        message = f"chain {ref.chain} is decided on twice{makers}, first at {place}"
    else:
        message = f"contradictory decisions on chain {ref.chain}{makers}: {later}; but {earlier} at {place}"
    hint = "`merge-baseline vote` makes one decision of several annotators'" if makers else None
    return DecisionError(message, record.location, expected="one decision a chain", hint=hint)


def _check_antecedent(
    record: DecisionRecord, decided: dict[ChainRef, DecisionRecord], chains: dict[ChainRef, Chain]
) -> None:
    ref, antecedent = record.decision.chain, record.decision.antecedent
    if antecedent is None:
        return
    message = f"chain {ref.chain} is linked to {_named(antecedent)}"
    expected = "a chain of an earlier part"
    if antecedent not in chains:
        raise DecisionError(f"{message}, which does not exist", record.location, expected=expected)
    if antecedent not in decided:
        # A chain of two mentions gets an error elsewhere: it lacks a decision.
        if len(chains[antecedent].mentions) == 1:
            message += ", which has one mention and no decision"
            raise DecisionError(message, record.location, expected="a chain that was decided on")
        if antecedent.part < ref.part:
            return
    if antecedent.part >= ref.part:
        cycle = _cycle(ref, decided)
        if cycle:
            message = f"circular decisions: {' -> '.join(map(_named, cycle))}"
        raise DecisionError(message, record.location, expected=expected)


def _cycle(start: ChainRef, decided: dict[ChainRef, DecisionRecord]) -> list[ChainRef]:
    """The cycle of antecedents from a chain back to itself; empty if there is none."""
    way = [start]
    seen = {start}
    while way[-1] in decided and (following := decided[way[-1]].decision.antecedent) is not None:
        way.append(following)
        if following == start:
            return way
        if following in seen:
            break
        seen.add(following)
    return []


def _check_also(
    record: DecisionRecord, other: ChainRef, decided: dict[ChainRef, DecisionRecord], order: dict[ChainRef, int]
) -> None:
    ref = record.decision.chain
    if other not in decided or order[other] >= order[ref]:
        message = f"chain {ref.chain} is joined with {_named(other)}"
        raise DecisionError(message, record.location, expected="a chain that was decided on before")
