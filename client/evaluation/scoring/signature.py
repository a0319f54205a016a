"""The signature that goes with every printed score: how the number was made."""

from __future__ import annotations

from dataclasses import dataclass

from merger.version import VERSION


@dataclass(frozen=True, slots=True)
class Signature:
    """What a score depends on besides key and response.

    ``metrics`` in order; ``mentions`` how mentions match, with what stood in for
    heads that the files don't state (``head[unstated=first-token]``); ``singletons`` whether singletons count
    (``kept``, as the official scorer does, or ``dropped``); ``zeros`` how empty nodes were paired, where there were
    any; ``split`` how the parts were made, ``strategy`` what merged them, where known.
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
