"""Which strategy a message asks for, without decoding it: the rest of it is for a worker to look at.

Read are the outermost fields and, of these, only where the next one begins (protobuf encoding: a varint key of field
number and wire type, then the value). Whatever is damaged, or is built to take long, asks for no strategy that is
known; the worker that decodes it says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from google.protobuf.message import DecodeError

from protos.merge_baseline import v1

_DOCUMENT_STRATEGY: Final = v1.MergeDocumentRequest.STRATEGY_FIELD_NUMBER
_SETUP: Final = v1.MergeStreamRequest.SETUP_FIELD_NUMBER
_SETUP_STRATEGY: Final = v1.MergeStreamSetup.STRATEGY_FIELD_NUMBER

_MOST_FIELDS: Final = 64
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def strategy_of_document(request: bytes) -> str:
    """The strategy's name in a MergeDocumentRequest, ``""`` if it can't be told."""
    return _name(list(_occurrences(memoryview(request), _DOCUMENT_STRATEGY)))


def strategy_of_stream(request: bytes) -> str:
    """The strategy's name in the setup of a MergeStreamRequest, ``""`` if it can't be told."""
    # Occurrences of a field of message type are merged, which is what putting their bytes together does.
    setup = b"".join(_occurrences(memoryview(request), _SETUP))
    return _name(list(_occurrences(memoryview(setup), _SETUP_STRATEGY)))


def _name(specs: list[memoryview]) -> str:
    try:
        return v1.StrategySpec.FromString(b"".join(specs)).name
    except DecodeError:
        return ""


def _occurrences(data: memoryview, wanted: int) -> Iterator[memoryview]:
    """The bytes of every occurrence of a length-delimited field, up to where the message is damaged."""
    place = 0
    for _ in range(_MOST_FIELDS):
        if place >= len(data):
            return
        key, place = _varint(data, place)
        kind = key & 7
        length = {_FIXED64: 8, _FIXED32: 4}.get(kind, 0)
        if kind == _VARINT:
            _, place = _varint(data, place)
        elif kind == _BYTES:
            length, place = _varint(data, place)
            if key >> 3 == wanted:
                yield data[place : place + length]
        elif not length:
            return
        place += length


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """The number at this place, and the place behind it; behind the end for a damaged one."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  # the bit that says that more follow
            return value, place
    return 0, len(data)
