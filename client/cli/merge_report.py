"""What `merge` tells of its work."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from client.cli.failures import failures_data
from client.cli.messages import say
from client.cli.output import counted
from client.engines.jobs import Merged
from merger.errors import InputError
from merger.notices import Notices
from merger.shown import shown

_NUMBERED = re.compile(r"(?P<document>.+?)(?P<mark>[._:-](?:part|p)?[._:-]?)(?P<part>\d{1,4})")


class MergeReport:
    """What was done, document by document."""

    def __init__(self, strategy: str, *, with_decisions: bool) -> None:
        self._strategy = strategy
        self._with_decisions = with_decisions
        self._documents: list[dict[str, Any]] = []
        self.failures: list[InputError] = []

    def done(self, merged: Merged) -> None:
        """Count a merged document."""
        self._strategy = merged.strategy
        data = merged.report
        if self._with_decisions:
            data = {**data, "decisions": [json.loads(line) for line in merged.decisions.split("\n")[:-1]]}
        self._documents.append(data)

    @property
    def documents(self) -> int:
        """How many documents were merged."""
        return len(self._documents)

    def data(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {"strategy": self._strategy, "documents": self._documents, "failures": failures_data(self.failures)}

    def note_what_is_odd(self, notices: Notices) -> None:
        """Note that there was nothing to merge, as no document has two parts."""
        if not self._documents or any(each["parts"] > 1 for each in self._documents):
            return
        message = "no document has two parts, so there was nothing to merge"
        ids = [each["id"] for each in self._documents]
        alike = _parts_by_name(ids)
        if alike is not None:
            one, other, pattern = alike
            message += f"; {shown(one)} and {shown(other)} look like parts: --part-pattern '{pattern}' joins such ids"
        elif len(ids) == 1:
            message += "; `merge-baseline split` cuts whole documents into parts"
        notices.add("nothing to merge", message)

    def say(self) -> None:
        """The report as a line on standard error."""
        names = ("part_chains", "merged_chains", "links", "singletons")
        total = {name: sum(each[name] for each in self._documents) for name in names}
        failed = f"; {counted(len(self.failures), 'document')} failed and left out" if self.failures else ""
        done = counted(len(self._documents), "document")
        say(
            f"{done}, {counted(total['part_chains'], 'part chain')}{_singletons(total['singletons'])}: "
            f"{total['links']} linked to an earlier chain, {counted(total['merged_chains'], 'merged chain')}; "
            f"{self._strategy}{failed}"
        )


def _singletons(count: int) -> str:
    return f", {counted(count, 'singleton')} among them" if count else ""


def _parts_by_name(ids: Sequence[str]) -> tuple[str, str, str] | None:
    """Two ids that differ in a number at their end alone, and the pattern that makes them parts of one document."""
    first: dict[tuple[str, str], str] = {}
    for name in ids:
        found = _NUMBERED.fullmatch(name)
        if found is None:
            continue
        before = first.setdefault((found["document"], found["mark"]), name)
        if before != name:
            return before, name, rf"(?P<document>.*){re.escape(found['mark'])}(?P<part>\d+)"
    return None
