"""Entry point of the console script. Errors are printed as one line."""

from __future__ import annotations

import os
import sys

# Importing typing would take a sixth of the time of `--version`. Type checkers accept any variable of this name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

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
    # Errors are reported by this program. gRPC would write lines of its own, even among lines of JSON.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    given = sys.argv[1:] if arguments is None else list(arguments)
    # `--version` needs no signal handlers, and importing their module would take a tenth of its time.
    short = given == ["--version"]
    try:
        if not short:
            _install_signal_handlers()
        _fill_closed_streams()
        code = _run(given)
    except KeyboardInterrupt:
        code = _interrupted()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else EXIT_OK
    if not short:
        _restore_signal_handlers()
    sys.exit(code)


def _interrupted() -> int:
    from client.cli.messages import print_interrupted

    print_interrupted()
    return EXIT_INTERRUPTED


def _install_signal_handlers() -> None:
    import contextlib
    import signal

    # Only the main thread can install signal handlers.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: object) -> None:  # noqa: ARG001  # the signature of signal handlers
    """End by an exception, so that unfinished files are removed. A second signal ends the process at once."""
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.exit(EXIT_TERMINATED)


def _restore_signal_handlers() -> None:
    import contextlib
    import signal

    with contextlib.suppress(ValueError):
        # A signal during the interpreter's clean-up would print a traceback.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)


def _fill_closed_streams() -> None:
    """Open the standard streams that the process was started without (``>&-``).

    Otherwise the next open file would take their numbers. Messages on standard error are lost; writing to standard
    output fails with ``EBADF``; standard input stays ``None``, which readers report.
    """
    # They can be None, although the type stubs exclude it.
    streams: tuple[TextIO | None, TextIO | None, TextIO | None] = (sys.stdin, sys.stdout, sys.stderr)
    for number, stream in enumerate(streams):
        if stream is None:
            null = os.open(os.devnull, os.O_WRONLY if number == _STDERR else os.O_RDONLY)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    _, output, errors = streams
    if output is None:
        sys.stdout = open(_STDOUT, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # until the end
    if errors is None:
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
    import io

    import click

    from client.cli.app import OutputClosedError, cli
    from client.cli.failures import NothingLeftError, show_failures
    from client.cli.messages import print_error
    from merger.errors import InputError, MergeBaselineError

    for stream in (sys.stdout, sys.stderr):
        # Print an escape instead of a traceback for a character that the terminal cannot show.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(arguments, prog_name="merge-baseline", standalone_mode=False)
    except click.Abort:
        code = _interrupted()
    except click.ClickException as error:
        _show_usage_error(error)
        code = EXIT_USAGE
    except OutputClosedError:
        # The reader of the output is gone, so there is nobody to report to.
        code = EXIT_BROKEN_PIPE
    except NothingLeftError as error:
        show_failures(error.failures)
        code = EXIT_INPUT
    except MergeBaselineError as error:
        print_error(_message(error), error.location if isinstance(error, InputError) else None)
        code = _exit_code(error)
    return code if isinstance(code, int) else EXIT_OK


def _os_error(error: OSError) -> int:
    import errno

    from client.cli.messages import print_error
    from merger.formats.open_inputs import display_name

    if isinstance(error, BrokenPipeError):
        return EXIT_BROKEN_PIPE
    reason = error.strerror or str(error)
    if error.filename:
        reason = f"{display_name(os.fspath(error.filename))}: {reason}"
    elif error.errno == errno.EBADF:
        reason = "standard output is closed"
    else:
        reason = f"output cannot be written: {reason}"
    print_error(reason)
    return EXIT_INPUT


def _silence_broken_streams() -> None:
    """Drop output that could not be written, or the interpreter would fail on it again at exit."""
    for number, stream in ((_STDOUT, sys.stdout), (_STDERR, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


def _show_usage_error(error: click.ClickException) -> None:
    from click import UsageError

    from client.cli.messages import print_error

    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, UsageError) else None
    if context is not None and message == " ".join(context.get_help().split()):
        # Called without arguments: show the help.
        error.show()
        return
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    print_error(f"{message}{hint}")


def _message(error: Exception) -> str:
    from merger.errors import ParameterError

    if not isinstance(error, ParameterError):
        return str(error)
    from client.cli.option_names import option_of

    return error.naming(option_of)


def _exit_code(error: Exception) -> int:
    from merger.errors import InputError, OptionError

    if isinstance(error, OptionError):
        return EXIT_USAGE
    # A file that cannot be read is bad input, whatever it was needed for.
    cause = error.__cause__
    is_of_file = isinstance(cause, InputError) or (isinstance(cause, OSError) and cause.filename is not None)
    return EXIT_INPUT if is_of_file or isinstance(error, InputError) else EXIT_UNAVAILABLE
