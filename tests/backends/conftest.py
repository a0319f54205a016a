from __future__ import annotations

from collections.abc import Iterator

import pytest

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.progress import WorkContext
from tests.support.corenlp_here import MEMORY


# Not longer than the tests here: as long as it runs, it holds its memory.
@pytest.fixture(scope="package")
def corenlp() -> Iterator[CoreNLPBackend]:
    """The deterministic system with its models loaded. Whoever asks for the same memory uses the same server."""
    with CoreNLPBackend({"memory": MEMORY}) as backend:
        backend.warm(WorkContext())
        yield backend
