"""The verdict: could a machine have made these merges?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client.evaluation.comparison.data import ALPHA, BOUNDS, FLOOR, PairedTest, StrategySummary, Verdict, VerdictAnswer
from client.evaluation.comparison.pairs import between
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.render import percent, points, points_between

QUESTION = "Could a machine have made these merges?"
"""The question that the verdict answers."""


def judge_strategies(strategies: Sequence[StrategySummary], pairs: Mapping[str, Sequence[PairedTest]]) -> Verdict:
    """The verdict over all strategies but the bounds; ``pairs`` are those of the comparison."""
    contenders = [each for each in strategies if each.name not in BOUNDS and each.total is not None]
    if not contenders:
        return Verdict(VerdictAnswer.NOT_ASKED, _no_contender(strategies))
    best, *others = sorted(contenders, key=lambda each: (each.done, _f1(each.total)), reverse=True)
    tests = pairs["conll_f1"]
    test = between(tests, best.name, FLOOR)
    runner_up = between(tests, best.name, others[0].name) if others else None
    answer = _answer(best, test)
    return Verdict(
        answer, _sentence(answer, best, test, runner_up, len(tests), len(contenders)), best.name, test, runner_up
    )


def _no_contender(strategies: Sequence[StrategySummary]) -> str:
    failed = [each for each in strategies if each.name not in BOUNDS]
    if not failed:
        return "Not asked: only the floor and the ceiling were run. Name a strategy to compare."
    which = failed[0].name if len(failed) == 1 else f"each of the {len(failed)} strategies"
    return f"Not asked: {which} failed on every document."


def _f1(result: Result | None) -> float:
    return -1.0 if result is None or result.conll_f1 is None else result.conll_f1


def _answer(best: StrategySummary, test: PairedTest | None) -> VerdictAnswer:
    total = best.total
    if total is None or total.floor_conll_f1 == 1 or (total.links and not total.links.links.recall_denominator):
        return VerdictAnswer.NOTHING_TO_MERGE
    if total.conll_f1 == 1:
        return VerdictAnswer.YES
    if test is None or test.difference <= 0:
        return VerdictAnswer.NO
    return VerdictAnswer.PARTLY if test.is_significant else VerdictAnswer.NOT_SHOWN


def _sentence(
    answer: VerdictAnswer,
    best: StrategySummary,
    test: PairedTest | None,
    runner_up: PairedTest | None,
    family: int,
    contenders: int,
) -> str:
    total = best.total
    f1, floor = (None, None) if total is None else (total.conll_f1, total.floor_conll_f1)
    documents = len(best.outcomes)
    some = "" if best.done == documents else f" (on {best.done:,} of {documents:,} documents)"
    which = f"{best.name}{some}" if contenders == 1 else f"the best of {contenders} strategies, {best.name}{some},"
    scores = f"{percent(f1)} CoNLL F1 against {percent(floor)} for merging nothing"
    shown = None if f1 is None or floor is None else points_between(f1, floor)
    against = "" if test is None else f" ({_facts(test, family, shown)})"
    match answer:
        case VerdictAnswer.NOTHING_TO_MERGE:
            return "Nothing to merge: no gold chain has mentions in two parts."
        case VerdictAnswer.YES:
            return f"Yes: {which} makes every gold merge, and no other."
        case VerdictAnswer.NO:
            return f"No: {which} does not do better than merging nothing, {scores}{against}."
        case VerdictAnswer.NOT_SHOWN:
            why = "too few documents or resamples to tell" if _few(test, family) else "which can be due to chance"
            return f"Not shown: {which} scores {scores}{against}, {why}."
        case _:
            way = percent(None if total is None else total.gain)
            lead = "" if runner_up is None else f" {_lead(runner_up, family)}"
            return (
                f"In part: {which} scores {scores}{against}, {way}% of the way to the gold merges{_strict(best)}.{lead}"
            )


def _few(test: PairedTest | None, family: int) -> bool:
    """Whether no difference could be significant, however large.

    Of 2^documents exchanges, 2 are at least as far apart, and the smallest p is multiplied by the number of tests.
    """
    return test is None or test.interval is None or family * 2 / 2**test.documents >= ALPHA


def _facts(test: PairedTest, family: int, difference: str | None = None) -> str:
    """The difference in percentage points, as given if the scores are shown too, its interval, and its p."""
    facts = [difference or points(test.difference)]
    if test.interval is not None:
        facts.append(f"95% interval {points(test.interval.low)} to {points(test.interval.high)}")
    if test.holm_p is not None:
        pairs = "" if family == 1 else f" adjusted for all {family:,} pairs"
        facts.append(f"p = {test.holm_p:.4f}{pairs}")
    return ", ".join(facts)


def _lead(test: PairedTest, family: int) -> str:
    found = "is significant" if test.is_significant else "is not significant"
    return f"Its lead over the runner-up, {test.baseline} ({_facts(test, family)}), {found}."


def _strict(best: StrategySummary) -> str:
    links = None if best.total is None else best.total.links
    if links is None or not links.decisions:
        return ""
    return f", and makes {percent(links.strict_match)}% of the gold decisions"
