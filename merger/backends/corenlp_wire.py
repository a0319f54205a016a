"""The protobuf wire format, as far as CoreNLP's documents need it.

CoreNLP speaks protobuf, but a document needs a dozen of its fields, and an answer is mostly parse trees that nobody
reads. Writing and skipping fields by hand keeps a schema, generated code and the packages that carry them out of a
library that otherwise needs none of them. Format: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT_BYTES = 10
_GOES_ON = 0x80
"""The bit of a byte that says that the number has another one."""


class WireError(ValueError):
    """The bytes are no protobuf message: cut off, or something else altogether."""


def varint(value: int) -> bytes:
    """A non-negative number, seven bits a byte, the lowest first."""
    out = bytearray()
    while value >= _GOES_ON:
        out.append(value & 0x7F | _GOES_ON)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(field: int, value: int) -> bytes:
    """A non-negative number as field ``field``."""
    return varint(field << 3 | _VARINT) + varint(value)


def bytes_field(field: int, value: bytes) -> bytes:
    """A message or bytes as field ``field``."""
    return varint(field << 3 | _BYTES) + varint(len(value)) + value


def text_field(field: int, value: str) -> bytes:
    """A text as field ``field``; it must hold no lone surrogates."""
    return bytes_field(field, value.encode())


def delimited(message: bytes) -> bytes:
    """The message with its size before it, as Java's ``writeDelimitedTo`` writes it."""
    return varint(len(message)) + message


def read_varint(data: memoryview, start: int) -> tuple[int, int]:
    """The number at ``start``, and where the next thing begins."""
    value = 0
    for count in range(_MAX_VARINT_BYTES):
        if start + count >= len(data):
            break
        byte = data[start + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < _GOES_ON:
            return value, start + count + 1
    raise WireError("a number is cut off or too long")


def undelimited(data: bytes) -> memoryview:
    """The one message after its size; raises :class:`WireError` if the bytes are fewer or more."""
    view = memoryview(data)
    size, start = read_varint(view, 0)
    if len(view) - start != size:
        raise WireError(f"{len(view) - start} bytes instead of {size}")
    return view[start:]


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field numbers with their values in the order of the message: numbers, or bytes for everything else."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        field, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = read_varint(message, at)
            yield field, value
            continue
        if kind == _BYTES:
            size, at = read_varint(message, at)
        elif kind in _FIXED_SIZES:
            size = _FIXED_SIZES[kind]
        else:
            raise WireError(f"unknown kind of field: {kind}")
        if at + size > len(message):
            raise WireError("a field is cut off")
        yield field, message[at : at + size]
        at += size


def text_of(value: int | memoryview) -> str:
    """A field's value as text."""
    if isinstance(value, int):
        raise WireError("a number where a text should be")
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise WireError("a text is not UTF-8") from None


def number_of(value: int | memoryview) -> int:
    """A field's value as number."""
    if not isinstance(value, int):
        raise WireError("bytes where a number should be")
    return value


def message_of(value: int | memoryview) -> memoryview:
    """A field's value as message."""
    if isinstance(value, int):
        raise WireError("a number where a message should be")
    return value
