"""One line of a jsonlines file: parsed strictly, and changed only in the given values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NoReturn

Object = dict[str, object]
_BLANKS = re.compile(r"[ \t\n\r]*")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()


class JsonError(Exception):
    """The text is not a valid JSON object."""


def parse_object(text: str) -> Object:
    """Parse a line.

    Raises :class:`JsonError` for text that is not a JSON object, a repeated key, or a number that JSON does not have.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    except RecursionError:
        raise JsonError("not JSON that can be read: nested too deeply") from None
    except ValueError as error:
        # Python's own limit on digits, which its text explains at length.
        reason = "a number has too many digits" if "digits" in str(error) else str(error)
        raise JsonError(f"not JSON that can be read: {reason}") from None
    if not isinstance(value, dict):
        raise JsonError(f"not an object: {type_name(value)}")
    return value


def _unique(pairs: list[tuple[str, object]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JsonError(f"key {twice!r} comes twice in an object")
    return found


def _refuse(constant: str) -> NoReturn:
    raise JsonError(f"{constant} is not a number in JSON")


def find_lone_surrogate(text: str, content: Mapping[str, object], keys: Iterable[str]) -> tuple[str, str] | None:
    """The first of these keys with half of a surrogate pair in a string, and the string; ``text`` is the whole line.

    Text that was decoded has them in escapes only.
    """
    if "\\u" not in text or not _SURROGATE_ESCAPE.search(text):
        return None
    for key in keys:
        left = [content.get(key)]
        while left:
            value = left.pop()
            if isinstance(value, list):
                left += value
            elif isinstance(value, str) and _SURROGATE.search(value):
                return key, value
    return None


def type_name(value: object) -> str:
    """The JSON name of a value's type."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def dump(value: object) -> str:
    """JSON text as this package writes it: characters as they are, but halves of surrogate pairs escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def splice(text: str, changes: Mapping[str, object], removed: frozenset[str] = frozenset()) -> str:
    """The text of an object with some top-level values changed, added at its end, or removed; the rest byte for byte.

    ``text`` was parsed by :func:`parse_object` before.
    """
    position = _skip(text, 0) + 1
    pieces: list[tuple[int, int, str]] = []
    left = dict(changes)
    last_end = position
    separator = position
    kept = 0
    while text[position := _skip(text, position)] != "}":
        start = position
        key, position = _DECODER.raw_decode(text, position)
        value_start = _skip(text, _skip(text, position) + 1)
        _, last_end = _DECODER.raw_decode(text, value_start)
        position = _skip(text, last_end)
        if key in removed:
            # With the comma before it, or the one after it if nothing is kept before it.
            has_next = text[position] == ","
            if kept or not has_next:
                pieces.append((separator if kept else start, last_end, ""))
            else:
                pieces.append((start, _skip(text, position + 1), ""))
        else:
            kept += 1
            if key in left:
                pieces.append((value_start, last_end, dump(left.pop(key))))
        separator = position
        if text[position] == ",":
            position += 1
    if left:
        added = ", ".join(f"{dump(key)}: {dump(value)}" for key, value in left.items())
        pieces.append((last_end, last_end, (", " if kept else "") + added))
    result: list[str] = []
    done = 0
    for start, end, new in pieces:
        result += (text[done:start], new)
        done = end
    return "".join([*result, text[done:]])


def _skip(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match is not None else position
