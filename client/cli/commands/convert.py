"""``merge-baseline convert``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from client.cli.options import FORMAT_NAMES, Reading, inputs_argument, output_option, reading_options
from client.cli.output import show_notices, write_pieces
from client.cli.progress import documents_with_progress
from merger.formats import write_documents


@click.command(short_help="change the format of annotated documents")
@inputs_argument
@click.option("--to", "target", type=FORMAT_NAMES, required=True, help="Format of the output.")
@output_option
@reading_options
def command(
    inputs: tuple[str, ...],
    target: str,
    output: str,
    reading: Reading,
) -> None:
    """Change the format of annotated documents.

    What the target format cannot carry (discontinuous mentions and empty nodes in CoNLL-2012, for instance) is said
    once on standard error.

    \b
    Example:
      merge-baseline convert corpus.conllu --to conll2012 -o corpus.conll
    """
    documents = reading.documents(*inputs)

    def pieces() -> Iterator[str]:
        yield from write_documents(documents_with_progress(documents, "converting"), target, reading.notices)

    write_pieces(output, pieces())
    show_notices(reading.notices)
