"""``merge-baseline token``."""

from __future__ import annotations

import sys

import click

from service.security.tokens import new_token


@click.command(short_help="make a token for callers of a server")
@click.argument("name")
def command(name: str) -> None:
    """Make a token for a caller of a server.

    The line for the server's --token-file goes to standard output. The token itself goes to standard error and is not
    stored anywhere. NAME is the caller's name in the server's log; tokens with the same name share its limits. In the
    example, umask hides the files from other users, and rm removes the token file if the command fails.

    \b
    Example:
      (umask 077; merge-baseline token anna >> tokens 2> anna.token || rm anna.token)
      merge-baseline serve --token-file tokens
      merge-baseline merge parts.conll --server localhost:50051 --token-file anna.token
    """
    token, line = new_token(name)
    click.echo(line)
    if sys.stderr.isatty():
        click.echo(f"the token of {name}, shown only once:", err=True)
    click.echo(token, err=True)
