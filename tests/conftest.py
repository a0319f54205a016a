from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.kinds import KINDS, kinds_of, skip_if_missing
from tests.support.shared_data import SHARED_DATA, why_skipped

# Shared machines pause: limits of time would fail tests that are right.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Tables have the same width everywhere; pytest-xdist tells its processes that of the terminal.
os.environ.pop("COLUMNS", None)

# A shell that runs the tests in the background has them, and all programs that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    for kind, meaning in KINDS.items():
        config.addinivalue_line("markers", f"{kind}(why_not=None): {meaning}")


def pytest_itemcollected(item: pytest.Item) -> None:
    for kind in sorted(kinds_of(item)):
        item.add_marker(kind)
    if not any(map(item.get_closest_marker, KINDS)) and item.config.pluginmanager.hasplugin("rerunfailures"):
        # `--reruns` of .ci/run is for tests that wait for other processes.
        item.add_marker(pytest.mark.flaky(reruns=0))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    skip_if_missing(item)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the corpora; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(why_skipped(""))
    return SHARED_DATA
