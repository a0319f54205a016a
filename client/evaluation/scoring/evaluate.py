"""Scores a response against a key over a corpus, one document at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from client.evaluation.scoring.counts import Undefined
from client.evaluation.scoring.links import NO_LINKS, LinkCounts, count_links, gain, part_chains_of
from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.mention_mismatches import MentionMismatches
from client.evaluation.scoring.metrics import METRICS, score_document, score_documents
from client.evaluation.scoring.overlap import Overlap
from client.evaluation.scoring.pairing import ById, add_failure, failed_documents, pair_documents
from client.evaluation.scoring.scores import CONLL_METRICS, Scores, conll_f1
from client.evaluation.scoring.signature import Signature
from client.evaluation.scoring.units import KeyText
from merger.document import ChainScope, Document
from merger.errors import AlignmentError, DecisionError, InputError, Location
from merger.notices import Notices
from merger.resegment import with_boundaries_of

if TYPE_CHECKING:
    from client.evaluation.scoring.decision_check import DecisionCheck
    from merger.decisions.records import DecisionRecord


@dataclass(frozen=True, slots=True)
class Result:
    """Scores of one document or, added up, of many.

    ``floor`` has the scores of merging nothing and ``links`` the link counts; both are ``None`` if the part chains are
    unknown. In a sum, ``links`` adds up the documents that have them, while ``floor`` is ``None`` unless all have one.
    """

    scores: Scores
    floor: Scores | None
    links: LinkCounts | None

    def __add__(self, other: Result) -> Result:
        floor = None if self.floor is None or other.floor is None else self.floor + other.floor
        links = self.links if other.links is None else other.links if self.links is None else self.links + other.links
        return Result(self.scores + other.scores, floor, links)

    @property
    def conll_f1(self) -> float | None:
        """CoNLL F1, 0 to 1; ``None`` without its three metrics, or if all of them are 0/0."""
        return _conll_f1(self.scores)

    @property
    def floor_conll_f1(self) -> float | None:
        """CoNLL F1 of merging nothing, like :attr:`conll_f1`; ``None`` if the floor is unknown."""
        return None if self.floor is None else _conll_f1(self.floor)

    @property
    def gain(self) -> float | None:
        """The gain over the floor (:func:`~client.evaluation.scoring.links.gain`)."""
        score, floor = self.conll_f1, self.floor_conll_f1
        return None if score is None or floor is None else gain(score, floor)


def _conll_f1(scores: Scores) -> float | None:
    if not set(CONLL_METRICS) <= set(scores.counts):
        return None
    return None if all(scores[name].undefined is Undefined.F1 for name in CONLL_METRICS) else conll_f1(scores)


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """The result of one document."""

    id: str
    genre: str | None
    parts: int
    tokens: int
    result: Result
    in_response: bool = True
    """Whether the response has the document. If not, it is scored as one without chains."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results per document, in the key's order, and in total; the signature says how they were made.

    ``left_out`` are the ids of documents that no score counts, because a side cannot be read or the sides do not fit.
    Text without a document id is listed by its location.
    """

    documents: tuple[DocumentResult, ...]
    total: Result
    signature: Signature
    left_out: tuple[str, ...] = ()


def evaluate(  # noqa: PLR0913  # all but the documents are options
    keys: Iterable[Document],
    responses: Iterable[Document],
    *,
    parts: Iterable[Document] | None = None,
    metrics: Sequence[str] = tuple(METRICS),
    drop_singletons: bool = False,
    notices: Notices | None = None,
    split: str | None = None,
    strategy: str | None = None,
    decisions: Iterable[DecisionRecord] | None = None,
    matching: Matching = EXACT,
    failures: list[InputError] | None = None,
) -> Evaluation:
    """Score responses against keys.

    ``parts`` are the documents before merging; without them a key that has part boundaries is cut there. ``split`` and
    ``strategy`` go into the signature. ``matching`` is how mentions match and empty nodes are paired. ``decisions`` are
    those that made the responses: :class:`~merger.errors.DecisionError` is raised if they made other responses
    (:meth:`client.evaluation.scoring.decision_check.DecisionCheck.check`).

    ``failures`` is the list in which the readers of all these documents collect errors. A document that failed on one
    side is left out of both. A document that cannot be scored, because its tokens differ, is left out too, and its
    error is added. Without the list errors are raised: those that
    :func:`~client.evaluation.scoring.pairing.pair_documents` and :meth:`~client.evaluation.scoring.units.KeyText.units`
    raise.
    """
    notices = Notices() if notices is None else notices
    decision_check = None
    if decisions is not None:
        # Decisions are rare, and their import takes time.
        from client.evaluation.scoring.decision_check import DecisionCheck

        decision_check = DecisionCheck(decisions, notices)
    scorer = _Scorer(tuple(metrics), notices, matching, 2 if drop_singletons else 1, decision_check)
    scored = list(scorer.results(keys, responses, parts, failures))
    scorer.mismatches.report(notices, singletons_count=not drop_singletons)
    if any(result.floor is not None for _, result, _ in scored):
        scored = [(document, _with_floor(result, sizes, metrics), sizes) for document, result, sizes in scored]
    documents = tuple(replace(document, result=result) for document, result, _ in scored)
    nothing = score_document((), (), metrics)
    total = Result(nothing, nothing if documents else None, None)
    for document in documents:
        total += document.result
    if split is None and any(document.parts > 1 for document in documents):
        split = f"given({sum(document.parts for document in documents)} parts)"
    singletons = "dropped" if drop_singletons else "kept"
    mentions = matching.mentions + ("[unstated=first-token]" if scorer.first_token_heads else "")
    signature = Signature(
        tuple(metrics), mentions, singletons=singletons, zeros=scorer.pairings, split=split, strategy=strategy
    )
    return Evaluation(documents, total, signature, failed_documents(failures or ()))


class _Scorer:
    """Scores documents one by one, and collects facts for the signature."""

    def __init__(
        self,
        metrics: tuple[str, ...],
        notices: Notices,
        matching: Matching,
        least: int,
        decision_check: DecisionCheck | None,
    ) -> None:
        self._metrics = metrics
        self._notices = notices
        self._matching = matching
        self._least = least
        self._decision_check = decision_check
        self.mismatches = MentionMismatches()
        self.first_token_heads = False
        self._pairings: set[str] = set()

    @property
    def pairings(self) -> str | None:
        """How zeros were paired; ``None`` if no document has any."""
        return "+".join(sorted(self._pairings)) or None

    def results(
        self,
        keys: Iterable[Document],
        responses: Iterable[Document],
        parts: Iterable[Document] | None,
        failures: list[InputError] | None,
    ) -> Iterator[tuple[DocumentResult, Result, tuple[int, ...]]]:
        """Each document with its result and the sizes of the key's chains."""
        unmerged_by_id = None if parts is None else ById(parts, failures)
        missing: set[str] = set()
        for key, response in pair_documents(keys, responses, self._notices, missing, failures):
            try:
                unmerged = _unmerged(key, unmerged_by_id)
                result = self._result(key, response, unmerged, is_given=unmerged_by_id is not None)
            except InputError as error:
                add_failure(failures, error)
                continue
            if self._decision_check is not None and key.id not in missing:
                self._decision_check.check(response, None if unmerged_by_id is None else unmerged)
            document = DocumentResult(
                key.id, key.genre, len((unmerged or key).parts), key.token_count, result, key.id not in missing
            )
            sizes = (len(chain.mentions) for chain in key.chains)
            yield document, result, tuple(size for size in sizes if size >= self._least)

    def _result(self, key: Document, response: Document, unmerged: Document | None, *, is_given: bool) -> Result:
        _check_merged(key, response, self._notices)
        self.mismatches.count(key, response, with_parts=is_given)
        text = KeyText(key, self._matching, least=self._least)
        response = text.share(response)
        scores = self._score(text, response)
        if unmerged is None:
            return Result(scores, None, None)
        unmerged = text.share(unmerged)
        floor = self._score(text, unmerged.with_chains(unmerged.chains, ChainScope.DOCUMENT))
        return Result(scores, floor, _links(unmerged, key, response, self._notices, given=is_given))

    def _score(self, text: KeyText, response: Document) -> Scores:
        units = text.units(response, self._notices)
        self.first_token_heads |= any(unit.first_token_heads for unit in units)
        self._pairings.update(unit.zeros for unit in units if unit.zeros is not None)
        return score_documents(((unit.key, unit.response) for unit in units), self._metrics)


def _with_floor(result: Result, sizes: tuple[int, ...], metrics: Sequence[str]) -> Result:
    """A document of one part beside others with more: merging nothing is right, and there are no links."""
    if result.floor is not None:
        return result
    itself = Overlap(sizes, sizes, tuple((index, index, size) for index, size in enumerate(sizes)))
    return replace(result, floor=Scores({name: METRICS[name].count(itself) for name in metrics}), links=NO_LINKS)


def _unmerged(key: Document, unmerged_by_id: ById | None) -> Document | None:
    if unmerged_by_id is not None:
        unmerged = unmerged_by_id.take(key.id)
        if unmerged is None:
            raise unmerged_by_id.why_missing(key, "the parts lack this document")
        return unmerged
    return part_chains_of(key) if len(key.parts) > 1 and key.scope is ChainScope.DOCUMENT else None


def _check_merged(key: Document, response: Document, notices: Notices) -> None:
    """Note a key that is not merged: mostly these are the documents before merging, given by mistake."""
    if len(key.parts) > 1 and key.scope is ChainScope.PART and response.scope is ChainScope.DOCUMENT and key.chains:
        message = (
            "the chains of the key are local to its parts, but those of the response are not: is the key the documents "
            "before merging? A key has the gold merges"
        )
        notices.add("key that is not merged", message, Location(key.file, document=key.id))


def _note_unreachable(unmerged: Document, key: Document, notices: Notices) -> None:
    """Note mentions that no merge of these part chains can have, such as mentions alone in their part."""
    known = set(unmerged.mentions())
    count = sum(mention not in known for mention in key.mentions())
    if count:
        message = (
            "mentions of the key are in no chain of the parts, perhaps since they are alone in their part: no merge of "
            "the parts can have them (`split` leaves those out of a key)"
        )
        notices.add("mentions that the parts lack", message, Location(key.file, document=key.id), count)


def _links(
    unmerged: Document, key: Document, response: Document, notices: Notices, *, given: bool
) -> LinkCounts | None:
    try:
        aligned = with_boundaries_of(unmerged, key)
        if given:
            _note_unreachable(unmerged, aligned, notices)
        return count_links(unmerged, aligned, with_boundaries_of(unmerged, response))
    except (DecisionError, AlignmentError) as error:
        notices.add("no link scores", f"the link scores leave this document out: {error}")
        return None
