"""Messages between the server and a worker process: frames with a header of fixed size and a body of bytes.

Requests travel as the caller sent them. A header has the kind of the frame, the number of the task, the number of the
stream (0: none), a time in seconds, and the length of the body. The time of a task is the time left until its deadline,
below 0 without one; the time of a result is how long the work took.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final, NamedTuple

_HEADER: Final = struct.Struct("<BQQdI")
HEADER_BYTES: Final = _HEADER.size


class Kind(IntEnum):
    """Kinds of frames."""

    # To a worker.
    DOCUMENT = 1
    """Merge a document; the body is a MergeDocumentRequest."""
    TAKE = 2
    """The next message of a stream; the body is a MergeStreamRequest."""
    FINISH = 3
    """No more messages of a stream."""
    DROP = 4
    """Forget a stream."""
    CANCEL = 5
    """Cancel a task."""

    # From a worker.
    READY = 10
    """The worker takes tasks."""
    PROGRESS = 11
    """Progress of a task; the body is a MergeStreamResponse."""
    ANSWER = 12
    """One message of the answer; more may follow."""
    DONE = 13
    """Done, after all messages of the answer. The body is a packed WorkCounts."""
    REFUSED = 14
    """The request can't be served; the body is a google.rpc.Status."""
    CRASHED = 15
    """A bug; the body is the exception's class, a line feed, and the place in the code."""
    ENDED = 16
    """Ended early, because the task was cancelled or its deadline passed."""
    LOST = 17
    """The worker has died. No worker sends this: the server uses it in place of a result."""


class Frame(NamedTuple):
    """A decoded header."""

    kind: Kind
    task: int
    stream: int
    seconds: float
    length: int


class Result(NamedTuple):
    """The result of a task. ``answers`` are the messages of the answer; the work took ``seconds``."""

    kind: Kind
    body: bytes = b""
    seconds: float = 0.0
    answers: tuple[bytes, ...] = ()


LOST: Final = Result(Kind.LOST)


def pack_header(kind: Kind, task: int = 0, stream: int = 0, seconds: float = 0.0, length: int = 0) -> bytes:
    """Encode a header."""
    return _HEADER.pack(kind, task, stream, seconds, length)


def unpack_header(data: bytes) -> Frame:
    """Decode a header."""
    kind, task, stream, seconds, length = _HEADER.unpack(data)
    return Frame(Kind(kind), task, stream, seconds, length)
