"""Written text passes ``udvalidate --coref``, and udapi reads the same entities and mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.formats import FORMATS, Lines, ReadOptions, read_documents
from merger.formats.grouping import group_parts
from merger.merge import merge_document
from merger.notices import Notices
from merger.split import Cut, split_document
from merger.strategies import make_strategy
from tests.formats.conllu_text import document, read, write
from tests.formats.ud_tools import coref_errors, entities_of, udapi_entities, validation_errors, with_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("parts", "key", "corefud", "corefud-key")


def check(documents: Sequence[Document]) -> str:
    """Write documents into one file and look at it with both tools; the text."""
    text = write(documents)
    assert coref_errors(text) == set()
    assert udapi_entities(text) == entities_of(read(text)) == entities_of(list(documents))
    assert [each.id for each in read(text)] == [each.id for each in documents]
    assert write(read(text)) == text
    return text


def through(name: str, documents: Sequence[Document]) -> list[Document]:
    """The documents as another format has them."""
    text = "".join("".join(FORMATS[name].write(each, Notices())) for each in documents)
    return list(group_parts(FORMATS[name].read(Lines("x", [text]), ReadOptions()), Notices()))


@pytest.mark.parametrize(
    ("folder", "name"), list(zip(FOLDERS, ["conll2012", "jsonlines", "jsonlines", "conll2012"], strict=True))
)
def test_the_examples_from_other_formats_merged_and_split(folder: str, name: str) -> None:
    documents = through(
        name, [each for path in sorted((EXAMPLES / folder).iterdir()) for each in read_documents(str(path))]
    )

    # Text that was written here and read again is merged and split like any other.
    again = read(check(documents))

    if folder in {"parts", "corefud"}:
        strategy = make_strategy("greedy", {"match": "mention"})
        check([merge_document(each, strategy).document for each in again])
    else:
        tasks = [split_document(each, Cut.TOKENS, 200) for each in again]
        check([task.parts for task in tasks])
        check([task.key for task in tasks])


def test_a_text_with_trees_passes_as_a_whole_split_and_merged_again() -> None:
    row = "{0}\t{1}\t{1}\t{2}\t{3}\t_\t{4}\t{5}\t_\t{6}\n"
    sentences = []
    for number in range(1, 5):
        rows = [
            (1, "Ida", "PROPN", "NNP", 2, "nsubj", "Entity=(e1-person-1)"),
            (2, "met", "VERB", "VBD", 0, "root", "_"),
            (3, "Otto", "PROPN", "NNP", 2, "obj", "Entity=(e2-person-1)"),
            (4, "they", "PRON", "PRP", 2, "dep", "Entity=(e3-person-1)|SplitAnte=e1<e3,e2<e3" if number == 2 else "_"),
            (5, "left", "VERB", "VBD", 2, "conj", "Bridge=e1<e4:part|Entity=(e4-event-1)"),
        ]
        sentences.append(
            f"# sent_id = s-{number}\n# text = Ida met Otto they left\n" + "".join(row.format(*each) for each in rows)
        )
    text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "\n".join(sentences) + "\n"
    assert validation_errors(text) == set()
    (found,) = read(text)

    for size, keep in product((1, 2), (False, True)):
        task = split_document(found, Cut.SENTENCES, size, keep_singletons=keep)
        merged = merge_document(task.parts, make_strategy("greedy", {}), keep_singletons=keep).document
        for each in (task.parts, task.key, merged):
            assert validation_errors(write(each)) == set()
            assert udapi_entities(write(each)) == entities_of([each])


def test_discontinuous_nested_and_lone_mentions_and_empty_nodes() -> None:
    first = Sentence(("both", "her", "old", "and", "zero", "new", "boats"), empty=(4,))
    second = Sentence(("they", "and", "she"), heads=(1, -1, 1))
    chains = (
        Chain("0", (Mention(0, 0, 0, 6, ((0, 0), (3, 3), (6, 6))), Mention(0, 1, 0, 0))),
        Chain("1", (Mention(0, 0, 1, 1), Mention(0, 1, 0, 2), Mention(0, 1, 2, 2))),
        Chain("2", (Mention(0, 0, 1, 2), Mention(0, 0, 1, 5), Mention(0, 0, 1, 6))),
        Chain("3", (Mention(0, 0, 4, 4),)),
        Chain("4", (Mention(0, 0, 2, 5, ((2, 2), (4, 5))),)),
        Chain("5", (Mention(0, 1, 0, 2, ((0, 0), (2, 2))),)),
    )
    whole = Document("nw/x/00/x_0001", (Part((first, second)),), chains)

    check([whole, replace(whole, id="nw/x/00/x_0002"), replace(whole, id="a-b (c) [1] <x>, y:z|50%")])


def test_ids_are_unique_in_the_file_whatever_the_names_of_documents_and_chains() -> None:
    """Without marks a.1 + 2.3 and a + 1.2.3 would be one id."""
    part = Part((Sentence(("a",)), Sentence(("b",))))
    mentions = (Mention(0, 0, 0, 0), Mention(0, 1, 0, 0))
    documents = [
        Document(name, (replace(part, number=number),), (Chain(chain, mentions),))
        for name, number, chain in [
            ("a", 1, "2.3"),
            ("a.1", 2, "3"),
            ("a.1.2", 0, "3"),
            ("a-1", 0, "3"),
            ("a%2D1", 0, "3"),
        ]
    ]

    again = read(check(documents))

    assert [chain.id for each in again for chain in each.chains] == ["2.3", "3", "3", "3", "3"]


def test_parts_that_are_newdocs_share_no_entity() -> None:
    parts = tuple(Part((Sentence(("a", "b")),), number) for number in (0, 1))
    chains = tuple(Chain("0", (Mention(part, 0, 0, 0), Mention(part, 0, 1, 1))) for part in (0, 1))

    text = check([Document("d", parts, chains)])

    assert len(udapi_entities(text)) == 2
    assert [chain.id for chain in read(text)[0].chains] == ["0", "0"]


def test_numbers_are_made_unique_in_a_text_with_ids_of_its_own_and_other_ids_stay() -> None:
    (found,) = read(document("a Entity=(e1)\nb Entity=(e1)\nc Entity=(7)\nd Entity=(7)\ne"))
    extra = Chain("0", (Mention(0, 0, 4, 4),))

    text = write(found.with_chains((*found.chains, extra), ChainScope.PART))

    assert "e\t_\t_\t_\t_\t_\t_\t_\tEntity=(d.0.0)\n" in text
    assert [chain.id for chain in read(text)[0].chains] == ["e1", "7", "d.0.0"]
    assert coref_errors(with_tree(text)) == set()
