"""Reads and checks the fields of a decision record. Errors give the place and the expected value."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from math import isfinite

from merger.document import ChainRef, Mention, make_mention
from merger.errors import FormatError, Location
from merger.message_text import plain_number
from merger.strict_json import type_name

_SPAN_ENDS = 2
_MENTION_ITEMS = 3


class Fields:
    """The fields of an object at a place in a file. Every method raises :class:`~merger.errors.FormatError`.

    ``name`` is what messages call the object; the record itself has none.
    """

    def __init__(self, fields: Mapping[str, object], place: Location, name: str = "") -> None:
        self._fields = fields
        self._name = name
        self.place = place

    def __contains__(self, key: str) -> bool:
        return key in self._fields

    def check_names(self, known: tuple[str, ...]) -> None:
        """Raise for unknown fields: a misspelt one would be ignored silently."""
        for key in self._fields:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                raise FormatError(
                    f"unknown field {self._called(key)}",
                    self.place,
                    expected=f"one of {', '.join(known)}",
                    hint=f"did you mean {near[0]}?" if near else None,
                )

    def text(self, key: str, *, filled: bool = False) -> str:
        """A string; with ``filled`` not an empty one."""
        return as_text(self._get(key), self._called(key), self.place, filled=filled)

    def index(self, key: str) -> int:
        """A 0-based index."""
        return as_index(self._get(key), self._called(key), self.place)

    def number(self, key: str, most: float | None = None) -> float | None:
        """A number from 0 on, up to ``most``; ``None`` where the field is absent."""
        if key not in self._fields:
            return None
        value = self.any_number(key)
        if value < 0 or (most is not None and value > most):
            expected = "0 or more" if most is None else f"a number from 0 to {plain_number(most)}"
            raise FormatError(f"{self._called(key)} is {plain_number(value)}", self.place, expected=expected)
        return value

    def any_number(self, key: str) -> float:
        """A number."""
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, value, "a number")
        try:
            finite = isfinite(value)
        except OverflowError:
            finite = False
        if not finite:
            raise FormatError(f"{self._called(key)} is a number out of range", self.place)
        return value

    def ref(self, key: str) -> ChainRef | None:
        """A part chain, or ``None`` where the field is ``null``; it must be there."""
        value = self._get(key)
        return None if value is None else as_ref(value, self._called(key), self.place)

    def items(self, key: str) -> list[object]:
        """A list with something in it; an empty one where the field is absent."""
        if key not in self._fields:
            return []
        value = self._fields[key]
        if not isinstance(value, list) or not value:
            raise self._wrong(key, value, "a list with something in it")
        return value

    def nested(self, key: str) -> Fields:
        """An object."""
        return as_fields(self._get(key), self._called(key), self.place)

    def mention(self, key: str) -> Mention:
        """A mention."""
        return as_mention(self._get(key), self._called(key), self.place)

    def is_null(self, key: str) -> bool:
        """Whether the field is absent or ``null``."""
        return self._fields.get(key) is None

    def _get(self, key: str) -> object:
        if key not in self._fields:
            within = f" in {self._name}" if self._name else ""
            raise FormatError(f"no field {key!r}{within}", self.place)
        return self._fields[key]

    def _called(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else repr(key)

    def _wrong(self, key: str, value: object, expected: str) -> FormatError:
        return _wrong(self._called(key), value, self.place, expected)


def as_text(value: object, name: str, place: Location, *, filled: bool = False) -> str:
    """The value as a string that can be written as UTF-8."""
    if not isinstance(value, str):
        raise _wrong(name, value, place, "a string")
    if filled and not value:
        raise FormatError(f"{name} is empty", place, expected="a name")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FormatError(f"{name} has half of a surrogate pair", place, expected="whole characters") from None
    return value


def as_index(value: object, name: str, place: Location) -> int:
    """The value as a 0-based index."""
    # JSON Schema takes 1.0 for an integer too.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, value, place, "a whole number from 0 on")
    if value < 0:
        raise FormatError(f"{name} is {value}", place, expected="a whole number from 0 on")
    return value


def as_fields(value: object, name: str, place: Location) -> Fields:
    """The value as an object."""
    if not isinstance(value, dict):
        raise _wrong(name, value, place, "an object")
    return Fields(value, place, name)


def as_ref(value: object, name: str, place: Location) -> ChainRef:
    """The value as a part chain."""
    if not isinstance(value, dict):
        raise _wrong(name, value, place, 'a chain as {"part": 0, "chain": "a"}')
    fields = Fields(value, place, name)
    fields.check_names(("part", "chain"))
    return ChainRef(fields.index("part"), fields.text("chain"))


def as_mention(value: object, name: str, place: Location) -> Mention:
    """The value, ``[part, sentence, [[first, last], ...]]``, as a mention."""
    if not isinstance(value, list) or len(value) != _MENTION_ITEMS:
        raise _wrong(name, value, place, "[part, sentence, [[first, last], ...]]")
    part, sentence = (as_index(each, name, place) for each in value[:2])
    spans = value[2]
    if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) == _SPAN_ENDS for span in spans):
        raise FormatError(f"the tokens of {name} are not pairs", place, expected="[[first, last], ...]")
    ends = tuple((as_index(first, name, place), as_index(last, name, place)) for first, last in spans)
    try:
        return make_mention(part, sentence, ends)
    except ValueError:
        raise FormatError(f"{name} has no tokens, or a stretch that ends before it begins", place) from None


def _wrong(name: str, value: object, place: Location, expected: str) -> FormatError:
    return FormatError(f"{name} is {type_name(value)}", place, expected=expected)
