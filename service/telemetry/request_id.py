"""The ids of a call in logs: the caller's request id, or a new one, and the id of the call's trace."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Final, NamedTuple

REQUEST_ID: Final = "x-request-id"
"""Metadata key: callers can send it, and answers have it in their trailing metadata."""

_TRACEPARENT: Final = "traceparent"

# Printable and short, so that callers can neither forge log lines nor fill the log.
_USABLE: Final = re.compile(r"[!-~]{1,128}")

# https://www.w3.org/TR/trace-context/#traceparent-header-field-values: version, trace id, parent id, flags. Versions
# above 00 may have more fields; ff is invalid, and so is an id of zeros.
_TRACE: Final = re.compile(
    r"(?!ff|00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)


class CallIds(NamedTuple):
    """``trace_id`` is empty if the caller sent no valid one."""

    request_id: str
    trace_id: str


def call_ids_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> CallIds:
    """Read the ids from a call's metadata. A value that is malformed or sent twice is ignored."""
    values: dict[str, list[str | bytes]] = {REQUEST_ID: [], _TRACEPARENT: []}
    for key, value in metadata or ():
        if key in values:
            values[key].append(value)
    request_id = _matched(_USABLE, values[REQUEST_ID])
    trace = _matched(_TRACE, values[_TRACEPARENT])
    return CallIds(
        secrets.token_hex(8) if request_id is None else request_id[0],
        "" if trace is None else trace[1],
    )


def _matched(pattern: re.Pattern[str], values: list[str | bytes]) -> re.Match[str] | None:
    if len(values) != 1 or not isinstance(values[0], str):
        return None
    return pattern.fullmatch(values[0])
