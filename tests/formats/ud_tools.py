"""Runs the field's own tools on a CoNLL-U text: udtools' validator and udapi's reader."""

from __future__ import annotations

import io
from functools import cache

from udapi.core.document import Document as UdapiDocument
from udtools import Validator

from merger.document import Document

Entities = set[frozenset[tuple[int, tuple[int, ...]]]]
"""Entities as sets of mentions: the sentence, counted over the file, and the tokens in it, empty nodes among them."""

_HEAD, _DEPREL, _UPOS = 6, 7, 3


def with_tree(text: str) -> str:
    """The text with a tree for every sentence: the validator looks at no entities where there is none."""
    lines = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if columns[0].isdecimal() and columns[_HEAD] == "_":
            columns[_HEAD], columns[_DEPREL] = ("0", "root") if columns[0] == "1" else ("1", "dep")
            columns[_UPOS] = columns[_UPOS].replace("_", "X")
        lines.append("\t".join(columns))
    return "\n".join(lines)


@cache
def _validator() -> Validator:
    # It loads the rules of all languages.
    return Validator(lang="en", level=2, check_coref=True, output=None)


def validation_errors(text: str) -> set[tuple[str, str]]:
    """The errors of ``udvalidate --level 2 --coref`` as (class, name)."""
    validator = _validator()
    state = validator.validate_file_handle(io.StringIO(text))
    validator.validate_end(state)
    return {
        (str(incident.testclass), str(incident.testid))
        for incident in state.error_tracker
        if str(incident.get_type()) == "ERROR"
    }


def coref_errors(text: str) -> set[str]:
    """The names of the errors in coreference, on :func:`with_tree`."""
    return {name for kind, name in validation_errors(with_tree(text)) if kind == "COREF"}


def udapi_entities(text: str) -> Entities:
    """What udapi reads."""
    document = UdapiDocument()
    document.from_conllu_string(text)
    found: Entities = set()
    places = {
        node: (number, index)
        for number, tree in enumerate(document.trees)
        for index, node in enumerate(tree.descendants_and_empty)
    }
    for entity in document.coref_entities:
        mentions = [[places[word] for word in mention.words] for mention in entity.mentions]
        found.add(frozenset((words[0][0], tuple(index for _, index in words)) for words in mentions))
    return found


def entities_of(documents: list[Document]) -> Entities:
    """The chains of the documents of one file."""
    found: Entities = set()
    before = 0
    for document in documents:
        starts = []
        for part in document.parts:
            starts.append(before)
            before += sum(1 for sentence in part.sentences if sentence.forms)
        found |= {
            frozenset((starts[mention.part] + mention.sentence, tuple(mention.tokens)) for mention in chain.mentions)
            for chain in document.chains
        }
    return found
