"""What is around the documents of a MergeDocuments stream, read and written without decoding the documents.

A field of message type and one of bytes look the same on the wire. So the messages here have bytes where those of the
service have messages, and are otherwise the same; workers decode and encode what is in them.
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
    """A message class as ``original``, with bytes for its fields of message type."""
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
    # A pool of its own: reflection shows the usual one.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{described.name}"))


_Request: Final = _with_bytes(v1.MergeDocumentsRequest)
_Response: Final = _with_bytes(v1.MergeDocumentsResponse)


class Opened(NamedTuple):
    """A MergeDocumentsRequest: the caller's id, the MergeDocumentRequest, and the seconds that it may take."""

    id: str
    request: bytes
    seconds: float | None


def opened(data: bytes) -> Opened:
    """Take a MergeDocumentsRequest apart. Raises InvalidRequestError for what is none."""
    try:
        envelope = _Request.FromString(data)
        timeout = Duration.FromString(envelope.timeout)
    except DecodeError:
        expected = f"an encoded {v1.MergeDocumentsRequest.DESCRIPTOR.full_name}"
        raise request_error([Violation("request", f"damaged; expected {expected}")]) from None
    # Among bytes a time of 0 can't be told from none.
    seconds = timeout.ToNanoseconds() / _NANOSECONDS if envelope.timeout else None
    return Opened(envelope.id, envelope.request, seconds)


def check_id(name: str, in_work: Collection[str]) -> None:
    """Raises InvalidRequestError for a long id, and for one, not empty, that another document in work has."""
    if len(name) > Longest.TEXT:
        shown = f"{shorten(name, _SHOWN_BYTES)!r}, {len(name)} characters"
        raise request_error([Violation("id", f"{shown}; expected at most {Longest.TEXT}")])
    if name and name in in_work:
        shown = repr(shorten(name, _SHOWN_BYTES))
        raise request_error([Violation("id", f"{shown} is the id of another document of this stream in work")])


def answered(name: str, response: bytes) -> bytes:
    """The MergeDocumentsResponse with a MergeDocumentResponse."""
    data: bytes = _Response(id=name, response=response).SerializeToString()
    return data


def failed(name: str, status: bytes) -> bytes:
    """The MergeDocumentsResponse with a google.rpc.Status."""
    data: bytes = _Response(id=name, error=status).SerializeToString()
    return data
