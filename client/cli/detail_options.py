"""``--quiet`` and ``--verbose``, which every command has."""

from __future__ import annotations

from collections.abc import Callable

import click

from client.cli.messages import set_quiet, set_verbose


def add_detail_options(command: click.Command) -> None:
    """Add these options to a command and its subcommands, unless they have them already."""
    taken = {name for parameter in command.params for name in parameter.opts}
    for letter, name, change, text in (
        ("-q", "--quiet", set_quiet, "Print results and errors only: no notes, and no summary."),
        ("-v", "--verbose", set_verbose, "Print the line of the file under each error and note."),
    ):
        if name not in taken:
            option = click.Option(
                [letter, name], is_flag=True, expose_value=False, is_eager=True, callback=_calling(change), help=text
            )
            command.params.append(option)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_detail_options(each)


def _calling(change: Callable[[], None]) -> Callable[[click.Context, click.Parameter, bool], None]:
    def callback(context: click.Context, parameter: click.Parameter, given: bool) -> None:  # noqa: ARG001, FBT001  # click's signature
        if not given:
            return
        try:
            change()
        except ValueError:
            raise click.UsageError("--quiet and --verbose exclude each other", context) from None

    return callback
