"""One request to a CoreNLP server, with timeout, deadline and cancellation."""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from merger.errors import BackendError, OptionError
from merger.progress import WorkContext

POLL_SECONDS = 0.2


class SilenceError(Exception):
    """The server did not answer in time."""


class ConnectionLostError(Exception):
    """No connection, or it ended before the answer was complete."""


class DeadlineError(BackendError):
    """The caller's deadline has passed."""


def heed(watch: WorkContext) -> None:
    """Raise what ``watch.check`` raises, or :class:`DeadlineError` if it does not know the deadline."""
    watch.check()
    if watch.remaining() == 0:
        raise DeadlineError("the deadline passed before CoreNLP answered")


class HttpResponse(NamedTuple):
    """An HTTP response."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server. ``password`` belongs to the user name :data:`USER`; empty for none."""

    secure: bool
    host: str
    port: int
    path: str = "/"
    user: str = ""
    password: str = ""

    def __str__(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.host}:{self.port}{self.path.rstrip('/')}"


def parse_url(url: str) -> Address:
    """The address in ``http://[user:password@]host[:port][/path]`` (or https; port 9000, or 443 for https).

    Raises :class:`~merger.errors.OptionError` for anything else.
    """
    try:
        parts: SplitResult = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        raise OptionError(f"option url: {url!r} is not a URL") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise OptionError(f"option url: {url!r} is not like http://host:9000")
    secure = parts.scheme == "https"
    return Address(
        secure,
        parts.hostname,
        port or (443 if secure else 9000),
        parts.path or "/",
        parts.username or "",
        parts.password or "",
    )


def post(
    address: Address,
    properties: Mapping[str, str],
    body: bytes,
    seconds: float,
    watch: WorkContext,
    alive: Callable[[], bool],
) -> HttpResponse:
    """Send a document and wait for the answer, at most ``seconds``.

    Raises :class:`SilenceError` when they have passed, :class:`ConnectionLostError` when there is no connection, when
    it ends or ``alive`` returns false, and what :func:`heed` raises.
    """
    call = _Call(address, properties, body)
    threading.Thread(target=call.run, daemon=True, name="corenlp-request").start()
    end = time.monotonic() + seconds
    try:
        while not call.done.wait(POLL_SECONDS):
            heed(watch)
            if not alive():
                # Data that was sent before the end can still arrive.
                call.done.wait(POLL_SECONDS)
                break
            if time.monotonic() > end:
                raise SilenceError
    finally:
        call.abort()
    if call.answer is None:
        raise ConnectionLostError(call.problem)
    return call.answer


def is_live(address: Address, seconds: float) -> bool:
    """Whether a server answers ``/live``, with any status, within about ``seconds``."""
    kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
    connection = kind(address.host, address.port, timeout=seconds)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/live", headers=_authorization(address))
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    else:
        return True
    finally:
        connection.close()


def _authorization(address: Address) -> dict[str, str]:
    if not (address.user or address.password):
        return {}
    secret = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
    return {"Authorization": f"Basic {secret}"}


class _Call:
    """The request's own thread blocks in it; :meth:`abort` from another one ends it."""

    def __init__(self, address: Address, properties: Mapping[str, str], body: bytes) -> None:
        kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
        self._connection = kind(address.host, address.port)
        self._path = f"{address.path}?{urlencode({'properties': json.dumps(dict(properties))}, quote_via=quote)}"
        self._body = body
        self._headers = {
            "Content-Type": "application/octet-stream",
            "Connection": "close",
            **_authorization(address),
        }
        self._aborted = False
        self.done = threading.Event()
        self.answer: HttpResponse | None = None
        self.problem = ""

    def run(self) -> None:
        try:
            self._connection.connect()
            if self._aborted:
                return
            self._connection.request("POST", self._path, self._body, self._headers)
            response = self._connection.getresponse()
            self.answer = HttpResponse(response.status, response.read())
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # ValueError and AttributeError are what http.client raises when abort() closes it underneath.
            self.problem = _reason(error)
        finally:
            self._connection.close()
            self.done.set()

    def abort(self) -> None:
        self._aborted = True
        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__


_JAVA_ERROR = re.compile(rb"(?:^|:\s)((?:[\w$]+\.)+([\w$]+(?:Exception|Error)))")


def java_error(body: bytes) -> str | None:
    """The last Java exception that an error response names. The rest of the response could quote the document."""
    found = _JAVA_ERROR.findall(body[:2000])
    return found[-1][1].decode() if found else None
