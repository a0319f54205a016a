"""The CoreNLP servers that backends and taggers of this process share: stopped with their last user."""

from __future__ import annotations

import atexit
import os
import threading

from merger.backends.corenlp.server import CoreNLPServer, ServerConfig


class _Shared:
    """The servers in use, with the number of their users."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[ServerConfig, tuple[CoreNLPServer, int]] = {}
        self._process = os.getpid()

    def open(self, config: ServerConfig) -> CoreNLPServer:
        with self._lock:
            server, users = self._open.get(config) or (CoreNLPServer(config), 0)
            self._open[config] = server, users + 1
            return server

    def close(self, config: ServerConfig) -> None:
        with self._lock:
            server, users = self._open[config]
            if users > 1:
                self._open[config] = server, users - 1
                return
            del self._open[config]
        server.stop()

    def close_all(self) -> None:
        # A forked child has copies of the servers, which are not its own.
        if os.getpid() == self._process:
            for server, _ in self._open.values():
                server.stop()


_shared = _Shared()
atexit.register(_shared.close_all)


class ServerHandle:
    """A user's share in a server: opened on first use, stopped with its last user."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self._lock = threading.Lock()
        self._server: CoreNLPServer | None = None

    def get(self) -> CoreNLPServer:
        """The server."""
        with self._lock:
            if self._server is None:
                self._server = _shared.open(self.config)
            return self._server

    def close(self) -> None:
        """Give up the share; safe to call again."""
        with self._lock:
            if self._server is not None:
                self._server = None
                _shared.close(self.config)
