"""The machine: open files, memory, folder for temporary files, clock."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from client.doctor.findings import Finding, Level

_GIB = 2**30
_FEW_FILES = 2048
_TOO_FEW_FILES = 256
"""With the default limits a server has up to 770 connections, and pipes to its workers."""
_LITTLE_MEMORY = 2 * _GIB
_CORENLP_MEMORY = 7 * _GIB
"""Java's default heap of 6 GiB, and what Java needs besides."""
_LITTLE_DISK = _GIB
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_DAY = 86400.0


def check_machine(wanted: Collection[str]) -> list[Finding]:
    """Check the machine for the features in ``wanted``."""
    return [_open_files(), _memory(corenlp="corenlp" in wanted), _temporary_folder(), _clock()]


def _open_files() -> Finding:
    try:
        import resource
    except ImportError:
        return Finding("open files", Level.OK, "this system reports no limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = f"at most {_shown(soft)} at a time (hard limit {_shown(hard)})"
    if 0 <= soft < _FEW_FILES:
        level = Level.FAIL if soft < _TOO_FEW_FILES else Level.WARN
        return Finding(
            "open files", level, found, "raise the limit for a server: ulimit -n 65536, or LimitNOFILE= in systemd"
        )
    return Finding("open files", Level.OK, found)


def _shown(limit: int) -> str:
    return "no limit" if limit < 0 else str(limit)


def _memory(*, corenlp: bool) -> Finding:
    total = memory_bytes()
    if total is None:
        return Finding("memory", Level.OK, "this system does not report it")
    found = f"{total / _GIB:.1f} GiB for this process and its children"
    if corenlp and total < _CORENLP_MEMORY:
        return Finding("memory", Level.WARN, found, "CoreNLP takes 6G by default: set memory=3G, for example")
    if total < _LITTLE_MEMORY:
        return Finding("memory", Level.WARN, found, "documents of 1,000,000 tokens need 1 GiB each")
    return Finding("memory", Level.OK, found)


def memory_bytes() -> int | None:
    """The memory of the machine, or of the container if that is less."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    for path in _CGROUP_LIMITS:
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():
            total = min(total, int(text))
    return total


def _temporary_folder() -> Finding:
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile():
            free = shutil.disk_usage(folder).free
    except OSError as error:
        advice = "make the folder writable, or set TMPDIR to another folder"
        return Finding("temporary files", Level.FAIL, f"none can be written: {error.strerror or error}", advice)
    found = f"{folder}, {free / _GIB:.1f} GiB free"
    if free < _LITTLE_DISK:
        return Finding("temporary files", Level.WARN, found, "free some space, or set TMPDIR to another folder")
    return Finding("temporary files", Level.OK, found)


def _clock() -> Finding:
    now = time.time()
    found = datetime.fromtimestamp(now, UTC).strftime("%F %T UTC")
    # This file cannot be newer than the present.
    installed = Path(__file__).stat().st_mtime
    if now < installed - _DAY:
        advice = "set the clock (NTP): certificates, deadlines and logs depend on it"
        return Finding("clock", Level.FAIL, f"{found}, before this program was installed", advice)
    return Finding("clock", Level.OK, found)
