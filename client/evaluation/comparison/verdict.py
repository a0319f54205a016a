"""Could a machine have made these merges? The answer in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client.evaluation.comparison.data import ALPHA, BOUNDS, FLOOR, Answer, PairedTest, StrategySummary, Verdict
from client.evaluation.comparison.pairs import between
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.render import percent, points, points_between

QUESTION = "Could a machine have made these merges?"
"""What the verdict answers."""


def judge_strategies(strategies: Sequence[StrategySummary], pairs: Mapping[str, Sequence[PairedTest]]) -> Verdict:
    """The verdict over all strategies but the bounds; ``pairs`` are those of the comparison."""
    asked = [each for each in strategies if each.name not in BOUNDS and each.total is not None]
    if not asked:
        return Verdict(Answer.NOT_ASKED, _not_asked(strategies))
    best, *others = sorted(asked, key=lambda each: (each.done, _f1(each.total)), reverse=True)
    tests = pairs["conll_f1"]
    test = between(tests, best.name, FLOOR)
    runner_up = between(tests, best.name, others[0].name) if others else None
    answer = _answer(best, test)
    return Verdict(answer, _sentence(answer, best, test, runner_up, len(tests), len(asked)), best.name, test, runner_up)


def _not_asked(strategies: Sequence[StrategySummary]) -> str:
    failed = [each for each in strategies if each.name not in BOUNDS]
    if not failed:
        return "Not asked: only the floor and the ceiling were run. Name a strategy to compare."
    which = failed[0].name if len(failed) == 1 else f"each of the {len(failed)} strategies"
    return f"Not asked: {which} failed on every document."


def _f1(result: Result | None) -> float:
    return -1.0 if result is None or result.conll_f1 is None else result.conll_f1


def _answer(best: StrategySummary, test: PairedTest | None) -> Answer:
    total = best.total
    if total is None or total.floor_conll_f1 == 1 or (total.links and not total.links.links.recall_denominator):
        return Answer.NOTHING_TO_MERGE
    if total.conll_f1 == 1:
        return Answer.YES
    if test is None or test.difference <= 0:
        return Answer.NO
    return Answer.PARTLY if test.is_significant else Answer.NOT_SHOWN


def _sentence(
    answer: Answer,
    best: StrategySummary,
    test: PairedTest | None,
    runner_up: PairedTest | None,
    family: int,
    asked: int,
) -> str:
    total = best.total
    f1, floor = (None, None) if total is None else (total.conll_f1, total.floor_conll_f1)
    documents = len(best.entrant.outcomes)
    some = "" if best.done == documents else f" (on {best.done:,} of {documents:,} documents)"
    which = f"{best.name}{some}" if asked == 1 else f"the best of {asked} strategies, {best.name}{some},"
    scores = f"{percent(f1)} CoNLL F1 against {percent(floor)} for merging nothing"
    shown = None if f1 is None or floor is None else points_between(f1, floor)
    against = "" if test is None else f" ({_facts(test, family, shown)})"
    match answer:
        case Answer.NOTHING_TO_MERGE:
            return "Nothing to merge: no gold chain has mentions in two parts."
        case Answer.YES:
            return f"Yes: {which} makes every gold merge, and no other."
        case Answer.NO:
            return f"No: {which} does not do better than merging nothing, {scores}{against}."
        case Answer.NOT_SHOWN:
            why = "too few documents or resamples to tell" if _few(test, family) else "which chance may make"
            return f"Not shown: {which} scores {scores}{against}, {why}."
        case _:
            way = percent(None if total is None else total.gain)
            lead = "" if runner_up is None else f" {_lead(runner_up, family)}"
            return (
                f"In part: {which} scores {scores}{against}, {way}% of the way to the gold merges{_strict(best)}.{lead}"
            )


def _few(test: PairedTest | None, family: int) -> bool:
    """Whether no scores at all could be significant here.

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
    found = "is significant" if test.is_significant else "is not significant: chance may make it"
    return f"Its lead over the runner-up, {test.baseline} ({_facts(test, family)}), {found}."


def _strict(best: StrategySummary) -> str:
    links = None if best.total is None else best.total.links
    if links is None or not links.decisions:
        return ""
    return f", and makes {percent(links.strict_match)}% of the gold decisions"
