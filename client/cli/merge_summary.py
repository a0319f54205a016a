"""The report of `merge`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from client.cli.failures import failures_data
from client.cli.messages import print_status
from client.cli.output import counted
from client.engines.jobs import Merged
from merger.errors import InputError
from merger.formats.part_names import look_like_parts
from merger.notices import Notices


class MergeReport:
    """The merged documents and the failures of a run."""

    def __init__(self, strategy: str, *, with_decisions: bool) -> None:
        self._requested = strategy
        self._strategies: Counter[str] = Counter()
        self._with_decisions = with_decisions
        self._documents: list[dict[str, Any]] = []
        self.failures: list[InputError] = []

    def done(self, merged: Merged) -> None:
        """Count a merged document."""
        self._strategies[merged.strategy] += 1
        data = merged.report
        if self._with_decisions:
            data = {**data, "decisions": [json.loads(line) for line in merged.decisions.split("\n")[:-1]]}
        self._documents.append(data)

    @property
    def _strategy(self) -> str:
        """The signature. If it depends on the document (its tags): all signatures, with numbers of documents."""
        if len(self._strategies) < 2:  # noqa: PLR2004  # one is alone
            return next(iter(self._strategies), self._requested)
        return ", ".join(f"{name} ({counted(count, 'document')})" for name, count in self._strategies.items())

    @property
    def documents(self) -> int:
        """How many documents were merged."""
        return len(self._documents)

    def data(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {"strategy": self._strategy, "documents": self._documents, "failures": failures_data(self.failures)}

    def note_nothing_to_merge(self, notices: Notices) -> None:
        """Note that there was nothing to merge, as no document has two parts."""
        if not self._documents or any(each["parts"] > 1 for each in self._documents):
            return
        message = "no document has two parts, so there is nothing to merge"
        ids = [each["id"] for each in self._documents]
        alike = look_like_parts(ids)
        if alike is not None:
            message += f"; {alike}"
        elif len(ids) == 1:
            message += "; `merge-baseline split` cuts whole documents into parts"
        notices.add("nothing to merge", message)

    def show(self) -> None:
        """The report as a line on standard error."""
        names = ("part_chains", "merged_chains", "links", "singletons")
        total = {name: sum(each[name] for each in self._documents) for name in names}
        failed = f"; {counted(len(self.failures), 'document')} failed and left out" if self.failures else ""
        done = counted(len(self._documents), "document")
        print_status(
            f"{done}, {counted(total['part_chains'], 'part chain')}{_singletons(total['singletons'])}: "
            f"{total['links']} linked to an earlier chain, {counted(total['merged_chains'], 'merged chain')}; "
            f"{self._strategy}{failed}"
        )


def _singletons(count: int) -> str:
    return f", {counted(count, 'singleton')} among them" if count else ""
