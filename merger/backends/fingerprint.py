"""Names files in signatures: a file is identified by its name and the first digits of its SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

_DIGITS = 8


def fingerprint(path: str) -> str:
    """``name#0123abcd``; the name alone if the file cannot be read (a directory, standard input, a missing file)."""
    file = Path(path)
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return file.name
    return f"{file.name}#{digest[:_DIGITS]}"
