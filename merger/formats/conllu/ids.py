"""Document ids as ``# newdoc id`` can carry them.

A comment is one line, whose value readers strip. Characters that would break the line or be lost are written as
``%`` and the hexadecimal digits of their UTF-8 bytes (as in URLs, RFC 3986), and so is a ``%`` that would look like
the beginning of such an escape: different ids stay different.
"""

from __future__ import annotations

import re

NO_ID = "document"
"""The name of a document without an id."""

_OFFENDING = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f]")
_LOOKS_ESCAPED = re.compile(
    r"%(?=(?:25)*(?:[01][0-9A-F]|7F|C2%[89A][0-9A-F]|E1%9A%80|E2%80%[8A][0-9A-F]|E2%81%9F|E3%80%80))"
)
_BLANK_ENDS = re.compile(r"\A(?: |%(?:25)*20)+|(?: |%(?:25)*20)+\Z")


def writable_id(name: str) -> str:
    """The id to write; the same one if the comment can carry it."""
    text = _LOOKS_ESCAPED.sub("%25", name)
    text = _BLANK_ENDS.sub(lambda run: run[0].replace("%", "%25").replace(" ", "%20"), text)
    return _OFFENDING.sub(_escape, text) or NO_ID


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
