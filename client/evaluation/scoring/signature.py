"""The signature of every printed score, which says how the score was made."""

from __future__ import annotations

from dataclasses import dataclass

from merger.version import VERSION


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that a score depends on besides key and response.

    ``metrics`` in order; ``mentions`` is how mentions match, with the substitute for heads that the files do not state
    (``head[unstated=first-token]``); ``singletons`` is ``kept`` (as in the official scorer) or ``dropped``; ``zeros``
    is how empty nodes were paired, if there were any; ``split`` and ``strategy`` are how the parts were made and
    merged, if known.
    """

    metrics: tuple[str, ...]
    mentions: str = "exact"
    singletons: str = "kept"
    zeros: str | None = None
    split: str | None = None
    strategy: str | None = None

    def __str__(self) -> str:
        """One line of ``name:value`` pairs, in the manner of sacreBLEU."""
        fields = [
            ("metrics", "+".join(self.metrics)),
            ("mentions", self.mentions),
            ("singletons", self.singletons),
            ("zeros", self.zeros),
            ("split", self.split),
            ("strategy", self.strategy),
            ("version", VERSION),
        ]
        return "|".join(f"{name}:{value}" for name, value in fields if value is not None)
