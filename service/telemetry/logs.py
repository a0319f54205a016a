"""Log lines, as text or as JSON: one for each call, and those of the server itself.

No line quotes a document: an exception is logged by its class and its place in the code, without its message.

The JSON formatter is our own. python-json-logger has no setting for the time with milliseconds and "Z", for levels in
lower case or for exceptions without their message, so each would be an override, and only ``json.dumps`` would go.
structlog would be a second way beside ``logging``, which gRPC and asyncio use.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Literal, TextIO

from service.errors import where
from service.telemetry.call_record import CallRecord
from service.work_counts import WorkCounts

Format = Literal["text", "json"]

CALLS: Final = "merge_baseline.calls"
"""The logger of the lines for calls."""

_SECONDS_DIGITS: Final = 6

_Trace = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def set_up(level: str, form: Format, stream: TextIO) -> None:
    """Send this process's log to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


class TextFormatter(logging.Formatter):
    """``time LEVEL logger message``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatException(self, ei: _Trace) -> str:  # noqa: N802  # logging's name
        """The exception's class and its place in the code, without its message."""
        return _without_text(ei)


class JsonFormatter(logging.Formatter):
    """One object per line: ``time`` (RFC 3339, UTC), ``level``, ``logger``, ``message``, and the fields of a call."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line: dict[str, object] = {
            "time": time,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = _without_text(record.exc_info)
        call = getattr(record, "call", None)
        if isinstance(call, CallRecord):
            line.update({"message": f"{call.method} {call.code}", **_fields(call)})
        return json.dumps(line, ensure_ascii=False)


class CallLog:
    """An observer that writes a line for each finished call.

    All of these lines have level INFO, also for failed calls: faults of the server itself have lines of their own.
    """

    def __init__(self) -> None:
        self._log = logging.getLogger(CALLS)

    def started(self, call: CallRecord) -> None:
        """Do nothing yet."""

    def merged(self, counts: WorkCounts) -> None:
        """Do nothing: the call's line has the counts."""

    def ended(self, call: CallRecord) -> None:
        """Write the line."""
        self._log.info("%s", _Line(call), extra={"call": call})


class _Line:
    """The message of a call's line, formatted only when it is written. JSON lines have fields instead."""

    def __init__(self, call: CallRecord) -> None:
        self._call = call

    def __str__(self) -> str:
        call = self._call
        parts = [f"{call.method} {call.code}"]
        named = {
            "strategy": call.strategy,
            "reason": call.reason,
            "seconds": f"{call.total_seconds:.3f}",
            "queue": f"{call.queue_seconds:.3f}",
            "work": f"{call.work_seconds:.3f}",
            "in": str(call.received_bytes),
            "out": str(call.sent_bytes),
            "documents": str(call.documents or ""),
            "failed": str(call.failed or ""),
            "request": call.request_id,
            "trace": call.trace_id,
        }
        parts.extend(f"{name}={value}" for name, value in named.items() if value)
        return " ".join(parts)


def _fields(call: CallRecord) -> dict[str, object]:
    return {
        name: round(value, _SECONDS_DIGITS) if isinstance(value, float) else value
        for name, value in asdict(call).items()
        if value not in {"", None}
    }


def _without_text(trace: _Trace | bool) -> str:  # noqa: FBT001  # the type that logging passes
    error = trace[1] if isinstance(trace, tuple) else None
    if error is None:
        return ""
    return f"{type(error).__qualname__} at {where(error)}"
