"""``merge-baseline vote``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from client.cli.decision_files import AlikeAnnotators, DecisionFiles, same_decisions, write_records
from client.cli.messages import print_status
from client.cli.options import Reading, check_stdin, json_option, output_option, reading_options
from client.cli.output import STDOUT, check_paths, counted, write_json
from client.cli.progress import documents_with_progress
from merger.decisions.checked import by_maker, checked_decisions
from merger.decisions.records import Decided, DecisionRecord
from merger.decisions.voting import Voted, vote
from merger.document import Document
from merger.errors import DecisionError, Location, OptionError
from merger.formats import find_inputs
from merger.notices import Notices

_FEWEST = 2


@click.command(short_help="combine the decisions of several annotators")
@click.argument("parts")
@click.argument("decisions", nargs=-1, required=True, metavar="DECISIONS...")
@click.option(
    "--prefer", metavar="NAME", help="The annotator whose decision counts without a majority. Default: the first one."
)
@output_option
@json_option
@reading_options
def command(
    parts: str, decisions: tuple[str, ...], prefer: str | None, output: str, as_json: bool, reading: Reading
) -> int:
    """Combine several annotators' DECISIONS on the chains of PARTS into one set of decisions.

    The decision on a chain is that of more than half of the annotators or, without such a majority, that of the
    preferred annotator. Annotators are identified by the names in their decisions, strategies by their signatures. Each
    resulting decision lists the votes and how it was decided. With --json, a report goes to standard output, and
    decisions are written to --output only.

    \b
    Example:
      merge-baseline vote parts.conll ann.jsonl bob.jsonl cem.jsonl -o voted.jsonl
    """
    check_stdin(parts, *decisions)
    check_paths({"-o": output}, (*find_inputs(parts), *decisions))
    given = DecisionFiles(*decisions)
    _check(given, prefer)
    strategy = f"vote[annotators={'+'.join(given.makers)},prefer={prefer or given.makers[0]}]"
    counts = dict.fromkeys(("documents", "decisions", "unanimous", "majority", "preference", "first_part_chains"), 0)
    alike = AlikeAnnotators()

    def votes(document: Document) -> Sequence[DecisionRecord]:
        on_document = given.take(document, reading.notices)
        if on_document is None:
            return ()
        voted = _voted(document, on_document, given.makers, prefer, reading.notices)
        counts["documents"] += 1
        _count(counts, voted)
        alike.add(voted)
        return [
            DecisionRecord(document.id, each.decision, strategy=strategy, decided=each.decided, votes=each.votes)
            for each in voted
        ]

    def records() -> Iterator[DecisionRecord]:
        documents = documents_with_progress(reading.documents(parts), "voting")
        for several in reading.each(documents, votes):
            yield from several
        given.check_all_taken(reading.failures)

    if as_json and output == STDOUT:
        for _ in records():
            pass
    else:
        write_records(output, records())
    for one, other in alike.pairs():
        reading.notices.add(*same_decisions(one, other))
    if as_json:
        write_json({"strategy": strategy, **counts, **reading.problems_data()})
    else:
        print_status(
            f"{counted(counts['documents'], 'document')}, {counted(counts['decisions'], 'decision')}: "
            f"{counts['majority']} by majority ({counts['unanimous']} unanimous), "
            f"{counts['preference']} by preference; {strategy}"
        )
    return reading.print_problems()


def _check(given: DecisionFiles, prefer: str | None) -> None:
    """Check that there are annotators to vote, and that the preferred one is among them."""
    if len(given.makers) < _FEWEST:
        raise DecisionError(
            f"decisions of {', '.join(given.makers) or 'nobody'}", expected="those of two annotators or more"
        )
    if prefer is not None and prefer not in given.makers:
        raise OptionError(f"--prefer {prefer}: no such annotator; there are {', '.join(given.makers)}")


def _voted(
    document: Document, records: Sequence[DecisionRecord], makers: Sequence[str], prefer: str | None, notices: Notices
) -> Sequence[Voted]:
    found = by_maker(records)
    decisions = {}
    for name in makers:
        if name in found:
            decisions[name] = [record.decision for record in checked_decisions(document, found[name])]
        elif records:
            place = Location(document.file, document=document.id)
            error = DecisionError(f"{name} has no decisions on this document", place)
            notices.warn(f"document without {name}", error)
    return vote(document, decisions, prefer if prefer in decisions else None)


def _count(counts: dict[str, int], voted: Sequence[Voted]) -> None:
    for each in voted:
        if each.decision.chain.part == 0:
            # Chains of the first part are always new.
            counts["first_part_chains"] += 1
            continue
        counts["decisions"] += 1
        counts["unanimous"] += each.supporters == len(each.votes) > 1
        counts["majority" if each.decided is Decided.MAJORITY else "preference"] += 1
