"""``merge-baseline token``."""

from __future__ import annotations

import sys

import click

from service.security.tokens import new_token


@click.command(short_help="make a token for callers of a server")
@click.argument("name")
def command(name: str) -> None:
    """Make a token that lets its bearer call a server.

    The line for the server's --token-file goes to standard output. The token itself goes to standard error, and is kept
    nowhere. NAME says whose it is, in the server's messages; the tokens of one name share its limits. In the example
    umask keeps the files from other users, and a failed command leaves no file that looks like a token.

    \b
    Example:
      (umask 077; merge-baseline token anna >> tokens 2> anna.token || rm anna.token)
      merge-baseline serve --token-file tokens
      merge-baseline merge parts.conll --server localhost:50051 --token-file anna.token
    """
    token, line = new_token(name)
    click.echo(line)
    if sys.stderr.isatty():
        click.echo(f"the token of {name}, shown this once:", err=True)
    click.echo(token, err=True)
