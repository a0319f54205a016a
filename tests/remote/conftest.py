from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.command_line import serving


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server process with default limits."""
    with serving("--log-level", "error") as (_, address):
        yield address
