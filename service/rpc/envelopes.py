"""The envelopes of a MergeDocuments stream, read and written without decoding the documents inside.

On the wire, a field of message type looks like a field of bytes. So the messages here are those of the service with
bytes in place of inner messages. Workers decode and encode the inner messages.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from protos.convert.errors import Violation, request_error
from protos.limits import Longest, shorten
from protos.merge_baseline import v1

_PACKAGE: Final = "merge_baseline.serving"
_SHOWN_BYTES: Final = 40
_NANOSECONDS: Final = 1e9


def _with_bytes(original: Any) -> Any:  # noqa: ANN401  # generated classes, which have no types in common
    """A message class like ``original``, with bytes for its fields of message type."""
    described = descriptor_pb2.DescriptorProto()
    original.DESCRIPTOR.CopyToProto(described)
    kind = descriptor_pb2.FieldDescriptorProto
    for each in described.field:
        if each.type == kind.TYPE_MESSAGE:
            each.type = kind.TYPE_BYTES
            each.ClearField("type_name")
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{_PACKAGE}.{described.name}", package=_PACKAGE, syntax="proto3", message_type=[described]
    )
    # Not the default pool: reflection lists that one to callers.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{described.name}"))


_Request: Final = _with_bytes(v1.MergeDocumentsRequest)
_Response: Final = _with_bytes(v1.MergeDocumentsResponse)


class DocumentRequest(NamedTuple):
    """A MergeDocumentsRequest: the caller's id, the encoded MergeDocumentRequest, and its timeout in seconds."""

    id: str
    request: bytes
    seconds: float | None


def unpack_request(data: bytes) -> DocumentRequest:
    """Decode the envelope. Raises InvalidRequestError for bytes that are no MergeDocumentsRequest."""
    try:
        envelope = _Request.FromString(data)
        timeout = Duration.FromString(envelope.timeout)
    except DecodeError:
        expected = f"an encoded {v1.MergeDocumentsRequest.DESCRIPTOR.full_name}"
        raise request_error([Violation("request", f"damaged; expected {expected}")]) from None
    # A timeout of 0 is encoded as no bytes, like an unset one.
    seconds = timeout.ToNanoseconds() / _NANOSECONDS if envelope.timeout else None
    return DocumentRequest(envelope.id, envelope.request, seconds)


def check_id(name: str, in_progress: Collection[str]) -> None:
    """Raises InvalidRequestError for an id that is too long, or that is not empty and in use by another document."""
    if len(name) > Longest.TEXT:
        shown = f"{shorten(name, _SHOWN_BYTES)!r}, {len(name)} characters"
        raise request_error([Violation("id", f"{shown}; expected at most {Longest.TEXT}")])
    if name and name in in_progress:
        shown = repr(shorten(name, _SHOWN_BYTES))
        raise request_error([Violation("id", f"{shown} is the id of another document of this stream in work")])


def pack_response(name: str, response: bytes) -> bytes:
    """Encode a MergeDocumentsResponse around an encoded MergeDocumentResponse."""
    data: bytes = _Response(id=name, response=response).SerializeToString()
    return data


def pack_error(name: str, status: bytes) -> bytes:
    """Encode a MergeDocumentsResponse around an encoded google.rpc.Status."""
    data: bytes = _Response(id=name, error=status).SerializeToString()
    return data
