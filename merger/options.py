"""Typed strategy options: parsed from text, checked, and described for ``--help`` and ``ListStrategies``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from merger.errors import OptionError
from merger.message_text import did_you_mean, plain_number

OptionValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Option:
    """One option. Its type is the type of ``default``; ``choices`` limit strings, ``low``/``high`` numbers.

    ``optional``: a signature has it only where its value is not the default. ``flag``: ``merge --help`` shows it as a
    command-line flag of its own. It is no part of an option's description on the wire.
    """

    name: str
    default: OptionValue
    help: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    optional: bool = False
    flag: bool = field(default=False, compare=False)

    @property
    def type_name(self) -> str:
        """``string``, ``integer``, ``number`` or ``boolean``."""
        return {str: "string", int: "integer", float: "number", bool: "boolean"}[type(self.default)]

    def show(self, value: OptionValue) -> str:
        """The value as it is written in a signature and read back by :meth:`parse`."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return plain_number(value) if isinstance(value, float) else str(value)

    def parse(self, value: OptionValue) -> OptionValue:
        """Turn a value, perhaps given as text, into the option's type.

        Raises :class:`~merger.errors.OptionError`, which names the option and its valid values.
        """
        parsed = self._convert(value)
        if parsed is None or (self.choices and parsed not in self.choices) or not self._in_range(parsed):
            raise OptionError(f"option {self.name}: {value!r} is not {self.takes}", option=self.name)
        return parsed

    @property
    def takes(self) -> str:
        """The values that the option accepts, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "yes or no"
        words = {"string": "a text", "integer": "a whole number", "number": "a number"}[self.type_name]
        if self.low is not None and self.high is not None:
            return f"{words} from {plain_number(self.low)} to {plain_number(self.high)}"
        return words

    def _in_range(self, value: OptionValue) -> bool:
        if isinstance(value, str | bool):
            return True
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _convert(self, value: OptionValue) -> OptionValue | None:
        if isinstance(self.default, bool):
            if isinstance(value, str):
                return _YES_OR_NO.get(value.lower())
            return value if isinstance(value, bool) else None
        if isinstance(self.default, str):
            return value if isinstance(value, str) else None
        number = _number(value)
        if number is None or isinstance(self.default, float):
            return number
        return int(number) if number.is_integer() else None


_YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _number(value: OptionValue) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_options(owner: str, options: Sequence[Option], given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """All options with their values: the given ones checked, the others by default.

    Raises :class:`~merger.errors.OptionError` for an unknown name or a bad value.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            has = f"its options: {', '.join(known)}" if known else "it has none"
            raise OptionError(f"{owner} has no option {name!r}{did_you_mean(name, known)}; {has}", option=name)
    return {name: option.parse(given[name]) if name in given else option.default for name, option in known.items()}
