"""Check of the limit of open files."""

from __future__ import annotations

import contextlib
from typing import Final

from service.errors import ServerStartError

_OWN: Final = 48
"""Files of the server itself: its port, event loops, logs, and the files that it reads."""
_OF_A_WORKER: Final = 8
"""Pipes to a worker and to its replacement."""
_CONNECTIONS: Final = 16
"""The fewest connections with which a server is useful."""


def check_open_files(workers: int) -> None:
    """Raise this process's limit as far as needed and allowed, and check that it is enough; otherwise gRPC would abort.

    ``workers`` is the number of worker processes. Raises :class:`~service.errors.ServerStartError`.
    """
    try:
        import resource
    except ImportError:
        return
    needed = _OWN + _OF_A_WORKER * workers + _CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    if soft < needed:
        raise ServerStartError(
            f"{soft} files may be open, and the server needs {needed} for {workers} worker processes and a few "
            "connections: raise the limit (ulimit -n 65536, or LimitNOFILE= in systemd)"
        )
