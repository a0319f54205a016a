"""Corpora and cases that are not part of the project: where they are, and why a test is skipped without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(os.environ.get("SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


def why_skipped(folder: str) -> str:
    """What is not there, and how to bring it in."""
    return f"{SHARED_DATA / folder} is not there (set SHARED_DATA to the folder above it)"


def shared_files(folder: str, pattern: str = "*") -> list[Path]:
    """The files of a folder in the order of their names; none where it is absent."""
    return sorted((SHARED_DATA / folder).glob(pattern))


def needs(folder: str) -> pytest.MarkDecorator:
    """Marks tests that read a folder of the shared data."""
    return pytest.mark.skipif(not (SHARED_DATA / folder).is_dir(), reason=why_skipped(folder))
