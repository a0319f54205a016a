"""How human and other mentions are compared: options that several commands share."""

from __future__ import annotations

import click

from client.evaluation.scoring.mention_matching import ZERO_PAIRINGS

zeros_option = click.option(
    "--zeros",
    type=click.Choice(ZERO_PAIRINGS),
    default="dependent",
    show_default=True,
    help="How the empty nodes of two files are paired: dependent by their enhanced dependencies (DEPS) and, without "
    "these, by position; linear by position.",
)
