"""Peak memory of this process and its children, on Linux."""

from __future__ import annotations

import contextlib
from pathlib import Path

_KIB = 1024


def reset_peak() -> None:
    """Reset the peak to the current resident memory; without effect if that is not allowed."""
    # "5" resets the peak resident set size (proc_pid_clear_refs(5)).
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory() -> int | None:
    """Peak resident memory in bytes, running child processes included; ``None`` if unknown."""
    own = _peak(Path("/proc/self/status"))
    if own is None:
        return None
    pids: set[str] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids.update(file.read_text(encoding="ascii").split())
    return own + sum(_peak(Path(f"/proc/{pid}/status")) or 0 for pid in pids)


def _peak(status: Path) -> int | None:
    try:
        lines = status.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found = [line for line in lines if line.startswith("VmHWM:")]
    return int(found[0].split()[1]) * _KIB if found else None
