"""``merge-baseline convert``."""

from __future__ import annotations

import click

from client.cli.options import FORMAT_NAMES, Reading, inputs_argument, output_option, overwrite_option, reading_options
from client.cli.output import check_paths, write_pieces
from client.cli.progress import documents_with_progress
from merger.document import Document
from merger.formats import find_inputs, write_document


@click.command(short_help="change the format of annotated documents")
@inputs_argument
@click.option("--to", "target", type=FORMAT_NAMES, required=True, help="Format of the output.")
@output_option
@overwrite_option
@reading_options
def command(
    inputs: tuple[str, ...],
    target: str,
    output: str,
    overwrite_input: bool,
    reading: Reading,
) -> int:
    """Change the format of annotated documents.

    A note on standard error names what the target format cannot represent, for example discontinuous mentions and empty
    nodes in CoNLL-2012.

    \b
    Example:
      merge-baseline convert corpus.conllu --to conll2012 -o corpus.conll
    """
    read = (file for path in inputs for file in find_inputs(path))
    check_paths({"--output": output}, read, overwrite_input=overwrite_input)
    documents = documents_with_progress(reading.documents(*inputs), "converting")

    def text_of(document: Document) -> str:
        # Complete, so that a document that cannot be written leaves nothing behind.
        return "".join(write_document(document, target, reading.notices))

    write_pieces(output, reading.each(documents, text_of))
    return reading.print_problems()
