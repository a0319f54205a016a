"""CoreNLP servers: started on first use, replaced when they fail."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from merger.backends.corenlp.http import (
    POLL_SECONDS,
    Address,
    ConnectionLostError,
    DeadlineError,
    HttpResponse,
    SilenceError,
    heed,
    is_live,
    java_error,
    parse_url,
    post,
)
from merger.backends.corenlp.install import find_installation
from merger.backends.corenlp.messages import Annotation, InvalidAnnotationError, decode_annotation, encode_document
from merger.backends.corenlp.process import JvmProcess, JvmSettings
from merger.backends.corenlp.sentences import SentencePlace, SentSentence
from merger.backends.health import Health, HealthState
from merger.errors import BackendError, Location, UnavailableError
from merger.progress import WorkContext

START_SECONDS = 1200.0
"""Seconds for a server to load its models. It takes half a minute on an idle machine."""
GRACE_SECONDS = 5.0
"""Seconds after a request's deadline in which the server can still report the timeout itself."""
RETRY_SECONDS = 0.2
CHECK_SECONDS = 2.0
IDLE_SHARE = 0.05
"""A silent server that uses or waits for the processor for less than this share of the time counts as hung."""
_SLOW_HINT = "give it longer (option timeout) or smaller windows (max-tokens)"
_THREADS = max(1, min(4, os.cpu_count() or 1))

_OK, _BAD_REQUEST, _UNAUTHORIZED = 200, 400, 401

_SERIALIZED = {
    "inputFormat": "serialized",
    "outputFormat": "serialized",
    # The document already has tokens, sentences and sometimes tags: their annotators must not run.
    "enforceRequirements": "false",
}

_SAMPLE = tuple(
    SentSentence(SentencePlace(0, index), words, tuple(range(len(words))), tags, None)
    for index, (words, tags) in enumerate(
        (
            (("Ann", "has", "a", "cat", "."), ("NNP", "VBZ", "DT", "NN", ".")),
            (("She", "likes", "it", "."), ("PRP", "VBZ", "PRP", ".")),
        )
    )
)
"""A document that tests whether a server can handle some properties: ``/ready`` only shows that it listens."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The server to use: a running one (``url``), or one to start with this ``home``, ``memory`` and ``port``."""

    url: str
    home: str
    memory: str
    port: int


@dataclass(frozen=True, slots=True)
class Job:
    """A request to a server. ``location`` names the document in errors."""

    properties: Mapping[str, str]
    sentences: tuple[SentSentence, ...]
    location: Location


class _KilledError(BackendError):
    """A server that this process started was killed during a request."""


@dataclass(slots=True, eq=False)
class _Peer:
    """One run of a server. ``ready`` has the properties that it has already handled."""

    address: Address
    process: JvmProcess | None
    users: int = 0
    retired: bool = False
    ready: set[frozenset[tuple[str, str]]] = field(default_factory=set)
    loading: threading.Lock = field(default_factory=threading.Lock)

    def alive(self) -> bool:
        return self.process is None or self.process.alive()

    def stop(self, why: str = "was stopped") -> None:
        if self.process is not None:
            self.process.stop(why)

    def health(self, seconds: float) -> Health:
        if self.process is None:
            live = is_live(self.address, seconds)
            return (
                Health(HealthState.WELL) if live else Health(HealthState.GONE, f"at {self.address} cannot be reached")
            )
        before = self.process.wanted_seconds()
        if self.process.alive() and not self.ready:
            return Health(HealthState.STARTING)
        if self.process.alive() and is_live(self.address, seconds):
            return Health(HealthState.WELL)
        if not self.process.alive():
            return Health(HealthState.GONE, self.process.why_it_ended())
        after = self.process.wanted_seconds()
        idle = before is not None and after is not None and after - before < IDLE_SHARE * seconds
        return Health(HealthState.HUNG if idle else HealthState.SLOW, "does not answer")

    def failure(self, message: str, location: Location) -> BackendError:
        """The error of a document whose server is lost."""
        was_killed = self.process is not None and self.process.was_killed
        return (_KilledError if was_killed else BackendError)(message, location)

    def lost(self, reason: str) -> str:
        """Why there was no answer, after "CoreNLP"."""
        if self.process is not None:
            # The connection is closed a moment before the process is gone.
            end = time.monotonic() + 1
            while self.process.alive() and time.monotonic() < end:
                time.sleep(0.02)
            if not self.process.alive():
                return self.process.why_it_ended()
        return f"at {self.address} cannot be reached: {reason}"


class CoreNLPServer:
    """One server for several threads. A failed request does not affect others in progress.

    A server that does not answer in time, or whose request was given up, is retired: it gets no more requests, stops
    when the last one is done, and the next request starts a new server. (CoreNLP does not abandon a request when its
    client has gone.)
    """

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._changed = threading.Condition()
        self._mending = threading.Lock()
        self._peer: _Peer | None = None
        self._lost = ""

    def prepare(self, properties: Mapping[str, str], watch: WorkContext) -> None:
        """Start the server if it does not run, and have it load the models for these properties.

        Raises :class:`~merger.errors.UnavailableError` if it cannot.
        """
        with self._lease(watch) as peer:
            self._load(peer, properties, watch)

    def annotate(self, job: Job, seconds: float, watch: WorkContext) -> Annotation:
        """The answer to a document; ``seconds`` count from when the server can start it.

        If the server is killed under the document, the document is retried once on a new one.

        Raises :class:`~merger.errors.UnavailableError` if the server cannot be started or reached,
        :class:`~merger.errors.BackendError` if it fails on the document, and what ``watch.check`` raises.
        """
        with suppress(_KilledError):
            return self._annotate(job, seconds, watch)
        try:
            return self._annotate(job, seconds, watch)
        except _KilledError as error:
            raise BackendError(error.message, error.location) from None

    def _annotate(self, job: Job, seconds: float, watch: WorkContext) -> Annotation:
        with self._lease(watch) as peer:
            try:
                self._load(peer, job.properties, watch)
            except UnavailableError as error:
                # A server that worked before and is lost now will be replaced, so this is not final.
                if peer.ready and peer.retired:
                    raise peer.failure(str(error), job.location) from None
                raise
            return _annotate(peer, job, seconds, watch)

    def check(self, seconds: float) -> Health:
        """The server's health. It has ``seconds`` to answer."""
        peer = self._peer
        if peer is None and self._config.url:
            peer = self._connect()
        if peer is None:
            return Health(HealthState.GONE, self._lost) if self._lost else Health(HealthState.IDLE)
        return peer.health(seconds)

    def end_unless_well(self) -> None:
        """Stop the server if it does not answer; requests in progress fail. A later request starts a new server."""
        # If several threads find it broken, only the first stops it: the others would stop its replacement.
        with self._mending:
            health = self.check(CHECK_SECONDS)
            if health.state in {HealthState.GONE, HealthState.HUNG, HealthState.SLOW}:
                self.stop(f"{health.reason} and was ended")

    def stop(self, why: str = "was stopped") -> None:
        """Stop the server and all requests in progress; safe to call again. A later request starts a new one."""
        with self._changed:
            peer, self._peer = self._peer, None
            self._lost = ""
            if peer is not None:
                peer.retired = True
                peer.stop(why)
            self._changed.notify_all()

    @contextmanager
    def _lease(self, watch: WorkContext) -> Iterator[_Peer]:
        peer = self._enter(watch)
        try:
            yield peer
        finally:
            with self._changed:
                peer.users -= 1
                if self._peer is peer and peer.users == 0 and (peer.retired or not peer.alive()):
                    self._drop(peer)
                self._changed.notify_all()

    def _enter(self, watch: WorkContext) -> _Peer:
        while True:
            heed(watch)
            with self._changed:
                peer = self._peer
                if peer is None or (peer.users == 0 and (peer.retired or not peer.alive())):
                    if peer is not None:
                        self._drop(peer)
                    peer = self._peer = self._connect()
                    self._lost = ""
                if not peer.retired and peer.alive() and peer.users < _THREADS:
                    peer.users += 1
                    return peer
                self._changed.wait(POLL_SECONDS)

    def _drop(self, peer: _Peer) -> None:
        self._peer = None
        if peer.process is not None and not peer.alive():
            self._lost = peer.process.why_it_ended()
        peer.stop()

    def _connect(self) -> _Peer:
        if self._config.url:
            return _Peer(parse_url(self._config.url), None)
        home = find_installation(self._config.home).home
        process = JvmProcess(JvmSettings(home, self._config.memory, self._config.port, _THREADS))
        return _Peer(process.address, process)

    def _load(self, peer: _Peer, properties: Mapping[str, str], watch: WorkContext) -> None:
        key = frozenset(properties.items())
        while not peer.loading.acquire(timeout=POLL_SECONDS):
            heed(watch)
        try:
            if key not in peer.ready:
                _try_out(peer, properties, watch)
                peer.ready.add(key)
        finally:
            peer.loading.release()


def _annotate(peer: _Peer, job: Job, seconds: float, watch: WorkContext) -> Annotation:
    body = encode_document(job.sentences)
    remaining = watch.remaining()
    limit = seconds if remaining is None else min(seconds, remaining)
    if limit <= 0:
        raise BackendError("CoreNLP has no time left for this document", job.location, hint=_SLOW_HINT)
    try:
        return _read(_ask(peer, job.properties, body, limit, watch), job)
    except SilenceError:
        peer.retired = True
        raise BackendError(
            f"CoreNLP did not answer within {round(limit, 1):g} s", job.location, hint=_SLOW_HINT
        ) from None
    except DeadlineError as error:
        peer.retired = True
        raise DeadlineError(error.message, job.location) from None
    except (BackendError, UnavailableError):
        raise
    except ConnectionLostError as error:
        peer.retired = True
        raise peer.failure(f"CoreNLP {peer.lost(str(error))}", job.location) from None
    except BaseException:
        # The caller gives up; the server does not know.
        peer.retired = True
        raise


def _ask(peer: _Peer, properties: Mapping[str, str], body: bytes, seconds: float, watch: WorkContext) -> HttpResponse:
    limit = {"timeout": str(max(1, int(seconds * 1000)))}
    return post(peer.address, {**_SERIALIZED, **properties, **limit}, body, seconds + GRACE_SECONDS, watch, peer.alive)


def _try_out(peer: _Peer, properties: Mapping[str, str], watch: WorkContext) -> None:
    end = time.monotonic() + START_SECONDS
    body = encode_document(_SAMPLE)
    while True:
        heed(watch)
        try:
            _read(_ask(peer, properties, body, START_SECONDS, watch), Job(properties, _SAMPLE, Location()))
        except SilenceError:
            peer.retired = True
            raise UnavailableError(f"CoreNLP did not load its models within {START_SECONDS:g} s") from None
        except DeadlineError:
            raise
        except BackendError as error:
            raise UnavailableError(str(error)) from None
        except ConnectionLostError as error:
            # A server that this process starts begins to listen some time later.
            if peer.process is None or not peer.alive() or time.monotonic() > end:
                peer.retired = True
                raise UnavailableError(f"CoreNLP {peer.lost(str(error))}") from None
        else:
            return
        time.sleep(RETRY_SECONDS)


def _read(answer: HttpResponse, job: Job) -> Annotation:
    """Raises :class:`SilenceError` if the server itself has run out of time."""
    if answer.status == _OK:
        try:
            return decode_annotation(answer.body, job.sentences)
        except InvalidAnnotationError as error:
            raise BackendError(f"CoreNLP gave a bad answer: {error}", job.location) from None
    if b"request timed out" in answer.body:
        raise SilenceError
    if answer.status == _UNAUTHORIZED:
        raise UnavailableError("CoreNLP rejects the user name or password in its url")
    if answer.status == _BAD_REQUEST and b"too long" in answer.body:
        raise BackendError(
            "CoreNLP does not accept documents of this length",
            job.location,
            hint="start that server with -maxCharLength 0, or lower max-tokens",
        )
    if b"as class path, filename or URL" in answer.body:
        raise UnavailableError("CoreNLP lacks the models for this algorithm or parser")
    # The body may quote the document.
    error_name = java_error(answer.body)
    named = f" ({error_name})" if error_name else ""
    raise BackendError(f"CoreNLP failed with HTTP status {answer.status}{named}", job.location)
