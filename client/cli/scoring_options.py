"""Options for the comparison of mentions, which several commands share."""

from __future__ import annotations

import click

from client.evaluation.scoring.mention_matching import ZERO_PAIRINGS

zeros_option = click.option(
    "--zeros",
    type=click.Choice(ZERO_PAIRINGS),
    default="dependent",
    show_default=True,
    help="How zeros (mentions of empty nodes) are paired: dependent pairs them by their enhanced dependencies (DEPS), "
    "or by position if they have none; linear pairs them by position.",
)
