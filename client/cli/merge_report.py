"""What `merge` tells of its work."""

from __future__ import annotations

import json
from typing import Any

from client.cli.failures import failures_data
from client.cli.output import counted, say
from client.engines.jobs import Merged
from merger.errors import InputError


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

    def say(self) -> None:
        """The report as a line on standard error."""
        names = ("part_chains", "merged_chains", "links")
        total = {name: sum(each[name] for each in self._documents) for name in names}
        failed = f"; {counted(len(self.failures), 'document')} failed and left out" if self.failures else ""
        done = counted(len(self._documents), "document")
        say(
            f"{done}, {total['part_chains']} part chains: {total['links']} linked to an earlier chain, "
            f"{total['merged_chains']} merged chains; {self._strategy}{failed}"
        )
