from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import in_process
from tests.support.command_line import serving


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The address of a server that the command line started."""
    with serving("--log-level", "error") as (_, address):
        yield address


@pytest.fixture
def process_as_before() -> Iterator[None]:
    """For tests that call ``main``."""
    with in_process.process_as_before():
        yield
