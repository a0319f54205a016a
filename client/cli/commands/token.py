"""``merge-baseline token``."""

from __future__ import annotations

import click

from protos.serving.tokens import new_token


@click.command(short_help="make a token for callers of a server")
@click.argument("name")
def command(name: str) -> None:
    """Make a token that lets its bearer call a server.

    The line for the server's --token-file goes to standard output. The token itself goes to standard error, and is kept
    nowhere. NAME says whose it is, in the server's messages; the tokens of one name share its limits.

    \b
    Example:
      merge-baseline token anna >> tokens
      merge-baseline serve --token-file tokens
    """
    token, line = new_token(name)
    click.echo(line)
    click.echo(f"token of {name}, shown this once: {token}", err=True)
