"""Each rule that a request must keep, broken once: the violation names the field and what was expected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from merger.document import Document
from protos.convert.decisions import key_to_message
from protos.convert.documents import document_from_message, document_to_message, parts_from_message
from protos.merge_baseline import v1
from service.request_validation import document_request_violations, is_sound, setup_violations
from tests.support.samples import documents_with_key


def valid() -> v1.MergeDocumentRequest:
    """Two parts of two sentences of three tokens, each part with two chains."""
    sentence = v1.Sentence(forms=["a", "b", "c"])
    chains = [
        v1.Chain(
            id="x",
            mentions=[
                v1.Mention(sentence=0, first=0, last=1),
                v1.Mention(sentence=1, first=0, last=2, pieces=[v1.Span(first=0, last=0), v1.Span(first=2, last=2)]),
            ],
        ),
        v1.Chain(id="y", mentions=[v1.Mention(sentence=1, first=0, last=2)]),
    ]
    part = v1.Part(sentences=[sentence, sentence], chains=chains)
    return v1.MergeDocumentRequest(
        document=v1.Document(parts=[part, part]), strategy=v1.StrategySpec(name="none"), key=v1.HumanMerges()
    )


Break = Callable[[v1.MergeDocumentRequest], object]


def renumber(request: v1.MergeDocumentRequest, *numbers: int) -> None:
    for part, number in zip(request.document.parts, numbers, strict=True):
        part.number = number


def part(request: v1.MergeDocumentRequest) -> v1.Part:
    return request.document.parts[1]


def mention(request: v1.MergeDocumentRequest) -> v1.Mention:
    return part(request).chains[0].mentions[0]


def discontinuous(request: v1.MergeDocumentRequest) -> v1.Mention:
    return part(request).chains[0].mentions[1]


def set_fields(message: v1.Mention | v1.Span, **values: int) -> None:
    for name, value in values.items():
        setattr(message, name, value)


def drop_sentences(request: v1.MergeDocumentRequest) -> None:
    part(request).ClearField("sentences")
    part(request).chains.pop()
    part(request).chains[0].mentions.pop()


PART = "document.parts[1]"
MENTION = f"{PART}.chains[0].mentions[0]"
SPLIT = f"{PART}.chains[0].mentions[1]"

RULES: list[tuple[str, Break, str, str]] = [
    ("no document", lambda r: r.ClearField("document"), "document", "missing; expected a document"),
    ("no strategy", lambda r: r.ClearField("strategy"), "strategy", "missing; expected a strategy's name and options"),
    (
        "option without value",
        lambda r: r.strategy.options.add(name="tie"),
        "strategy.options[0].value",
        "no value for 'tie'; expected a text, number or flag",
    ),
    (
        "short column",
        lambda r: part(r).sentences[0].xpos.extend(["NN", "NN"]),
        f"{PART}.sentences[0].xpos",
        "2 entries; expected 3, one a token, or none",
    ),
    (
        "long column",
        lambda r: part(r).sentences[1].speakers.extend(["A"] * 4),
        f"{PART}.sentences[1].speakers",
        "4 entries; expected 3, one a token, or none",
    ),
    (
        "short upos column",
        lambda r: part(r).sentences[1].upos.extend(["NOUN", "VERB"]),
        f"{PART}.sentences[1].upos",
        "2 entries; expected 3, one a token, or none",
    ),
    (
        "short column of heads",
        lambda r: part(r).sentences[1].heads.extend([-1, 0]),
        f"{PART}.sentences[1].heads",
        "2 entries; expected 3, one a token, or none",
    ),
    (
        "head beyond the sentence",
        lambda r: part(r).sentences[0].heads.extend([-1, 3, 0]),
        f"{PART}.sentences[0].heads[1]",
        "3; expected -1 or a token of the sentence, from 0 to 2",
    ),
    (
        "head below -1",
        lambda r: part(r).sentences[0].heads.extend([-2, 0, 0]),
        f"{PART}.sentences[0].heads[0]",
        "-2; expected -1 or a token of the sentence, from 0 to 2",
    ),
    (
        "empty node beyond the sentence",
        lambda r: part(r).sentences[0].empty_nodes.append(3),
        f"{PART}.sentences[0].empty_nodes[0]",
        "3; expected a token of the sentence, from 0 to 2",
    ),
    (
        "empty nodes out of order",
        lambda r: part(r).sentences[0].empty_nodes.extend([1, 1]),
        f"{PART}.sentences[0].empty_nodes[1]",
        "1 after 1; expected ascending indexes",
    ),
    (
        "chain id twice",
        lambda r: setattr(part(r).chains[1], "id", "x"),
        f"{PART}.chains[1].id",
        "'x' is the id of chains[0] too; expected another",
    ),
    (
        "chain without mentions",
        lambda r: part(r).chains[1].ClearField("mentions"),
        f"{PART}.chains[1].mentions",
        "empty; expected at least one mention",
    ),
    (
        "sentence beyond the part",
        lambda r: set_fields(mention(r), sentence=2),
        f"{MENTION}.sentence",
        "2; expected a sentence of the part, from 0 to 1",
    ),
    (
        "part without sentences",
        drop_sentences,
        f"{MENTION}.sentence",
        "0; expected a sentence of the part, of which there is none",
    ),
    (
        "last token beyond the sentence",
        lambda r: set_fields(mention(r), last=3),
        f"{MENTION}.last",
        "3; expected a token of sentence 0, from 0 to 2",
    ),
    (
        "first token after the last",
        lambda r: set_fields(mention(r), first=2),
        f"{MENTION}.first",
        "2; expected at most the last token, 1",
    ),
    (
        "one piece",
        lambda r: discontinuous(r).pieces.pop(),
        f"{SPLIT}.pieces",
        "one piece; expected none for a continuous mention, else two or more",
    ),
    (
        "one piece that is the whole mention",
        lambda r: mention(r).pieces.add(first=0, last=1),
        f"{MENTION}.pieces",
        "one piece; expected none for a continuous mention, else two or more",
    ),
    (
        "pieces of another mention",
        lambda r: set_fields(discontinuous(r), first=1),
        f"{SPLIT}.pieces",
        "from 0 to 2; expected from 1 to 2, as the mention",
    ),
    (
        "pieces that touch",
        lambda r: set_fields(discontinuous(r).pieces[0], last=1),
        f"{SPLIT}.pieces[1].first",
        "2; expected at least 3, a token or more after the piece before",
    ),
    (
        "piece backwards",
        lambda r: set_fields(discontinuous(r).pieces[1], first=3),
        f"{SPLIT}.pieces[1].first",
        "3; expected at most its last token, 2",
    ),
    (
        "mention twice in a chain",
        lambda r: part(r).chains[0].mentions.add(sentence=0, first=0, last=1),
        f"{PART}.chains[0].mentions[2]",
        "the same tokens as mentions[0]; expected a mention once and in one chain",
    ),
    (
        "mention in two chains",
        lambda r: part(r).chains[1].mentions.add(sentence=0, first=0, last=1),
        f"{PART}.chains[1].mentions[1]",
        "the same tokens as chains[0].mentions[0]; expected a mention once and in one chain",
    ),
    (
        "a part number below 0",
        lambda r: renumber(r, -1, 0),
        "document.parts[0].number",
        "-1; expected from 0 to 999999999",
    ),
    (
        "a part number that files don't hold",
        lambda r: renumber(r, 0, 10**9),
        "document.parts[1].number",
        "1000000000; expected from 0 to 999999999",
    ),
    (
        "part numbers that fall",
        lambda r: renumber(r, 7, 5),
        "document.parts[1].number",
        "5 after 7; expected part numbers that rise, or none",
    ),
    (
        "a part number twice",
        lambda r: renumber(r, 3, 3),
        "document.parts[1].number",
        "3 after 3; expected part numbers that rise, or none",
    ),
    (
        "gold merges in a part that is not there",
        lambda r: r.key.chains.add().mentions.add(part=2),
        "key.chains[0].mentions[0].part",
        "2; expected a part of the document, from 0 to 1",
    ),
    (
        "gold merges beyond a sentence",
        lambda r: r.key.chains.add().mentions.add(part=1, mention=v1.Mention(sentence=1, first=0, last=5)),
        "key.chains[0].mentions[0].mention.last",
        "5; expected a token of sentence 1, from 0 to 2",
    ),
    (
        "gold merges with a mention in two chains",
        lambda r: [r.key.chains.add().mentions.add(part=1) for _ in range(2)],
        "key.chains[1].mentions[0]",
        "the same tokens as a mention of chains[0]; expected it in one chain",
    ),
]


@pytest.mark.parametrize(("broken", "field", "description"), [rule[1:] for rule in RULES], ids=[r[0] for r in RULES])
def test_a_broken_rule_is_the_only_violation(broken: Break, field: str, description: str) -> None:
    request = valid()
    assert list(document_request_violations(request)) == []
    broken(request)
    assert [(each.field, each.description) for each in document_request_violations(request)] == [(field, description)]


@pytest.mark.parametrize("broken", [rule[1] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_a_look_at_converted_parts_misses_no_broken_rule(broken: Break) -> None:
    request = valid()
    assert all(is_sound(*each) for each in parts_from_message(request.document))
    broken(request)
    parts = parts_from_message(request.document)
    assert list(document_request_violations(request, parts)) == list(document_request_violations(request))


def test_an_option_may_be_set_once() -> None:
    request = valid()
    for _ in range(2):
        request.strategy.options.add(name="tie", value=v1.OptionValue(text="first"))
    assert [str(each) for each in document_request_violations(request)] == [
        "strategy.options[1].name: 'tie' is set twice; expected each option once"
    ]


def test_the_setup_of_a_stream_keeps_the_same_rules_under_its_own_name() -> None:
    key = v1.HumanMerges()
    for _ in range(2):
        key.chains.add().mentions.add(part=7)
    assert [each.field for each in setup_violations(v1.MergeStreamSetup(key=key))] == [
        "setup.strategy",
        "setup.key.chains[1].mentions[0]",
    ]


@given(pair=documents_with_key())
def test_documents_come_out_of_messages_as_they_went_in_and_break_no_rule(pair: tuple[Document, Document]) -> None:
    document, key = pair
    message = document_to_message(document)
    back = document_from_message(v1.Document.FromString(message.SerializeToString()))
    assert (back.id, back.parts, back.genre) == (document.id, document.parts, document.genre)
    assert set(back.chains) == set(document.chains)
    request = v1.MergeDocumentRequest(document=message, strategy=v1.StrategySpec(name="none"), key=key_to_message(key))
    assert list(document_request_violations(request)) == []
