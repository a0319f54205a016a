from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.shared_data import SHARED_DATA, why_skipped

# Shared machines pause: a time limit per example would fail tests that are right.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the corpora; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(why_skipped(""))
    return SHARED_DATA
