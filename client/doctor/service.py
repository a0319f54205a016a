"""Checks for servers: one that is to be started here, and one that is called."""

from __future__ import annotations

import errno
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from client.doctor.findings import Finding, Level
from client.doctor.machine import memory_bytes
from merger.errors import MergeBaselineError, ParameterError
from service.errors import ServerStartError
from service.listen_address import check_listen_address, try_to_bind
from service.options import ServerOptions, TlsFiles
from service.security.tls import WARN_DAYS, load_material
from service.strategies import NOT_ENABLED

if TYPE_CHECKING:
    from client.remote.sync import RemoteMerger

_DAY = 86400.0


def check_port(host: str, port: int, *, needed: bool) -> Finding:
    """Whether a server can listen there; ``needed`` makes a problem a failure."""
    check = f"port {host}:{port}"
    try:
        try_to_bind(host, port)
    except OSError as error:
        level = Level.FAIL if needed else Level.WARN
        if error.errno == errno.EADDRINUSE:
            return Finding(check, level, "in use", "end the program that listens there, or choose another --port")
        if error.errno == errno.EACCES:
            return Finding(check, level, "not allowed", "choose a port from 1024 on")
        return Finding(check, level, error.strerror or str(error), "is --host an address of this machine?")
    return Finding(check, Level.OK, "free")


def check_memory(options: ServerOptions) -> Finding:
    """Whether the memory suffices for a server with these options."""
    available, gib = memory_bytes(), 2**30
    most = options.most_memory_bytes
    found = f"up to {most / gib:.1f} GiB by default (--queue-mib, --max-message-bytes), and its workers take more"
    if available is not None and available < 2 * most:
        return Finding("memory of a server", Level.WARN, found, "set a lower --queue-mib and --max-message-bytes")
    return Finding("memory of a server", Level.OK, found)


def check_reach(host: str, *, tls: bool) -> Finding:
    """Whether a server is allowed to listen there, with or without TLS."""
    try:
        check_listen_address(host, tls=tls, tokens=False, allowed=False)
    except ServerStartError as error:
        return Finding(
            f"host {host}", Level.FAIL, str(error), "check the files for TLS with --check-cert and --check-key"
        )
    return Finding(f"host {host}", Level.OK, "TLS" if tls else "this machine only")


def check_tls(files: TlsFiles) -> list[Finding]:
    """Whether a server can use these files, and for how long."""
    try:
        material = load_material(files)
    except ServerStartError as error:
        return [Finding("TLS", Level.FAIL, str(error), "see docs/security.md on certificates")]
    left = (material.valid_until - time.time()) / _DAY
    until = time.strftime("%F %T UTC", time.gmtime(material.valid_until))
    valid = f"{files.certificate}: valid until {until}, {left:.0f} days"
    if left < WARN_DAYS:
        findings = [Finding("TLS certificate", Level.WARN, valid, "renew it; the server reads the new file by itself")]
    else:
        findings = [Finding("TLS certificate", Level.OK, valid)]
    if Path(files.key).stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        mode = f"{files.key}: everybody on this machine can read or change it"
        findings.append(Finding("TLS key", Level.WARN, mode, f"chmod 600 {files.key}"))
    else:
        findings.append(Finding("TLS key", Level.OK, f"{files.key}: matches the certificate"))
    return findings


def check_server(address: str, connect: Callable[[], RemoteMerger]) -> list[Finding]:
    """Whether a server answers there, and which of its strategies cannot be used. ``connect`` makes a client.

    Raises the :class:`~merger.errors.ParameterError` of ``connect``, as that is a usage error.
    """
    check = f"server {address}"
    started = time.monotonic()
    try:
        with connect() as remote:
            strategies, taggers = remote.strategies(), remote.taggers()
    except ParameterError:
        raise
    except (MergeBaselineError, OSError) as error:
        return [Finding(check, Level.FAIL, str(error), "check that it runs, and check address, TLS and token")]
    took = (time.monotonic() - started) * 1000
    usable = [each.name for each in strategies if each.unavailable is None]
    shown = f"answers after {took:.0f} ms; strategies: {', '.join(usable)}"
    if taggers:
        shown += f"; taggers: {', '.join(tagger.signature for tagger in taggers)}"
    findings = [Finding(check, Level.OK, shown)]
    findings.extend(
        Finding(f"{check}, {each.name}", Level.WARN, each.unavailable, "if you need it, see the server's log")
        for each in strategies
        # A strategy that the operator did not enable is not a problem.
        if each.unavailable is not None and each.unavailable != NOT_ENABLED
    )
    return findings
