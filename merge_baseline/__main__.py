"""``merge-baseline`` and ``python -m merge_baseline``: the command line."""

from __future__ import annotations

import sys

from merge_baseline.names import HOME, NAMES, require

_UNAVAILABLE = 3


def main() -> None:
    """Run the command line, unless modules of others stand in the place of its own."""
    try:
        require(*NAMES)
    except ImportError as error:
        sys.stderr.write(f"merge-baseline: error: {error}\n")
        sys.exit(_UNAVAILABLE)
    from client.cli.main import main as run

    run()


if __name__ == "__main__":
    # `python -m` puts the current folder first. It may hold a client.py of somebody else.
    if not sys.flags.safe_path and sys.path[0] != HOME:
        del sys.path[0]
    main()
