"""``merge-baseline completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from client.cli.app import cli


@click.command(short_help="print the shell completion script")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  merge-baseline completion bash >> ~/.bashrc
    zsh:   merge-baseline completion zsh >> ~/.zshrc
    fish:  merge-baseline completion fish > ~/.config/fish/completions/merge-baseline.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(found(cli, {}, "merge-baseline", "_MERGE_BASELINE_COMPLETE").source())
