"""The work that a request asks for, in this process and without a server: what it takes, and what takes it."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.service_load import document_request
from merger.merge import PartMerger
from merger.notices import Notices
from merger.progress import WorkContext
from protos.convert.decisions import add_decisions, add_merged, notice_to_message
from protos.convert.documents import document_from_message, parts_from_message
from protos.convert.strategies import spec_from_message
from protos.limits import DEFAULT_LIMITS
from protos.merge_baseline import v1
from service.answers import merge_document_answer
from service.request_limits import document_excess
from service.request_validation import check, document_request_violations
from service.strategies import ServedStrategies

STAGES = ("decoding", "limits", "conversion", "validation", "merging", "encoding")
"""In the order in which they are done."""

_LEAST_SECONDS = 0.5


def work_seconds(request: bytes) -> float:
    """Processor seconds of a request: the median."""
    strategies = ServedStrategies()
    return _median_seconds(lambda: merge_document_answer(strategies, request, WorkContext()))


def stage_seconds(request: bytes) -> dict[str, float]:
    """Processor seconds of each stage: the medians, of rounds in which each is done once.

    The stages are those of :func:`~service.answers.merge_document_answer`, whose answer they must come to.
    """
    strategies = ServedStrategies()
    rounds: list[list[float]] = []
    answer = b""
    begun = time.process_time()
    while len(rounds) < 3 or time.process_time() < begun + _LEAST_SECONDS:  # noqa: PLR2004
        times, answer = _one_round(strategies, request)
        rounds.append(times)
    if answer != merge_document_answer(strategies, request, WorkContext()):
        raise SystemExit("the stages of the benchmark are not those of the service any more")
    return dict(zip(STAGES, map(median, zip(*rounds, strict=True)), strict=True))


def _one_round(strategies: ServedStrategies, data: bytes) -> tuple[list[float], bytes]:
    clock = time.process_time
    ticks = [clock()]
    request = v1.MergeDocumentRequest.FromString(data)
    ticks.append(clock())
    check(document_excess(request, DEFAULT_LIMITS))
    ticks.append(clock())
    parts = parts_from_message(request.document)
    document = document_from_message(request.document, parts)
    ticks.append(clock())
    check(document_request_violations(request, parts))
    ticks.append(clock())
    strategy = strategies.make(*spec_from_message(request.strategy))
    notices = Notices()
    merger = PartMerger(strategy, document.id, document=document)
    decisions = merger.add_all(parts)
    chains = merger.finish_members(notices=notices)
    ticks.append(clock())
    answer = v1.MergeDocumentResponse(
        singletons=merger.singletons,
        signature=strategy.signature,
        notices=[notice_to_message(notice) for notice in notices],
    )
    add_decisions(answer, decisions)
    add_merged(answer, chains)
    encoded = answer.SerializeToString()
    ticks.append(clock())
    return [after - before for before, after in pairwise(ticks)], encoded


def _median_seconds(work: Callable[[], object]) -> float:
    times: list[float] = []
    begun = before = time.process_time()
    while len(times) < 3 or before < begun + _LEAST_SECONDS:  # noqa: PLR2004
        work()
        after = time.process_time()
        times.append(after - before)
        before = after
    return median(times)


def top_functions(tokens: int, count: int) -> list[tuple[str, float]]:
    """The functions that take the most time by themselves, with what they call in C, and their shares."""
    request = document_request(tokens)
    strategies = ServedStrategies()
    profile = cProfile.Profile(builtins=False)
    profile.enable()
    for _ in range(3):
        merge_document_answer(strategies, request, WorkContext())
    profile.disable()
    stats = pstats.Stats(profile)
    # What pstats has of a function: its place, how often it was called, and its own time.
    own = {place: numbers[2] for place, numbers in stats.stats.items()}  # type: ignore[attr-defined]
    total = sum(own.values())
    top = sorted(own, key=own.__getitem__, reverse=True)[:count]
    return [(f"`{name}`, {_module(file)}:{line}", own[file, line, name] / total) for file, line, name in top]


def _module(file: str) -> str:
    path = Path(file)
    root = Path(__file__).resolve().parent.parent
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
