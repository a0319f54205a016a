"""A server that nobody warmed up, whose first document has tags of its own."""

from __future__ import annotations

from pathlib import Path

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.document import Document
from merger.formats import read_documents
from merger.progress import WorkContext
from tests.support.corenlp_here import needs_shift_reduce

EXAMPLES = Path(__file__).parents[2] / "examples" / "parts"


@needs_shift_reduce
def test_a_tagged_document_can_be_the_first_one() -> None:
    # A heap size of its own keeps other tests' servers, which have seen untagged text, out of this.
    document: Document = next(iter(read_documents(str(EXAMPLES))))
    with CoreNLPBackend({"memory": "3999M"}) as backend:
        clusters = backend.predict(document, WorkContext())

    assert len(clusters) > len(document.parts)
