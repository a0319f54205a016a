from __future__ import annotations

import json
from pathlib import Path

import pytest

from merger import read_documents, with_boundaries_of
from merger.backends.mention_matching import Cluster
from merger.backends.precomputed import PrecomputedBackend
from merger.document import Chain, Document, Mention, Part, Sentence
from merger.errors import AlignmentError, FormatError, OptionError, UnavailableError
from merger.progress import WorkContext
from tests.backends.one_word_mentions import groups, map_clusters
from tests.support.building import parts_of
from tests.support.shared_data import needs, shared_files

EXAMPLES = Path(__file__).parents[2] / "examples"
PART_PATTERN = r"(?P<document>.*)_(?P<part>\d+)"


def predict(path: Path, document: Document, **options: str) -> tuple[Cluster, ...]:
    with PrecomputedBackend({"path": str(path), **options}) as backend:
        return backend.predict(document, WorkContext())


def as_sets(clusters: tuple[Cluster, ...]) -> set[frozenset[Mention]]:
    return {frozenset(cluster) for cluster in clusters}


def chains_of(document: Document) -> set[frozenset[Mention]]:
    """The chains that link something."""
    return {frozenset(chain.mentions) for chain in document.chains if len(chain.mentions) > 1}


def write_jsonlines(path: Path, *lines: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def flattened(document: Document) -> dict[str, object]:
    """A document as one sentence a line of jsonlines, with its chains as predicted clusters."""
    starts: dict[tuple[int, int], int] = {}
    words: list[str] = []
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            starts[part, index] = len(words)
            words += sentence.forms
    clusters = [
        [[starts[m.part, m.sentence] + m.first, starts[m.part, m.sentence] + m.last] for m in chain.mentions]
        for chain in document.chains
    ]
    return {"doc_key": document.id, "sentences": [words], "predicted_clusters": clusters}


@pytest.mark.parametrize("folder", ["key", "corefud-key"])
def test_clusters_of_another_file_stand_on_the_parts_of_the_document(folder: str) -> None:
    for document in read_documents(str(EXAMPLES / "parts")):
        name = document.id.rpartition("/")[2]
        (key,) = read_documents([str(file) for file in (EXAMPLES / "key").glob(f"{name}.*")])

        clusters = predict(EXAMPLES / folder, document)

        assert as_sets(clusters) == chains_of(with_boundaries_of(document, key))


def test_jsonlines_without_our_sentences_are_aligned_by_tokens(tmp_path: Path) -> None:
    keys = list(read_documents(str(EXAMPLES / "key")))
    path = write_jsonlines(tmp_path / "clusters.jsonlines", *map(flattened, reversed(keys)))

    with PrecomputedBackend({"path": str(path)}) as backend:
        for document, key in zip(read_documents(str(EXAMPLES / "parts")), keys, strict=True):
            assert as_sets(backend.predict(document, WorkContext())) == chains_of(key)


@pytest.mark.parametrize("policy", ["majority", "majority-one-to-one", "any-link"])
def test_human_clusters_give_the_human_merges(policy: str) -> None:
    for document, key in zip(
        read_documents(str(EXAMPLES / "parts")), read_documents(str(EXAMPLES / "key")), strict=True
    ):
        parts = document.with_chains(tuple(c for c in document.chains if len(c.mentions) > 1), document.scope)
        _, merged = map_clusters(parts, predict(EXAMPLES / "key", document), policy, within_part=True)

        entity = {mention: chain.id for chain in key.chains for mention in chain.mentions}
        expected: dict[str, set[str]] = {}
        for chain in parts.chains:
            name = f"{chain.mentions[0].part}:{chain.id}"
            expected.setdefault(entity[chain.mentions[0]], set()).add(name)
        assert groups(merged) == set(map(frozenset, expected.values()))


def test_predicted_clusters_count_where_a_line_has_given_ones_too(tmp_path: Path) -> None:
    line = {"doc_key": "d", "sentences": [["a", "b", "c"]], "clusters": [[[0, 0], [1, 1]]]}
    path = write_jsonlines(tmp_path / "both.jsonlines", {**line, "predicted_clusters": [[[0, 0], [2, 2]]]})

    assert predict(path, parts_of("a b c")) == ((Mention(0, 0, 0, 0), Mention(0, 0, 2, 2)),)


def test_parts_with_ids_of_their_own_are_put_together(tmp_path: Path) -> None:
    path = write_jsonlines(
        tmp_path / "parts.jsonlines",
        {"doc_key": "d_0", "sentences": [["a", "b"]], "predicted_clusters": [[[0, 0], [1, 1]]]},
        {"doc_key": "d_1", "sentences": [["c", "d"]], "predicted_clusters": [[[0, 0], [1, 1]]]},
    )

    clusters = predict(path, parts_of("a b", "c d"), **{"part-pattern": PART_PATTERN})

    assert as_sets(clusters) == {
        frozenset({Mention(0, 0, 0, 0), Mention(0, 0, 1, 1)}),
        frozenset({Mention(1, 0, 0, 0), Mention(1, 0, 1, 1)}),
    }


def test_clusters_of_one_mention_link_nothing(tmp_path: Path) -> None:
    path = write_jsonlines(tmp_path / "c.jsonlines", {"doc_key": "d", "sentences": [["a"]], "clusters": [[[0, 0]]]})

    assert predict(path, parts_of("a")) == ()


def test_a_mention_over_a_sentence_boundary_is_left_out_with_a_notice(tmp_path: Path) -> None:
    clusters = [[[0, 0], [1, 2], [3, 3]]]
    path = write_jsonlines(
        tmp_path / "c.jsonlines", {"doc_key": "d", "sentences": [["a", "b", "c", "d"]], "clusters": clusters}
    )
    backend = PrecomputedBackend({"path": str(path)})

    found = backend.predict(parts_of("a b\nc d"), WorkContext())

    assert found == ((Mention(0, 0, 0, 0), Mention(0, 1, 1, 1)),)
    (notice,) = backend.notices
    assert "2 tokens goes over a sentence boundary at document d, part 0, sentence 1, token 0" in notice.message


def test_a_document_can_be_predicted_again_and_in_any_order(tmp_path: Path) -> None:
    path = write_jsonlines(
        tmp_path / "c.jsonlines",
        {"doc_key": "other", "sentences": [["x"]], "clusters": []},
        {"doc_key": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]},
    )
    backend = PrecomputedBackend({"path": str(path)})
    backend.warm(WorkContext())
    path.unlink()

    first = backend.predict(parts_of("a b"), WorkContext())
    assert backend.predict(parts_of("a b"), WorkContext()) == first
    backend.close()
    with pytest.raises(UnavailableError, match="cannot be read"):
        backend.predict(parts_of("a b"), WorkContext())


def test_a_document_that_the_file_lacks_is_an_error_that_names_one_it_has(tmp_path: Path) -> None:
    path = write_jsonlines(tmp_path / "c.jsonlines", {"doc_key": "other", "sentences": [["a"]], "clusters": []})

    with pytest.raises(AlignmentError, match=r"document d: .*lacks this document .*c\.jsonlines has 'other'"):
        predict(path, parts_of("a"))


def test_the_first_token_that_differs_is_named_with_both_places(tmp_path: Path) -> None:
    path = write_jsonlines(tmp_path / "c.jsonlines", {"doc_key": "d", "sentences": [["a", "x"]], "clusters": []})

    with pytest.raises(AlignmentError) as raised:
        predict(path, parts_of("a", "b"))

    assert raised.value.location.file == str(path)
    assert str(raised.value).endswith("token 1 of the document (from 0) is 'x'; expected 'b', as at document d, part 1")


def test_a_text_that_ends_too_early_is_an_error(tmp_path: Path) -> None:
    path = write_jsonlines(tmp_path / "c.jsonlines", {"doc_key": "d", "sentences": [["a"]], "clusters": []})

    with pytest.raises(AlignmentError, match=r"token 1 .* is missing: the document ends before it; expected 'b'"):
        predict(path, parts_of("a b"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "path is missing"),
        ({"path": "c", "part-pattern": "("}, "part-pattern: missing"),
        ({"path": "c", "part-pattern": "x"}, r"expected the groups \(\?P<document>"),
        ({"path": "c", "format": "xml"}, "option format: 'xml' is not one of any, conll2012"),
    ],
)
def test_options_that_cannot_work_are_refused_at_once(options: dict[str, str], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        PrecomputedBackend(options)


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with (
        PrecomputedBackend({"path": str(tmp_path / "none.conll")}) as backend,
        pytest.raises(UnavailableError, match=r"none\.conll: cannot be read: No such file"),
    ):
        backend.warm(WorkContext())


def test_a_malformed_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonlines"
    path.write_text('{"doc_key": "d", "sentences": [["a"]], "clusters": [[[0, 7]]]}\n', encoding="utf-8")

    with pytest.raises(UnavailableError, match=r"c\.jsonlines:1 .*the mention \[0, 7\]"):
        predict(path, parts_of("a"))


def test_lenient_keeps_a_mention_of_two_clusters_in_the_first(tmp_path: Path) -> None:
    clusters = [[[0, 0], [1, 1]], [[1, 1], [2, 2], [3, 3]]]
    path = write_jsonlines(
        tmp_path / "c.jsonlines", {"doc_key": "d", "sentences": [["a", "b", "c", "d"]], "clusters": clusters}
    )
    document = parts_of("a b c d")

    with pytest.raises(UnavailableError, match="which cluster 0 has too"):
        predict(path, document)

    words = {document.parts[0].sentences[0].forms[m.first]: m for m in (Mention(0, 0, i, i) for i in range(4))}
    assert as_sets(predict(path, document, lenient="yes")) == {
        frozenset({words["a"], words["b"]}),
        frozenset({words["c"], words["d"]}),
    }


def test_the_signature_names_the_file_and_its_contents(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonlines"
    path.write_bytes(b"abc")

    # SHA-256 of "abc", FIPS 180-2, appendix B.1.
    assert PrecomputedBackend({"path": str(path)}).signature == "precomputed[c.jsonlines#ba7816bf]"


@needs("ontogum")
def test_a_corefud_document_with_empty_nodes_is_aligned_with_text_without_them(tmp_path: Path) -> None:
    for file in shared_files("ontogum", "*.conllu"):
        (document,) = read_documents(str(file))
        chains = [chain for chain in document.chains if not any(m.pieces for m in chain.mentions)]
        if chains and any(sentence.empty for part in document.parts for sentence in part.sentences):
            break
    else:
        pytest.skip("no document with empty nodes")
    # Only words, and only mentions that have no empty node in them.
    words: list[str] = []
    offset: dict[tuple[int, int, int], int] = {}
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            for token, form in enumerate(sentence.forms):
                if token not in sentence.empty:
                    offset[part, index, token] = len(words)
                    words.append(form)
    plain = [
        [m for m in chain.mentions if all((m.part, m.sentence, token) in offset for token in m.tokens)]
        for chain in chains
    ]
    clusters = [[[offset[m[:3]], offset[m.part, m.sentence, m.last]] for m in mentions] for mentions in plain]
    path = write_jsonlines(
        tmp_path / "c.jsonlines", {"doc_key": document.id, "sentences": [words], "predicted_clusters": clusters}
    )

    assert as_sets(predict(path, document)) == {frozenset(mentions) for mentions in plain if len(mentions) > 1}


def test_tokens_without_sentences_are_taken_and_only_for_predictions(tmp_path: Path) -> None:
    (key,) = read_documents(str(EXAMPLES / "key" / "clock.conll"))
    line = flattened(key)
    words = _forms(key)
    del line["sentences"]

    for tokens in (words, [words]):
        path = write_jsonlines(tmp_path / "clusters.jsonlines", {**line, "tokens": tokens})
        assert as_sets(predict(path, key)) == chains_of(key)
        with pytest.raises(FormatError, match="no key sentences"):
            list(read_documents(str(path)))


HARDLY_ANY = "hardly any mention predicted"


def told(path: Path, document: Document) -> list[str]:
    """What is noted of predictions that hardly fit."""
    with PrecomputedBackend({"path": str(path)}) as backend:
        backend.predict(document, WorkContext())
        return [notice.message for notice in backend.notices if notice.kind == HARDLY_ANY]


def words_with_chain(count: int) -> Document:
    """A document of one sentence and a chain of ``count`` mentions, each of two words, with a word between them."""
    mentions = tuple(Mention(0, 0, 3 * number, 3 * number + 1) for number in range(count))
    sentence = Sentence(tuple(f"w{number}" for number in range(3 * count)))
    return Document("d", (Part((sentence,)),), (Chain("0", mentions),))


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        # Ten mentions are given, so one of them is a tenth.
        ([(0, 1), (4, 4)], []),
        ([(0, 0), (4, 4)], ["0 of 10 given mentions are among the 2 predicted ones"]),
        ([], ["0 of 10 given mentions are among the 0 predicted ones"]),
        (
            [(first, first + 2) for first in range(0, 27, 3)],
            [
                (
                    "0 of 10 given mentions are among the 9 predicted ones; with every end one token earlier, 9 would "
                    "be: exclusive ends? They must be inclusive"
                )
            ],
        ),
        ([(first, first + 1) for first in range(0, 30, 3)], []),
    ],
)
def test_predictions_without_the_given_mentions_are_reported(
    tmp_path: Path, spans: list[tuple[int, int]], expected: list[str]
) -> None:
    document = words_with_chain(10)
    tokens = list(document.parts[0].sentences[0].forms)
    line: dict[str, object] = {"doc_key": "d", "tokens": tokens, "predicted_clusters": [spans] if spans else []}

    assert told(write_jsonlines(tmp_path / "clusters.jsonlines", line), document) == expected


def test_exclusive_ends_link_hardly_anything_and_one_token_earlier_all_of_it(tmp_path: Path) -> None:
    (key,) = read_documents(str(EXAMPLES / "key" / "wells.conll"))
    line = flattened(key)
    total = key.token_count
    clusters = [[[m.first, m.last] for m in chain.mentions] for chain in flat_chains(key)]
    exclusive = [[[first, min(last + 1, total - 1)] for first, last in cluster] for cluster in clusters]
    paths = [
        write_jsonlines(tmp_path / f"{name}.jsonlines", {**line, "predicted_clusters": found})
        for name, found in (("inclusive", clusters), ("exclusive", exclusive))
    ]

    assert told(paths[0], key) == []
    (message,) = told(paths[1], key)
    assert "exclusive ends?" in message
    assert len(chains_of(key) & as_sets(predict(paths[1], key))) < len(chains_of(key) & as_sets(predict(paths[0], key)))


def flat_chains(document: Document) -> tuple[Chain, ...]:
    """The chains with mentions counted over the whole text."""
    one = Document(document.id, (Part((Sentence(tuple(_forms(document))),)),))
    return with_boundaries_of(one, document).chains


def _forms(document: Document) -> list[str]:
    return [form for part in document.parts for sentence in part.sentences for form in sentence.forms]
