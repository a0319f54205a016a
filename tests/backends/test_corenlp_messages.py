"""Requests and answers, read and written with a second schema, in which what ``CoreNLP.proto`` requires is required."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, proto
from hypothesis import given
from hypothesis import strategies as st

from merger.backends.corenlp.messages import InvalidAnnotationError, decode_annotation, encode_document
from merger.backends.corenlp.sentences import sent_sentences
from merger.document import Document, Mention, Part, Sentence
from tests.support.corenlp_here import document_of

ROOT = Path(__file__).parents[2]
_TYPES = {"text": 9, "number": 13, "message": 11}
# Name, number and type, as in CoreNLP.proto; required ones are marked, for Java refuses a message without them.
_SCHEMA: dict[str, list[tuple[str, int, str, str]]] = {
    "Document": [("text", 1, "text", "!"), ("sentence", 2, "Sentence", "*"), ("chain", 3, "Chain", "*")],
    "Sentence": [
        ("token", 1, "Token", "*"),
        ("first", 2, "number", "!"),
        ("end", 3, "number", "!"),
        ("index", 4, "number", ""),
        ("begin_char", 5, "number", ""),
        ("end_char", 6, "number", ""),
        ("tree", 7, "text", ""),
    ],
    "Token": [
        ("word", 1, "text", ""),
        ("pos", 2, "text", ""),
        ("begin_char", 11, "number", ""),
        ("end_char", 12, "number", ""),
        ("utterance", 13, "number", ""),
        ("speaker", 14, "text", ""),
        ("index", 79, "number", ""),
    ],
    "Chain": [("id", 1, "number", "!"), ("mention", 2, "ChainMention", "*"), ("representative", 3, "number", "!")],
    "ChainMention": [("begin", 6, "number", ""), ("end", 7, "number", ""), ("sentence", 10, "number", "")],
}


def _document_class() -> Any:  # noqa: ANN401  # made at run time, so it has no static type
    file = descriptor_pb2.FileDescriptorProto(name="corenlp_test.proto", package="corenlp_test", syntax="proto2")
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, number, kind, mark in fields:
            label = {"!": 2, "*": 3, "": 1}[mark]
            made = message.field.add(name=field, number=number)
            made.label = label  # type: ignore[assignment]  # the numbers of the enumeration
            made.type = _TYPES.get(kind, 11)  # type: ignore[assignment]  # as above
            if kind not in _TYPES:
                made.type_name = f".corenlp_test.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("corenlp_test.Document"))


_DOCUMENT = _document_class()


def _read(request: bytes) -> dict[str, Any]:
    stream = BytesIO(request)
    message = proto.parse_length_prefixed(_DOCUMENT, stream)
    assert stream.read() == b""
    result: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return result


def _answer(**content: object) -> bytes:
    content = {"text": "", **content}
    stream = BytesIO()
    proto.serialize_length_prefixed(json_format.ParseDict(content, _DOCUMENT()), stream)
    return stream.getvalue()


def _sized(message: bytes) -> bytes:
    """With its size before it, which is one byte up to 127."""
    assert len(message) < 128
    return bytes([len(message)]) + message


def _sentence(*words: str, tags: str = "") -> dict[str, object]:
    tokens: list[dict[str, object]] = [{"word": word} for word in words]
    for token, tag in zip(tokens, tags.split(), strict=False):
        token["pos"] = tag
    return {"first": 0, "end": len(words), "token": tokens, "tree": "much that nobody reads"}


def _chain(*mentions: tuple[int, int, int]) -> dict[str, object]:
    return {
        "id": 1,
        "representative": 0,
        "mention": [{"sentence": sentence, "begin": begin, "end": end} for sentence, begin, end in mentions],
    }


def test_a_document_is_sent_with_offsets_in_utf16_units() -> None:
    # 🎉 is one code point outside the basic plane: two units in Java. "Ann 🎉" is 3 + 1 + 2 = 6 units; the next
    # sentence begins after a line break, at 7.
    request = _read(encode_document(sent_sentences(document_of("Ann 🎉", "New York"))))

    assert request["text"] == "Ann 🎉\nNew York"
    first, second = request["sentence"]
    assert [(token["begin_char"], token["end_char"]) for token in first["token"]] == [(0, 3), (4, 6)]
    assert [(token["begin_char"], token["end_char"]) for token in second["token"]] == [(7, 10), (11, 15)]
    assert [token["index"] for token in second["token"]] == [1, 2]
    assert (first["begin_char"], first["end_char"], second["begin_char"], second["end_char"]) == (0, 6, 7, 15)
    assert [(each["first"], each["end"], each.get("index", 0)) for each in request["sentence"]] == [
        (0, 2, 0),
        (2, 4, 1),
    ]


@pytest.mark.parametrize(
    ("form", "sent"),
    [
        ("New York", "New York"),
        ("", "_"),
        (" ", "_"),
        ("\u3000", "_"),
        ("\u2028", "_"),
        ("\x1f", "_"),
        ("\u200b", "_"),
        ("\ud800", "_"),
        ("a\u2028b", "a b"),
        ("a\r\n", "a"),
        ("\u00a01", "1"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("naïve", "naïve"),
    ],
)
def test_tokens_in_which_corenlp_would_see_nothing_or_two_lines_are_replaced(form: str, sent: str) -> None:
    request = _read(encode_document(sent_sentences(document_of(Sentence(("x", form, "y"))))))

    assert [token["word"] for token in request["sentence"][0]["token"]] == ["x", sent, "y"]


def test_tags_are_sent_only_if_every_token_of_the_document_has_one_that_corenlp_knows() -> None:
    tagged = Sentence(("I", "(", "x"), xpos=("PRP", "(", "NN"))

    sent = sent_sentences(document_of(tagged))

    assert sent[0].tags == ("PRP", "-LRB-", "NN")
    for other in (
        Sentence(("a",)),
        Sentence(("a", "b"), xpos=("NN", "")),
        Sentence(("a",), xpos=("NP",)),
        Sentence(("a",), upos=("NOUN",)),
    ):
        assert [each.tags for each in sent_sentences(document_of(tagged, other))] == [None, None]


def test_empty_nodes_and_sentences_without_tokens_are_not_sent_and_mentions_get_their_places_back() -> None:
    document = Document(
        "d",
        (
            Part((Sentence(("zero",), empty=(0,)), Sentence(("_", "Ann", "_", "Lee", "left"), empty=(0, 2)))),
            Part((Sentence(()), Sentence(("She", "left")))),
        ),
    )
    sent = sent_sentences(document)

    answer = _answer(
        sentence=[_sentence("Ann", "Lee", "left"), _sentence("She", "left")], chain=[_chain((1, 0, 1), (0, 0, 2))]
    )

    assert [each.words for each in sent] == [("Ann", "Lee", "left"), ("She", "left")]
    # "Ann Lee" is tokens 1 and 3 of the first part's second sentence.
    assert decode_annotation(answer, sent).clusters == ((Mention(0, 1, 1, 3), Mention(1, 1, 0, 0)),)


def test_each_change_of_speaker_begins_an_utterance() -> None:
    document = document_of(
        Sentence(("Hi", "."), speakers=("Ann", "Ann")),
        Sentence(("Hi", "!"), speakers=("Bob", "")),
        Sentence(("Bye",)),
        Sentence(("Bye",), speakers=("Ann",)),
    )

    request = _read(encode_document(sent_sentences(document)))

    tokens = [token for sentence in request["sentence"] for token in sentence["token"]]
    # PER0 is CoreNLP's narrator.
    assert [token["speaker"] for token in tokens] == ["Ann", "Ann", "Bob", "PER0", "PER0", "Ann"]
    assert [token["utterance"] for token in tokens] == [0, 0, 1, 2, 2, 3]


def test_without_speakers_corenlp_is_left_to_find_them() -> None:
    request = _read(encode_document(sent_sentences(document_of(Sentence(("Hi",), speakers=("",)), "Bye"))))

    assert all("speaker" not in token for sentence in request["sentence"] for token in sentence["token"])


def test_an_answer_is_read_in_the_order_of_the_text() -> None:
    sent = sent_sentences(document_of("a b c", "d e"))
    answer = _answer(
        sentence=[_sentence("a", "b", "c", tags="DT NN NN"), _sentence("d", "e")],
        chain=[_chain((1, 0, 1), (0, 1, 3)), _chain((0, 0, 1), (0, 0, 3))],
    )

    read = decode_annotation(answer, sent)

    assert read.tags == (("DT", "NN", "NN"), ("", ""))
    # The longer of two mentions with the same beginning comes first.
    assert read.clusters == (
        (Mention(0, 0, 0, 2), Mention(0, 0, 0, 0)),
        (Mention(0, 0, 1, 2), Mention(0, 1, 0, 0)),
    )


_GOOD = _answer(sentence=[_sentence("secret", "b")])


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"", "not a CoreNLP document"),
        (b"<html>no</html>", "not a CoreNLP document"),
        (_GOOD[:-3], "not a CoreNLP document"),
        (_GOOD + b"x", "not a CoreNLP document"),
        (_GOOD.replace(b"secret", b"\xffecret"), "not a CoreNLP document"),
        (_sized(b"\x0b"), "not a CoreNLP document"),
        # Sizes: cut off, of more than ten bytes, 2**64 - 1.
        (b"\x80", "not a CoreNLP document"),
        (b"\xff" * 12, "not a CoreNLP document"),
        (b"\xff" * 9 + b"\x01", "not a CoreNLP document"),
        (_answer(), "0 sentences instead of 1"),
        (_answer(sentence=[_sentence("secret", "b"), _sentence("c")]), "2 sentences instead of 1"),
        (_answer(sentence=[_sentence("secret", "b", "c")]), "3 tokens instead of 2 in sentence 0"),
        (_answer(sentence=[_sentence("secret", "c")]), "another word as token 1 of sentence 0"),
        (_answer(sentence=[_sentence("secret", "b")], chain=[_chain((1, 0, 1))]), "outside the text"),
        (_answer(sentence=[_sentence("secret", "b")], chain=[_chain((0, 0, 3))]), "outside the text"),
        (_answer(sentence=[_sentence("secret", "b")], chain=[_chain((0, 1, 1))]), "outside the text"),
    ],
)
def test_bad_answers_are_distinguished_from_good_ones_without_quoting_text(answer: bytes, complaint: str) -> None:
    sent = sent_sentences(document_of("secret b"))
    assert decode_annotation(_GOOD, sent).clusters == ()

    with pytest.raises(InvalidAnnotationError) as caught:
        decode_annotation(answer, sent)

    assert complaint in str(caught.value)
    assert "secret" not in str(caught.value)


@given(st.binary(max_size=60))
def test_rubbish_is_never_anything_but_a_bad_answer(rubbish: bytes) -> None:
    sent = sent_sentences(document_of("a b"))

    with pytest.raises(InvalidAnnotationError):
        decode_annotation(rubbish, sent)
    with pytest.raises(InvalidAnnotationError):
        decode_annotation(_sized(rubbish), sent)


@given(st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=4))
def test_any_text_makes_a_request_that_can_be_read(rows: list[list[str]]) -> None:
    sent = sent_sentences(document_of(*(Sentence(tuple(row)) for row in rows)))

    request = _read(encode_document(sent))

    read = [[token["word"] for token in sentence["token"]] for sentence in request.get("sentence", [])]
    assert [len(words) for words in read] == [len(row) for row in rows if row]
    for sentence in request.get("sentence", []):
        for token in sentence["token"]:
            units = request["text"].encode("utf-16-le")[2 * token.get("begin_char", 0) : 2 * token["end_char"]]
            assert units.decode("utf-16-le") == token["word"]


def test_protobuf_is_imported_only_when_a_server_is_used() -> None:
    script = (
        "import sys, merger.backends.corenlp.backend, merger.strategies, merger.taggers; "
        "assert 'google.protobuf' not in sys.modules; "
        "import merger.backends.corenlp.server; assert 'google.protobuf' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
