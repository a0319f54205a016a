from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

import pytest

from tests.support.command_line import serving


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The address of a server that the command line started."""
    with serving("--log-level", "error") as (_, address):
        yield address


@pytest.fixture
def process_as_before() -> Iterator[None]:
    """For tests that call ``main``: a command sets up its process for itself alone; what it changed is put back."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    threshold = gc.get_threshold()
    yield
    gc.enable()
    gc.set_threshold(*threshold)
    for number, handler in handlers.items():
        signal.signal(number, handler)
