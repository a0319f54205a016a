"""The name of the strategy in a message, read without decoding the rest of the message.

Only the outermost fields are scanned (protobuf encoding: a varint key of field number and wire type, then the value). A
message that is damaged, or built to take long, gives no known strategy; the worker that decodes it reports the error.
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
    """The strategy's name in a MergeDocumentRequest, ``""`` if there is none or the message is damaged."""
    return _name(list(_occurrences(memoryview(request), _DOCUMENT_STRATEGY)))


def strategy_of_stream(request: bytes) -> str:
    """The strategy's name in the setup of a MergeStreamRequest, ``""`` if there is none or the message is damaged."""
    # Protobuf merges occurrences of a field of message type; joining their bytes has the same effect.
    setup = b"".join(_occurrences(memoryview(request), _SETUP))
    return _name(list(_occurrences(memoryview(setup), _SETUP_STRATEGY)))


def _name(specs: list[memoryview]) -> str:
    try:
        return v1.StrategySpec.FromString(b"".join(specs)).name
    except DecodeError:
        return ""


def _occurrences(data: memoryview, field: int) -> Iterator[memoryview]:
    """The bytes of every occurrence of a length-delimited field; ends where the message is damaged."""
    offset = 0
    for _ in range(_MOST_FIELDS):
        if offset >= len(data):
            return
        key, offset = _varint(data, offset)
        kind = key & 7
        length = {_FIXED64: 8, _FIXED32: 4}.get(kind, 0)
        if kind == _VARINT:
            _, offset = _varint(data, offset)
        elif kind == _BYTES:
            length, offset = _varint(data, offset)
            if key >> 3 == field:
                yield data[offset : offset + length]
        elif not length:
            return
        offset += length


def _varint(data: memoryview, offset: int) -> tuple[int, int]:
    """The number at this offset, and the offset after it. A damaged number gives 0 and the end of the data."""
    value = 0
    for shift in range(0, 70, 7):
        if offset >= len(data):
            break
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  # the continuation bit
            return value, offset
    return 0, len(data)
