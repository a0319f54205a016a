"""The command group: the names of the commands, and their modules."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

import click

from client.cli.detail_options import add_detail_options
from client.cli.messages import reset_detail
from merger.version import VERSION

_COMMANDS = {
    "merge": "merge the part chains of documents",
    "score": "score merged documents against the gold merges",
    "compare": "compare strategies: scores, significance, breakdowns, cost",
    "agreement": "measure how well annotators agree",
    "stats": "count documents, chains and antecedent distances",
    "split": "make a merge task from whole-document annotation",
    "apply": "turn parts and decisions into merged documents",
    "decisions": "derive the decisions from merged documents",
    "vote": "combine the decisions of several annotators",
    "convert": "change the format of annotated documents",
    "validate": "check files and list their problems",
    "strategies": "list the strategies and their options",
    "serve": "serve the merger over gRPC",
    "health": "ask a server whether it is ready",
    "token": "make a token for callers of a server",
    "corenlp": "install Stanford CoreNLP, or show what is installed",
    "doctor": "check the set-up for problems",
    "demo": "merge and score the example documents through a real server",
    "completion": "print the shell completion script",
}


_SYNONYMS = {
    "h": "--help",
    "help": "--help",
    "usage": "--help",
    "ver": "--version",
    "version": "--version",
    "eval": "score",
    "evaluate": "score",
    "statistics": "stats",
    "check": "validate",
    "lint": "validate",
    "server": "serve",
    "start": "serve",
    "ping": "health",
    "status": "doctor",
    "cut": "split",
    "test": "compare",
    "list": "strategies",
    "install": "corenlp",
    "examples": "demo",
}
"""Names from other programs, and ours for the same thing."""
_WITHOUT_MESSAGES = {"serve", "completion"}
"""Commands without ``--quiet`` and ``--verbose``: a server has a log with options of its own."""


class OutputClosedError(Exception):
    """The reader of the output has closed it, as ``| head`` does."""


class _LazyGroup(click.Group):
    """Imports a command's module on first use, so that ``--help`` and short commands start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """All commands, in the order in which a newcomer needs them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        """The command of that name."""
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"client.cli.commands.{cmd_name}").command
        if not isinstance(command, click.Command):
            return None
        if cmd_name not in _WITHOUT_MESSAGES:
            add_detail_options(command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Read the arguments; ``--help`` prints here."""
        reset_detail()
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            raise OutputClosedError from None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # click would exit with 1, which means bad input.
            raise OutputClosedError from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; the error for an unknown name suggests the nearest one."""
        if args and args[0] not in _COMMANDS:
            raise click.UsageError(f"No such command {args[0]!r}.{_suggestion(args[0])}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group):
            _check_given_once(click.Context(command, ctx, name), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's signature
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _check_given_once(ctx: click.Context, args: list[str]) -> None:
    """Raise ``click.UsageError`` for a single-value option that is given twice: click would take the last value."""
    try:
        _, _, order = ctx.command.make_parser(ctx).parse_args(list(args))
    except click.UsageError:
        # The command reports it when it reads its arguments.
        return
    seen = set()
    for parameter in order:
        if not isinstance(parameter, click.Option) or parameter.multiple or parameter.is_flag:
            continue
        if parameter in seen:
            hint = "; `compare` runs several strategies" if parameter.name == "spec" else ""
            raise click.UsageError(f"{max(parameter.opts, key=len)} is given twice{hint}", ctx)
        seen.add(parameter)


def _suggestion(name: str) -> str:
    """The command that an unknown name probably means."""
    near = _SYNONYMS.get(name.lower().lstrip("-")) or next(
        iter(get_close_matches(name, _COMMANDS, n=1, cutoff=0.7)), None
    )
    return "" if near is None else f" Did you mean {near}?"


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 success; 1 bad input; 2 wrong usage or options; 3 a strategy, backend or server is not "
    "available; 130 interrupted; 141 the reader closed the output early; 143 terminated.",
)
@click.version_option(VERSION, message="merge-baseline %(version)s")
def cli() -> None:
    """Merge the coreference chains of a long document's parts, and score the merges.

    \b
    To start with whole-document annotation of your own:
      merge-baseline split novel.conll --tokens 400 -o task/
      merge-baseline merge task/parts.conll --strategy greedy -o merged.conll
      merge-baseline score task/key.conll merged.conll --parts task/parts.conll

    Inputs are CoNLL-2012, CoNLL-U with CorefUD entities, or e2e-coref jsonlines: a file, a .gz file, a directory, or -
    for standard input. The format is recognised.
    """
