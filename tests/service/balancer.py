"""A load balancer that knows nothing but TCP."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


class Balancer:
    """Gives each connection to the next server that takes it. Without a pace, answers come as fast as may be."""

    def __init__(self, addresses: Sequence[str], bytes_per_second: float | None) -> None:
        self._bytes_per_second = bytes_per_second
        self._targets = [(host, int(port)) for host, _, port in (each.rpartition(":") for each in addresses)]
        self._next = itertools.count()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.connections = [0] * len(self._targets)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._threads:
            each.join(10)

    def _start(self, target: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._start(self._connect, self._listener.accept()[0])

    def _connect(self, caller: socket.socket) -> None:
        with caller:
            for _ in self._targets:
                index = next(self._next) % len(self._targets)
                with contextlib.suppress(OSError), socket.create_connection(self._targets[index], timeout=2) as server:
                    server.settimeout(None)
                    self.connections[index] += 1
                    ways = (caller, server, None), (server, caller, self._bytes_per_second)
                    for thread in [self._start(self._copy, *way) for way in ways]:
                        thread.join()
                    return

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket, bytes_per_second: float | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
                if bytes_per_second is not None:
                    time.sleep(len(data) / bytes_per_second)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def balanced(addresses: Sequence[str], bytes_per_second: float | None = None) -> Iterator[Balancer]:
    """A load balancer between callers and servers."""
    balancer = Balancer(addresses, bytes_per_second)
    try:
        yield balancer
    finally:
        balancer.close()
