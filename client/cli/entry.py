"""Where the console script starts: the version at once, everything else through click, errors as one line."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    import click

EXIT_OK = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
EXIT_TERMINATED = 143

_STDOUT, _STDERR = 1, 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    try:
        # Another thread than the main one can't take signals.
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGTERM, _terminate)
        _fill_closed_streams()
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else EXIT_OK
    with contextlib.suppress(ValueError):
        # What comes now is the interpreter's clean-up, which would answer with a traceback.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)
    sys.exit(code)


def _terminate(number: int, frame: object) -> None:  # noqa: ARG001  # the signature of signal handlers
    """Leave by an exception, so that unfinished files go; a second signal ends the process at once."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.exit(EXIT_TERMINATED)


def _fill_closed_streams() -> None:
    """Give the process the standard streams that it was started without (``>&-``).

    Otherwise the next file opened would take their numbers. What is said on standard error is lost; writing to
    standard output fails with ``EBADF``; standard input stays ``None``, which readers report.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        # Whatever the stubs say.
        if cast("TextIO | None", stream) is None:
            null = os.open(os.devnull, os.O_WRONLY if number == _STDERR else os.O_RDONLY)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    if cast("TextIO | None", sys.stdout) is None:
        sys.stdout = open(_STDOUT, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # until the end
    if cast("TextIO | None", sys.stderr) is None:
        sys.stderr = open(_STDERR, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # until the end


def _run(arguments: list[str]) -> int:
    try:
        code = _version() if arguments == ["--version"] else _command(arguments)
        sys.stdout.flush()
    except OSError as error:
        code = _os_error(error)
    finally:
        _silence_broken_streams()
    return code


def _version() -> int:
    from merger.version import VERSION

    sys.stdout.write(f"merge-baseline {VERSION}\n")
    return EXIT_OK


def _command(arguments: list[str]) -> int:
    import click

    from client.cli.app import OutputClosedError, cli
    from client.cli.output import say
    from merger.errors import MergeBaselineError

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its escape, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(arguments, prog_name="merge-baseline", standalone_mode=False)
    except click.Abort:
        code = EXIT_INTERRUPTED
    except click.ClickException as error:
        _show_usage_error(error)
        code = EXIT_USAGE
    except OutputClosedError:
        # The reader of our output has gone: nothing left to say.
        code = EXIT_BROKEN_PIPE
    except MergeBaselineError as error:
        say(f"merge-baseline: error: {error}")
        code = _exit_code(error)
    return code if isinstance(code, int) else EXIT_OK


def _os_error(error: OSError) -> int:
    from client.cli.output import say
    from merger.formats.inputs import display_name

    if isinstance(error, BrokenPipeError):
        return EXIT_BROKEN_PIPE
    reason = error.strerror or str(error)
    if error.filename:
        reason = f"{display_name(os.fspath(error.filename))}: {reason}"
    elif error.errno == errno.EBADF:
        reason = "standard output is closed"
    else:
        reason = f"output cannot be written: {reason}"
    say(f"merge-baseline: error: {reason}")
    return EXIT_INPUT


def _silence_broken_streams() -> None:
    """Let what could not be written go, or the interpreter would try again when it ends, and complain."""
    for number, stream in ((_STDOUT, sys.stdout), (_STDERR, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


def _show_usage_error(error: click.ClickException) -> None:
    from click import UsageError

    from client.cli.output import say

    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, UsageError) else None
    if context is not None and message == " ".join(context.get_help().split()):
        # Called without arguments: the help itself is the answer.
        error.show()
        return
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    say(f"merge-baseline: error: {message}{hint}")


def _exit_code(error: Exception) -> int:
    from merger.errors import InputError, OptionError

    if isinstance(error, OptionError):
        return EXIT_USAGE
    return EXIT_INPUT if isinstance(error, InputError) else EXIT_UNAVAILABLE
