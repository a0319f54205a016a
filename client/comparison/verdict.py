"""Could a machine have made these merges? The answer in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from client.agreement.bootstrap import Resampling
from client.comparison.data import BOUNDS, FLOOR, Answer, PairedTest, StrategySummary, Verdict
from client.comparison.significance import paired_test
from client.scoring.evaluation import Result
from client.scoring.render import percent

_ALPHA = 0.05


def judge_strategies(strategies: Sequence[StrategySummary], resampling: Resampling) -> Verdict:
    """The verdict over all strategies but the bounds."""
    asked = [each for each in strategies if each.name not in BOUNDS and each.total is not None]
    if not asked:
        return Verdict(Answer.NOT_ASKED, "Not asked: no strategy but the bounds has a score.")
    best = max(asked, key=lambda each: (each.done, _f1(each.total)))
    test = _against_floor(best, resampling)
    answer = _answer(best, test)
    return Verdict(answer, _sentence(answer, best, test, len(asked)), best.name, test)


def _f1(result: Result | None) -> float:
    return -1.0 if result is None or result.conll_f1 is None else result.conll_f1


def _against_floor(best: StrategySummary, resampling: Resampling) -> PairedTest:
    results = [outcome.result for outcome in best.entrant.outcomes if outcome.result is not None]
    pairs = [(result.scores, result.floor) for result in results if result.floor is not None]
    mine, floors = [mine for mine, _ in pairs], [floor for _, floor in pairs]
    return paired_test(best.name, FLOOR, mine, floors, resampling)


def _answer(best: StrategySummary, test: PairedTest) -> Answer:
    total = best.total
    if total is None or total.floor_conll_f1 == 1 or (total.links and not total.links.links.recall_denominator):
        return Answer.NOTHING_TO_MERGE
    if total.conll_f1 == 1:
        return Answer.YES
    if test.difference <= 0:
        return Answer.NO
    chance = test.interval is None or test.interval.low <= 0 or max(_p_values(test)) >= _ALPHA
    return Answer.NOT_SHOWN if chance else Answer.PARTLY


def _p_values(test: PairedTest) -> list[float]:
    return [p for p in (test.bootstrap_p, test.randomisation_p) if p is not None]


def _sentence(answer: Answer, best: StrategySummary, test: PairedTest, asked: int) -> str:
    total = best.total
    f1, floor = (None, None) if total is None else (total.conll_f1, total.floor_conll_f1)
    documents = len(best.entrant.outcomes)
    some = "" if best.done == documents else f" (on {best.done:,} of {documents:,} documents)"
    which = f"{best.name}{some}" if asked == 1 else f"the best of {asked} strategies, {best.name}{some},"
    scores = f"{percent(f1)} CoNLL F1 against {percent(floor)} for merging nothing"
    difference = f"{100 * test.difference:+.2f}{_interval(test)}"
    match answer:
        case Answer.NOTHING_TO_MERGE:
            return "Nothing to merge: people linked no chain to one of another part."
        case Answer.YES:
            return f"Yes: {which} makes every merge that people made, and no other."
        case Answer.NO:
            return f"No: {which} does not do better than merging nothing, {scores} ({difference})."
        case Answer.NOT_SHOWN:
            # Of 2^documents exchanges, 2 are at least as far apart: fewer documents cannot give a smaller p.
            few = test.interval is None or 2 / 2**test.documents >= _ALPHA
            why = "too few documents or resamples to tell" if few else "which chance may make"
            return f"Not shown: {which} scores {scores} ({difference}), {why}."
        case _:
            way = percent(None if total is None else total.gain)
            return f"In part: {which} scores {scores} ({difference}), {way}% of the way to people's{_strict(best)}."


def _interval(test: PairedTest) -> str:
    if test.interval is None:
        return ""
    return f", 95% interval {100 * test.interval.low:+.2f} to {100 * test.interval.high:+.2f}"


def _strict(best: StrategySummary) -> str:
    links = None if best.total is None else best.total.links
    if links is None or not links.decisions:
        return ""
    return f", and makes {percent(links.strict_match)}% of the decisions as people did"
