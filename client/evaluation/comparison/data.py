"""A comparison as data, from which every output is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from client.evaluation.agreement.bootstrap import Interval, Resampling
from client.evaluation.agreement.summary import AgreementReport
from client.evaluation.comparison.decision_errors import JudgedDecision
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.pairing import failed_documents
from client.evaluation.scoring.signature import Signature
from merger.errors import InputError

FLOOR = "none"
"""The strategy that merges nothing."""
CEILING = "oracle"
"""The strategy that makes the gold merges."""
BOUNDS = frozenset({FLOOR, CEILING})
"""The lower and the upper bound of other strategies; alone they give no verdict."""
ALPHA = 0.05
"""A difference is significant if its p is below this."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Facts about a document: the numbers of tokens, of parts, and of gold merged chains of two or more mentions."""

    id: str
    genre: str | None
    tokens: int
    chains: int
    parts: int


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """One strategy on one document: the ``result``, or the ``failure``.

    ``decisions`` are those on all chains after the first part, ``merged`` the numbers of the merged chains as
    :attr:`client.evaluation.scoring.links.Linking.numbers` has them; both are empty if the response does not keep the
    part chains together. ``seconds`` is the wall time of merging, ``peak_memory`` the largest resident memory so far in
    bytes; both are ``None`` if nothing ran. ``reason`` is the failure without its location, so that documents can share
    it.
    """

    document: str
    result: Result | None = None
    decisions: tuple[JudgedDecision, ...] = field(default=(), repr=False)
    merged: tuple[int, ...] = field(default=(), repr=False)
    failure: str | None = None
    seconds: float | None = None
    peak_memory: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StrategyOutcomes:
    """A strategy with an outcome for each document, in the order of the documents."""

    name: str
    signature: str
    outcomes: tuple[DocumentOutcome, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Group:
    """One strategy on a group of documents: how many it did not fail on, and their summed result."""

    documents: int
    result: Result | None


@dataclass(frozen=True, slots=True)
class DistanceBin:
    """Gold links of at most ``last`` tokens (``None`` for no limit), and how many of them were found."""

    name: str
    last: int | None
    links: int
    found: int


@dataclass(frozen=True, slots=True)
class StrategySummary:
    """A strategy over all documents that it did not fail on; ``total`` is ``None`` if it failed on all.

    ``tokens`` are those of its documents, ``seconds`` its wall time on them, ``peak_memory`` bytes. ``groups`` has the
    groups of each kind (``genre``, ``length``, ...) by name. ``intervals`` has the bootstrap interval of the score in
    each column (:data:`client.evaluation.comparison.columns.COLUMNS`) that has one.
    """

    name: str
    signature: Signature
    outcomes: tuple[DocumentOutcome, ...] = field(repr=False)
    total: Result | None
    tokens: int
    seconds: float | None
    peak_memory: int | None
    groups: Mapping[str, Mapping[str, Group]]
    distances: tuple[DistanceBin, ...]
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """The number of documents that it did not fail on."""
        return sum(outcome.result is not None for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[DocumentOutcome, ...]:
        """The documents that it failed on."""
        return tuple(outcome for outcome in self.outcomes if outcome.failure is not None)

    @property
    def seconds_per_1000_tokens(self) -> float | None:
        """Wall seconds per 1,000 tokens."""
        return 1000 * self.seconds / self.tokens if self.seconds is not None and self.tokens else None


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The difference in a score (0 to 1) between a strategy and the baseline, on the documents that both have.

    ``interval`` and ``bootstrap_p`` come from the paired bootstrap, ``randomisation_p`` from approximate randomisation,
    or from all exchanges if ``exact``. ``holm_p`` is the larger of the two p, adjusted by Holm's method for the number
    of tests in the same table. All are ``None`` for fewer than two documents or without resamples.
    """

    strategy: str
    baseline: str
    documents: int
    difference: float
    interval: Interval | None = None
    bootstrap_p: float | None = None
    randomisation_p: float | None = None
    exact: bool = False
    holm_p: float | None = None

    @property
    def p(self) -> float | None:
        """The larger of the two p."""
        if self.bootstrap_p is None or self.randomisation_p is None:
            return None
        return max(self.bootstrap_p, self.randomisation_p)

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 0 and the adjusted p is below 0.05."""
        if self.interval is None or self.holm_p is None:
            return False
        return self.holm_p < ALPHA and not self.interval.low <= 0 <= self.interval.high

    def seen_from(self, strategy: str) -> PairedTest:
        """The same test with this one of the two strategies as the first."""
        if strategy == self.strategy:
            return self
        turned = (
            None if self.interval is None else replace(self.interval, low=-self.interval.high, high=-self.interval.low)
        )
        return replace(
            self, strategy=self.baseline, baseline=self.strategy, difference=-self.difference, interval=turned
        )


class VerdictAnswer(Enum):
    """The answer to: could a machine have made the merges?"""

    YES = "yes"
    """The best strategy makes exactly the gold merges."""
    PARTLY = "partly"
    """The best strategy is significantly better than merging nothing."""
    NOT_SHOWN = "not shown"
    """The best strategy scores higher than merging nothing, but not significantly."""
    NO = "no"
    """No strategy scores higher than merging nothing."""
    NOTHING_TO_MERGE = "nothing to merge"
    """No gold chain has mentions in two parts."""
    NOT_ASKED = "not asked"
    """No strategy but the floor and the ceiling has a score."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, as a ``sentence`` too.

    ``best`` is the strategy with the highest score, among those that have most documents; ``test`` tests it against
    merging nothing on the same documents, ``runner_up`` against the next strategy. Both p are adjusted for all pairs.
    """

    answer: VerdictAnswer
    sentence: str
    best: str | None = None
    test: PairedTest | None = None
    runner_up: PairedTest | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """How the comparison was made: the key, the cut, the treatment of singletons, the command.

    ``zeros`` is how empty nodes are paired, if the key has any.
    """

    key: str
    split: str
    singletons: str
    command: str
    zeros: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that a comparison found.

    ``gold_merges`` has the documents with their gold merges, ``None`` for a key that breaks a part chain. ``baseline``
    is the name of the strategy that the ``tests`` of CoNLL F1 compare the others with. ``pairs`` has the tests between
    all strategies but the ceiling, by column (:data:`client.evaluation.comparison.columns.COLUMNS`). ``best`` has the
    strategy that is significantly better than all others, for each column that has one. The annotators of ``agreement``
    are the gold merges, then the strategies. ``failures`` are the errors of documents that could not be read or cut, so
    that no strategy got them.
    """

    setup: Setup
    documents: tuple[DocumentFacts, ...]
    gold_merges: tuple[GoldMerges | None, ...] = field(repr=False)
    strategies: tuple[StrategySummary, ...]
    baseline: str | None
    tests: tuple[PairedTest, ...]
    pairs: Mapping[str, tuple[PairedTest, ...]] = field(repr=False)
    best: Mapping[str, str]
    resampling: Resampling
    verdict: Verdict
    agreement: AgreementReport = field(repr=False)
    failures: tuple[InputError, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of the documents of the ``failures``."""
        return failed_documents(self.failures)
