"""Where the console script starts: the version at once, everything else through click, errors as one line."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

EXIT_OK = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments == ["--version"]:
        from merger.version import VERSION

        sys.stdout.write(f"merge-baseline {VERSION}\n")
        return
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str]) -> int:
    import click

    from client.cli.app import OutputClosedError, cli
    from merger.errors import MergeBaselineError

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(list(arguments), prog_name="merge-baseline", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        code = EXIT_INTERRUPTED
    except click.ClickException as error:
        _show_usage_error(error)
        code = EXIT_USAGE
    except (BrokenPipeError, OutputClosedError):
        # The reader of our output has gone: nothing left to say, and Python must not complain at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # replaces stdout until the end
        code = EXIT_BROKEN_PIPE
    except MergeBaselineError as error:
        sys.stderr.write(f"merge-baseline: error: {error}\n")
        code = _exit_code(error)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"merge-baseline: error: {name}{error.strerror or error}\n")
        code = EXIT_INPUT
    return code if isinstance(code, int) else EXIT_OK


def _show_usage_error(error: click.ClickException) -> None:
    from click import UsageError

    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, UsageError) else None
    if context is not None and message == " ".join(context.get_help().split()):
        # Called without arguments: the help itself is the answer.
        error.show()
        return
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    sys.stderr.write(f"merge-baseline: error: {message}{hint}\n")


def _exit_code(error: Exception) -> int:
    from merger.errors import InputError, OptionError

    if isinstance(error, OptionError):
        return EXIT_USAGE
    return EXIT_INPUT if isinstance(error, InputError) else EXIT_UNAVAILABLE
