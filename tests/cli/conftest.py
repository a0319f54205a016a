from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.running import serving


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The address of a server that the command line started."""
    with serving("--log-level", "error") as (_, address):
        yield address
