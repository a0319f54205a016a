"""One job, as every engine runs it: tag, merge, write to text."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from client.engines.jobs import Job, JobSource, Merged, Outcome, notices_since
from merger.decisions.records import decision_record
from merger.document import Document
from merger.errors import InputError, MergeBaselineError, UnavailableError
from merger.formats import write_document
from merger.merge import MergeResult, merge_document
from merger.notices import Notice, Notices, Policy
from merger.options import OptionValue
from merger.progress import WorkContext
from merger.strategies import make_strategy
from merger.version import VERSION

if TYPE_CHECKING:
    from merger.taggers import Tagging

MergeOne = Callable[[Document, Document | None, Notices], MergeResult]
"""Merges a document, with the key for strategies that use one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with every document.

    ``tagger`` is a name with options; with ``retag`` it replaces the tags that a document has. ``server_tagger`` is the
    tagger that a server is asked for. ``version`` is the version of merge-baseline that made the plan.
    """

    strategy: str
    options: dict[str, OptionValue]
    tagger: tuple[str, dict[str, OptionValue]] | None = None
    keep_singletons: bool = False
    policy: Policy = Policy.NORMAL
    with_text: bool = True
    with_decisions: bool = True
    retag: bool = False
    server_tagger: str | None = None
    version: str = field(default=VERSION)

    def signature(self) -> str:
        """The signatures of strategy and tagger, without starting them."""
        with ExitStack() as stack:
            strategy = make_strategy(self.strategy, self.options)
            stack.callback(strategy.close)
            tagging = _tagging(stack, self)
            return strategy.signature + (f"+{tagging.signature}" if tagging is not None else "")


def _tagging(stack: ExitStack, plan: Plan) -> Tagging | None:
    if plan.tagger is None:
        return None
    from merger.taggers import Tagging, make_tagger

    return stack.enter_context(Tagging(make_tagger(*plan.tagger), retag=plan.retag))


class Work:
    """A strategy and a tagger that are loaded once, for many documents. Close it."""

    def __init__(self, plan: Plan, merge_one: MergeOne | None = None, watch: WorkContext | None = None) -> None:
        """``merge_one`` replaces the plan's strategy, for example on a server. Tagging reports to ``watch``.

        Raises :class:`~merger.errors.OptionError` for bad options of the strategy or the tagger, and
        :class:`~merger.errors.UnavailableError` if the plan comes from another version.
        """
        if plan.version != VERSION:
            raise UnavailableError(
                f"this machine has merge-baseline {VERSION}, and the run was started by {plan.version}"
            )
        self._plan = plan
        self._watch = watch
        self._strategy_notices: Callable[[], Iterable[Notice]] = tuple
        self._notice_counts: dict[str, int] = {}
        self._stack = ExitStack()
        with ExitStack() as stack:
            if merge_one is None:
                merge_one = self._with_strategy(stack)
            self._merge_one = merge_one
            self._tagging = _tagging(stack, plan)
            self._stack = stack.pop_all()

    def _with_strategy(self, stack: ExitStack) -> MergeOne:
        strategy = make_strategy(self._plan.strategy, self._plan.options)
        stack.callback(strategy.close)
        self._strategy_notices = lambda: strategy.notices
        keep = self._plan.keep_singletons
        return lambda document, key, notices: merge_document(
            document, strategy, key=key, keep_singletons=keep, notices=notices
        )

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()

    def do(self, job: Job) -> Outcome:
        """Merge the job's document. All exceptions become part of the outcome."""
        if job.document is None:
            return job.settled()
        notices = Notices(self._plan.policy)
        merged: Merged | None = None
        failure: InputError | None = None
        fault: Exception | None = None
        try:
            result = self._merge(job.document, job.key, notices)
            text = "".join(write_document(result.document, job.target, notices)) if self._plan.with_text else ""
            merged = self._merged(job.document, result, text)
        except InputError as caught:
            # A bad document, or one that a system fails on, must not end the others.
            if self._plan.policy is Policy.STRICT:
                fault = caught
            else:
                failure = caught
        except Exception as caught:  # noqa: BLE001  # any other exception ends the run at this document
            fault = caught
        strategy_notices = notices_since(self._notice_counts, self._strategy_notices())
        if merged is None:
            return Outcome(job, None, failure, fault, (*job.notices, *notices), strategy_notices)
        return Outcome(
            job, replace(merged, notices=tuple(notices), strategy_notices=strategy_notices), notices=job.notices
        )

    def _merge(self, document: Document, key: Document | None, notices: Notices) -> MergeResult:
        if self._tagging is None:
            return self._merge_one(document, key, notices)
        tagged = self._tagging.tag(document, notices, self._watch)
        result = self._merge_one(tagged.document, key, notices)
        # The output has the tags of the input, not those of the tagger.
        merged = document.with_chains(result.document.chains, result.document.scope)
        return replace(result, document=merged, strategy=result.strategy + tagged.conditions)

    def _merged(self, document: Document, result: MergeResult, text: str) -> Merged:
        lines = ""
        if self._plan.with_decisions:
            records = (
                decision_record(document.id, decision, strategy=result.strategy) for decision in result.decisions
            )
            lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        report: dict[str, Any] = {
            "id": document.id,
            "parts": len(document.parts),
            "part_chains": len(document.chains),
            "merged_chains": len(result.document.chains),
            "links": sum(decision.antecedent is not None for decision in result.decisions),
            "singletons": result.singletons,
        }
        return Merged(document.id, document.token_count, text, lines, report, result.strategy)


class InProcess:
    """Runs the jobs in this process, one after the other."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def run(self, source: JobSource) -> Iterator[Outcome]:
        """Yield the outcomes; each job is run when its outcome is asked for."""
        return map(self._work.do, source.jobs())


class IsolatedWork:
    """Work in a worker process: it is loaded with the first job, and its outcomes leave out the documents."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._work: Work | None = None

    def do(self, job: Job) -> Outcome:
        """As :meth:`Work.do`; an exception while loading becomes an error of the job."""
        if job.is_settled:
            return job.settled()
        try:
            if self._work is None:
                self._work = Work(self._plan)
        except Exception as fault:  # noqa: BLE001  # part of the outcome
            return Outcome(_light(job), error=portable(fault), notices=job.notices)
        outcome = self._work.do(job)
        error = None if outcome.error is None else portable(outcome.error)
        return replace(outcome, job=_light(job), error=error)

    def close(self) -> None:
        """Stop what was started."""
        if self._work is not None:
            self._work.close()


def _light(job: Job) -> Job:
    return replace(job, document=None, key=None)


def portable(error: Exception) -> Exception:
    """The exception, or one with the same text that can be pickled; the traceback of a bug is a note on it."""
    if not isinstance(error, (MergeBaselineError, OSError)):
        import traceback

        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # made right here
    except Exception:  # noqa: BLE001  # pickling can run any code
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
