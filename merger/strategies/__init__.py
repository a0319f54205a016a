"""The strategies by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from merger.errors import OptionError
from merger.message_text import did_you_mean
from merger.options import Option, OptionValue, parse_options
from merger.strategies.base import Run, Strategy
from merger.strategies.bounds import NoneStrategy, OracleStrategy
from merger.strategies.coreference import CoreNLPStrategy, PrecomputedStrategy, StanzaStrategy
from merger.strategies.greedy.strategy import GreedyStrategy

STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (NoneStrategy, GreedyStrategy, CoreNLPStrategy, StanzaStrategy, PrecomputedStrategy, OracleStrategy)
}
"""The strategies by name, in the order in which lists show them."""

__all__ = [
    "STRATEGIES",
    "GreedyStrategy",
    "NoneStrategy",
    "Option",
    "OptionValue",
    "OracleStrategy",
    "Run",
    "Strategy",
    "StrategyInfo",
    "list_strategies",
    "make_strategy",
    "parse_options",
    "parse_spec",
]


_PATH = "path"
"""The option of strategies that read a file."""


def make_strategy(name: str, options: Mapping[str, OptionValue] | None = None) -> Strategy:
    """A configured strategy.

    Raises :class:`~merger.errors.OptionError` for an unknown name or option.
    """
    try:
        strategy = STRATEGIES[name]
    except KeyError:
        front, comma, tail = name.partition(",")
        if comma and front.strip() in STRATEGIES:
            question = f" (options come after a colon: {front.strip()}:{tail.strip()})"
        else:
            question = did_you_mean(name, STRATEGIES)
        raise OptionError(f"no strategy {name!r}{question}; there are {', '.join(STRATEGIES)}") from None
    return strategy(options or {})


def parse_spec(spec: str) -> tuple[str, dict[str, OptionValue]]:
    """Split ``NAME[:option=value,...]``; a bare option name means ``yes``, and ``path=`` may be left out.

    >>> parse_spec("greedy:match=head,one-to-one")
    ('greedy', {'match': 'head', 'one-to-one': 'yes'})
    >>> parse_spec("precomputed:system.jsonl")
    ('precomputed', {'path': 'system.jsonl'})
    """
    name, _, tail = spec.partition(":")
    name = name.strip()
    known = {option.name for option in STRATEGIES[name].options} if name in STRATEGIES else set()
    options: dict[str, OptionValue] = {}
    for item in tail.split(",") if tail else ():
        option, equals, value = (each.strip() for each in item.partition("="))
        if equals:
            options[option] = value
        elif _PATH in known and option not in known:
            options[_PATH] = option
        else:
            options[option] = "yes"
    return name, options


@dataclass(frozen=True, slots=True)
class StrategyInfo:
    """A strategy as users see it in a list. ``unavailable`` is why it cannot run, or ``None``."""

    name: str
    summary: str
    options: tuple[Option, ...]
    needs_key: bool
    needs_tags: bool
    unavailable: str | None


def list_strategies() -> list[StrategyInfo]:
    """All strategies with their options, and whether they can run here."""
    return [
        StrategyInfo(each.name, each.summary, each.options, each.needs_key, each.needs_tags, each.unavailable())
        for each in STRATEGIES.values()
    ]
