"""The Java process of a CoreNLP server: started, observed and ended."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from merger.backends.corenlp.http import Address
from merger.backends.corenlp.models import INSTALL_COMMAND
from merger.errors import UnavailableError

_MAIN = "edu.stanford.nlp.pipeline.StanfordCoreNLPServer"
_USER = "merge-baseline"
_OUT_OF_MEMORY_EXIT = 3
"""Exit code of a JVM with ``-XX:+ExitOnOutOfMemoryError``."""

# Reads a line and exits. If its input ends instead, because the process at the other end is gone for any reason, it
# stops the JVM, which would otherwise run for ever, and removes its folder.
_GUARD = 'read -r done || { kill -KILL "-$1"; rm -rf -- "$2"; }'

# The facts to look for in the JVM's output. All other output is discarded, because it could quote documents.
_FACTS = (
    ("memory", re.compile(r"OutOfMemoryError|insufficient memory|Cannot allocate memory")),
    ("heap", re.compile(r"Could not reserve enough space|Invalid (?:maximum|initial) heap size|Too small")),
    ("port", re.compile(r"BindException|Address already in use")),
    ("class", re.compile(r"Could not find or load main class|NoClassDefFoundError|ClassNotFoundException")),
    ("version", re.compile(r"UnsupportedClassVersionError")),
)
_JAVA_ERROR = re.compile(r"\b(?:[\w$]+\.)+([\w$]+(?:Exception|Error))\b")


def find_java() -> str:
    """The ``java`` of ``JAVA_HOME``, else of the ``PATH``; :class:`~merger.errors.UnavailableError` if none."""
    home = os.environ.get("JAVA_HOME")
    if home and os.access(path := Path(home, "bin", "java"), os.X_OK):
        return str(path)
    found = shutil.which("java")
    if found is None:
        raise UnavailableError("CoreNLP needs Java (8 or newer), and there is no java in JAVA_HOME or on the PATH")
    return found


def java_version(java: str) -> str:
    """The first line of ``java -version``; :class:`~merger.errors.UnavailableError` if it cannot be run."""
    try:
        result = subprocess.run(  # noqa: S603  # the operator's Java
            [java, "-version"], capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise UnavailableError(f"{java} cannot be run") from None
    return next((line for line in result.stderr.splitlines() if " version " in line), "")


@dataclass(frozen=True, slots=True)
class JvmSettings:
    """How to start a server. ``memory`` has the form of ``-Xmx``; ``port`` 0 means any free port."""

    home: Path
    memory: str
    port: int
    threads: int


class JvmProcess:
    """A running server. It listens on all interfaces (CoreNLP offers no other way), hence the password."""

    def __init__(self, settings: JvmSettings) -> None:
        """Start the process; the server is not ready yet. Raises :class:`~merger.errors.UnavailableError`."""
        java = find_java()
        port = _free_port(settings.port)
        self.settings = settings
        self.started = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="merge-baseline-corenlp-")
        self._facts: set[str] = set()
        self._errors: list[str] = []
        self._ended_by_us = ""
        password = secrets.token_urlsafe(24)
        self.address = Address(False, "127.0.0.1", port, user=_USER, password=password)
        options = Path(self._folder.name, "server.properties")
        options.write_text(f"username = {_USER}\npassword = {password}\n", encoding="ascii")
        command = [
            java,
            f"-Xmx{settings.memory}",
            # A server that has lost a thread to an OutOfMemoryError leaves its request without an answer.
            "-XX:+ExitOnOutOfMemoryError",
            f"-Djava.io.tmpdir={self._folder.name}",
            "-cp",
            str(settings.home / "*"),
            _MAIN,
            *("-port", str(port), "-quiet", "true", "-maxCharLength", "0", "-threads", str(settings.threads)),
            # No server-wide limit: each request brings its own.
            *("-timeout", "2000000000", "-props", str(options)),
        ]
        try:
            # Its own session, so that an interrupt at the terminal reaches Python alone, which then ends it.
            self._process = subprocess.Popen(  # noqa: S603  # the operator's Java with our arguments, no shell
                command,
                cwd=self._folder.name,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self._folder.cleanup()
            raise UnavailableError(f"{java} cannot be run: {error.strerror}") from None
        self._guard = _start_guard(self._process.pid, self._folder.name)
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    @property
    def was_killed(self) -> bool:
        """Whether another process ended it by a signal; the system does so when memory runs out."""
        code = self._process.poll()
        return code is not None and code < 0 and not self._ended_by_us

    def cpu_seconds(self) -> float | None:
        """Processor time used so far, in seconds; ``None`` if the system does not report it."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        except OSError:
            return None
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def wanted_seconds(self) -> float | None:
        """As :meth:`cpu_seconds`, plus the time in which its threads waited for a busy processor."""
        used = self.cpu_seconds()
        return None if used is None else used + sum(map(_waited_seconds, Path(f"/proc/{self.pid}/task").glob("*")))

    def stop(self, why: str = "was stopped") -> None:
        """Stop the process and all its children; safe to call again. ``why`` fits after "CoreNLP"."""
        if not self._ended_by_us and self.alive():
            self._ended_by_us = why
        if self._process.returncode is None:
            # SIGTERM would wait for the server's current work, which nobody needs any more.
            _kill_group(self._process)
            self._process.wait()
        if self._guard is not None and self._guard.stdin is not None:
            with contextlib.suppress(OSError):
                self._guard.stdin.write(b"\n")
                self._guard.stdin.close()
            self._guard.wait()
            self._guard = None
        self._reader.join(timeout=2)
        self._folder.cleanup()

    def why_it_ended(self) -> str:
        """What happened to a process that is not alive, and what to do, in words that fit after "CoreNLP"."""
        code = self._process.wait()
        self._reader.join(timeout=2)
        if self._ended_by_us:
            return self._ended_by_us
        if code == _OUT_OF_MEMORY_EXIT:
            self._facts.add("memory")
        said = {
            "heap": f"cannot start with memory={self.settings.memory}: Java refuses that heap size",
            "memory": f"ran out of its {self.settings.memory} of memory; give it more (option memory) or smaller "
            "windows (max-tokens)",
            "port": f"found port {self.address.port} taken; leave the option port at 0 for a free one",
            "version": "needs a newer Java",
            "class": f"is not complete in {self.settings.home}; run `{INSTALL_COMMAND}`",
        }
        for fact, words in said.items():
            if fact in self._facts:
                return words
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
            memory = ", perhaps by the system for want of memory" if code == -signal.SIGKILL else ""
            return f"was killed ({name}){memory}"
        return f"ended with exit code {code}" + (f" ({self._errors[-1]})" if self._errors else "")

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode("utf-8", "replace")
            self._facts.update(name for name, pattern in _FACTS if pattern.search(text))
            self._errors = [*self._errors, *_JAVA_ERROR.findall(text)][-5:]
        stream.close()


def _waited_seconds(thread: Path) -> float:
    """Linux's ``schedstat``: nanoseconds of use, nanoseconds of waiting, turns. 0 if the system does not record it."""
    try:
        return int((thread / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _free_port(preferred: int) -> int:
    with socket.socket() as probe:
        # As the server binds it: a port whose last connections are still closing counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", preferred))
        except OSError as error:
            raise UnavailableError(
                f"CoreNLP cannot have port {preferred}: {error.strerror}; leave the option port at 0 for a free one"
            ) from None
        return int(probe.getsockname()[1])


def _start_guard(group: int, folder: str) -> subprocess.Popen[bytes] | None:
    if os.name != "posix":
        return None
    command = ["/bin/sh", "-c", _GUARD, "sh", str(group), folder]
    return subprocess.Popen(  # noqa: S603  # our own script
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
