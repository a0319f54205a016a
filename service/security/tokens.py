"""Bearer tokens, checked against a file of their hashes.

A line is ``NAME SHA256``, with the hash in hexadecimal digits; a comment line starts with ``#``. A name can have
several tokens, for example while one replaces another; they share the name's limits. The file holds hashes only, so
reading it gives no access. Tokens must be random, like those of ``merge-baseline token``: SHA-256 is too fast to
protect a password against guessing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from merger.errors import OptionError
from service.errors import ServerStartError
from service.security.file_reload import FileReload, read_text, warn_of_others

_PREFIX: Final = "mb_"
"""Helps scanners for leaked secrets to find tokens."""
_BYTES: Final = 32
_NAME: Final = re.compile(r"[\w.@-]{1,100}")
_NAMES: Final = "a name of a token is 1 to 100 letters, digits and any of . _ - @"
_HASH: Final = re.compile(r"[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    digest: bytes


class Tokens:
    """The tokens of a file, read again when it changes."""

    def __init__(self, path: str) -> None:
        """Raises :class:`~service.errors.ServerStartError` for a file that cannot be read or is malformed."""
        self._entries = FileReload("tokens", [path], lambda: _load(path))

    def name_of(self, authorization: Sequence[str | bytes]) -> str | None:
        """The name of the token in a call's ``authorization`` headers; ``None`` without a valid token.

        Takes the same time for a wrong token as for a right one.
        """
        if len(authorization) != 1 or isinstance(authorization[0], bytes):
            return None
        scheme, _, token = authorization[0].partition(" ")
        if scheme.lower() != "bearer":
            return None
        digest = hashlib.sha256(token.strip().encode()).digest()
        found: str | None = None
        for entry in self._entries.get():
            if hmac.compare_digest(digest, entry.digest):
                found = entry.name
        return found


def new_token(name: str) -> tuple[str, str]:
    """A new token and its line for the file.

    Raises :class:`~merger.errors.OptionError` for a name that the file can't have.
    """
    if not _NAME.fullmatch(name):
        raise OptionError(f"token {name!r}: {_NAMES}")
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    return token, f"{name} {hashlib.sha256(token.encode()).hexdigest()}"


def _load(path: str) -> tuple[_Entry, ...]:
    entries: list[_Entry] = []
    lines: dict[bytes, int] = {}
    for number, line in enumerate(read_text(path, "token file").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        place = f"token file {path}:{number}"
        # The word can be a token, so no message repeats it.
        if len(words) != 2 or not _HASH.fullmatch(words[1]):  # noqa: PLR2004  # a name and a hash
            raise ServerStartError(f"{place}: expected a name and the SHA-256 of a token in 64 hexadecimal digits")
        if not _NAME.fullmatch(words[0]):
            raise ServerStartError(f"{place}: {_NAMES}")
        digest = bytes.fromhex(words[1])
        if digest in lines:
            raise ServerStartError(f"{place}: the same token as in line {lines[digest]}; expected each once")
        lines[digest] = number
        entries.append(_Entry(words[0], digest))
    if not entries:
        raise ServerStartError(f"token file {path}: no token in it, so nobody could call")
    warn_of_others(path, "token file", stat.S_IWOTH, "change")
    return tuple(entries)
