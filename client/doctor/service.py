"""What a server needs, and whether one can be reached."""

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
from service.listen_address import check_exposure, try_to_bind
from service.options import ServerOptions, TlsFiles
from service.security.tls import WARN_DAYS, load_material
from service.strategies import NOT_ENABLED

if TYPE_CHECKING:
    from client.remote.sync import RemoteMerger

_DAY = 86400.0


def check_port(host: str, port: int, *, needed: bool) -> Finding:
    """Whether a server could listen there; ``needed`` if it is to."""
    check = f"port {host}:{port}"
    try:
        try_to_bind(host, port)
    except OSError as error:
        level = Level.FAIL if needed else Level.WARN
        if error.errno == errno.EADDRINUSE:
            return Finding(check, level, "something listens there", "end it, or serve on another --port")
        if error.errno == errno.EACCES:
            return Finding(check, level, "not allowed", "take a port from 1024 on")
        return Finding(check, level, error.strerror or str(error), "is --host an address of this machine?")
    return Finding(check, Level.OK, "free")


def check_memory(options: ServerOptions) -> Finding:
    """How much memory a server with these options takes, and whether there is so much."""
    there, gib = memory_bytes(), 2**30
    most = options.most_memory_bytes
    found = f"the server up to {most / gib:.1f} GiB by default (--queue-mib, --max-message-bytes), its workers on top"
    if there is not None and there < 2 * most:
        return Finding("memory of a server", Level.WARN, found, "set a lower --queue-mib and --max-message-bytes")
    return Finding("memory of a server", Level.OK, found)


def check_reach(host: str, *, tls: bool) -> Finding:
    """Whether a server would listen there with or without TLS."""
    try:
        check_exposure(host, tls=tls, tokens=False, allowed=False)
    except ServerStartError as error:
        return Finding(f"host {host}", Level.FAIL, str(error), "look at its files with --check-cert and --check-key")
    return Finding(f"host {host}", Level.OK, "TLS" if tls else "this machine only")


def check_tls(files: TlsFiles) -> list[Finding]:
    """Whether a server could use these files, and for how long."""
    try:
        material = load_material(files)
    except ServerStartError as error:
        return [Finding("TLS", Level.FAIL, str(error), "see docs/security.md on certificates")]
    left = (material.valid_until - time.time()) / _DAY
    until = time.strftime("%F %T UTC", time.gmtime(material.valid_until))
    valid = f"{files.certificate}: valid until {until}, {left:.0f} days"
    if left < WARN_DAYS:
        findings = [Finding("TLS certificate", Level.WARN, valid, "renew it; the server takes the new one by itself")]
    else:
        findings = [Finding("TLS certificate", Level.OK, valid)]
    if Path(files.key).stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        mode = f"{files.key}: everybody on this machine may read or change it"
        findings.append(Finding("TLS key", Level.WARN, mode, f"chmod 600 {files.key}"))
    else:
        findings.append(Finding("TLS key", Level.OK, f"{files.key}: fits the certificate"))
    return findings


def check_server(address: str, connect: Callable[[], RemoteMerger]) -> list[Finding]:
    """Whether a server answers there, and what of it can't be used. ``connect`` makes a client of it.

    Raises :class:`~merger.errors.ParameterError` as ``connect`` does: it is for who set the parameter.
    """
    check = f"server {address}"
    started = time.monotonic()
    try:
        with connect() as remote:
            strategies, taggers = remote.strategies(), remote.taggers()
    except ParameterError:
        raise
    except (MergeBaselineError, OSError) as error:
        return [Finding(check, Level.FAIL, str(error), "see that it runs, and look at address, TLS and token")]
    took = (time.monotonic() - started) * 1000
    usable = [each.name for each in strategies if each.unavailable is None]
    shown = f"answers after {took:.0f} ms; strategies: {', '.join(usable)}"
    if taggers:
        shown += f"; taggers: {', '.join(tagger.signature for tagger in taggers)}"
    findings = [Finding(check, Level.OK, shown)]
    findings.extend(
        Finding(f"{check}, {each.name}", Level.WARN, each.unavailable, "only if you need it: see its log")
        for each in strategies
        # What the operator did not enable is no fault.
        if each.unavailable is not None and each.unavailable != NOT_ENABLED
    )
    return findings
