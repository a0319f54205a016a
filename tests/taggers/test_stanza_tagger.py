"""The Stanza tagger with a small model that is trained for these tests (a weak one: see the conftest)."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import pytest

from merger import read_documents
from merger.document import Document, Part, Sentence
from merger.errors import BackendError
from merger.progress import WorkContext
from merger.syntax import TagReader
from merger.taggers import StanzaTagger
from tests.support.building import parts_of
from tests.support.command_line import run
from tests.taggers.conftest import EXAMPLES, TRAINED_ON

UNSEEN = EXAMPLES / "wells.conllu"
Column = Callable[[Sentence], tuple[str, ...] | None]


@pytest.fixture(scope="module")
def tagger(tagger_model: Path) -> Iterator[StanzaTagger]:
    import torch

    # Threads cost a small model more than they bring, many times over on a busy machine.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with StanzaTagger({"model": str(tagger_model)}) as loaded:
        yield loaded
    torch.set_num_threads(threads)


def example(name: str) -> Document:
    (document,) = read_documents(str(EXAMPLES / f"{name}.conllu"))
    return document


def without_tags(document: Document) -> Document:
    parts = (
        replace(part, sentences=tuple(replace(sentence, xpos=None, upos=None) for sentence in part.sentences))
        for part in document.parts
    )
    return replace(document, parts=tuple(parts))


def sentences_of(document: Document) -> list[Sentence]:
    return list(chain.from_iterable(part.sentences for part in document.parts))


def of_words(*sentences: Sentence) -> Document:
    return Document("d", (Part(sentences),))


def column_of(document: Document, column: Column) -> list[str]:
    return list(chain.from_iterable(column(sentence) or () for sentence in sentences_of(document)))


def test_every_token_gets_both_tags_and_nothing_else_changes(tagger: StanzaTagger) -> None:
    bare = without_tags(example("wells"))

    tagged = tagger.tag(bare, WorkContext())

    assert all(column_of(tagged, lambda sentence: sentence.xpos))
    assert all(column_of(tagged, lambda sentence: sentence.upos))
    count = len(column_of(bare, lambda sentence: sentence.forms))
    assert count == len(column_of(tagged, lambda sentence: sentence.xpos))
    assert count == len(column_of(tagged, lambda sentence: sentence.upos))
    assert without_tags(tagged) == bare


@pytest.mark.parametrize("column", [lambda s: s.xpos, lambda s: s.upos], ids=["xpos", "upos"])
def test_tags_are_better_than_one_tag_for_all(tagger: StanzaTagger, column: Column) -> None:
    document = example("wells")
    gold = column_of(document, column)
    seen = chain.from_iterable(column_of(example(name), column) for name in TRAINED_ON)

    found = column_of(tagger.tag(without_tags(document), WorkContext()), column)

    # Baseline: each token of the unseen document gets the most frequent tag of the documents that were trained on.
    # It is right for one in seven (NN) or one in ten (PUNCT); half of all is far from both, and from chance.
    most_frequent, _ = Counter(seen).most_common(1)[0]
    right = sum(tag == true for tag, true in zip(found, gold, strict=True))
    assert right > gold.count(most_frequent)
    assert right > len(gold) / 2


def test_sentences_with_tags_stay_as_they_are(tagger: StanzaTagger) -> None:
    tagged = Sentence(("Ann", "left"), xpos=("XX", ""))
    by_universal = Sentence(("Ann", "left"), upos=("", "X"))
    document = of_words(tagged, Sentence(("She", "left", ".")), by_universal)

    first, second, third = sentences_of(tagger.tag(document, WorkContext()))

    assert (first, third) == (tagged, by_universal)
    assert second.xpos is not None
    assert all(second.xpos)
    assert second.upos is not None
    assert all(second.upos)


def test_without_a_sentence_to_tag_no_model_is_loaded(tmp_path: Path) -> None:
    tagger = StanzaTagger({"model": str(tmp_path / "none.pt")})
    document = of_words(Sentence(("Ann",), xpos=("NNP",)), Sentence(()), Sentence(("_",), empty=(0,)))

    assert tagger.tag(document, WorkContext()) is document


def test_empty_nodes_are_neither_shown_nor_tagged(tagger: StanzaTagger) -> None:
    words = ("She", "looked", "for", "it", ".")
    (plain,) = sentences_of(tagger.tag(of_words(Sentence(words)), WorkContext()))
    assert plain.xpos is not None

    (tagged,) = sentences_of(
        tagger.tag(of_words(Sentence(("_", *words[:2], "for", *words[2:]), empty=(0, 3))), WorkContext())
    )

    assert tagged.xpos == ("", *plain.xpos[:2], "", *plain.xpos[2:])


@pytest.mark.parametrize(
    "form",
    [
        "",
        " ",
        "\t\n",
        "\u200b",
        "\x00",
        "\ud800",
        "\ufeff",
        "<PAD>",
        "<UNK>",
        "<ROOT>",
        "New York",
        "漢字",
        "a" * 100_000,
    ],
    ids=ascii,
)
def test_odd_tokens_are_tagged_like_any_other(tagger: StanzaTagger, form: str) -> None:
    alone, among = sentences_of(
        tagger.tag(of_words(Sentence((form,)), Sentence(("She", form, "left", "."))), WorkContext())
    )

    assert alone.forms == (form,)
    assert alone.upos is not None
    assert all(alone.upos)
    assert among.forms == ("She", form, "left", ".")
    assert among.upos is not None
    assert len(among.upos) == len(among.forms)
    assert all(among.upos)


def test_a_very_long_sentence_is_tagged_to_its_end(tagger: StanzaTagger) -> None:
    words = ("She", "looked", "for", "it", "in", "the", "garden", ",") * 2_500

    (tagged,) = sentences_of(tagger.tag(of_words(Sentence(words)), WorkContext()))

    assert tagged.xpos is not None
    assert len(tagged.xpos) == len(words)
    assert all(tagged.xpos)
    assert tagged.xpos[-1] == ","


def test_what_a_sentence_gets_depends_on_no_other(tagger: StanzaTagger) -> None:
    bare = without_tags(example("wells"))
    together = sentences_of(tagger.tag(bare, WorkContext()))

    for index in (0, 10, len(together) - 1):
        (alone,) = sentences_of(tagger.tag(of_words(sentences_of(bare)[index]), WorkContext()))
        assert alone == together[index]


def test_threads_share_the_model(tagger_model: Path) -> None:
    bare = without_tags(example("ferry"))
    found: list[Document] = []
    with StanzaTagger({"model": str(tagger_model)}) as tagger:
        threads = [threading.Thread(target=lambda: found.append(tagger.tag(bare, WorkContext()))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expected = tagger.tag(bare, WorkContext())

    assert found == [expected] * 3


def test_work_ends_when_the_caller_is_gone(tagger: StanzaTagger) -> None:
    class GoneError(Exception):
        pass

    checks = 0

    def check() -> None:
        nonlocal checks
        checks += 1
        if checks > 1:
            raise GoneError

    with pytest.raises(GoneError):
        tagger.tag(of_words(*[Sentence(("She", "left", "."))] * 1_000), WorkContext(check=check))

    assert checks == 2


def test_closed_it_loads_the_model_again(tagger_model: Path) -> None:
    document = of_words(Sentence(("She", "left", ".")))
    with StanzaTagger({"model": str(tagger_model)}) as tagger:
        first = tagger.tag(document, WorkContext())
        tagger.close()

        assert tagger.tag(document, WorkContext()) == first


def test_the_signature_names_version_and_model(tagger_model: Path) -> None:
    digits = sha256(tagger_model.read_bytes()).hexdigest()[:8]

    signature = StanzaTagger({"model": str(tagger_model)}).signature

    assert signature == f"stanza-{version('stanza')}:small_tagger.pt#{digits}"
    assert StanzaTagger({"language": "de"}).signature == f"stanza-{version('stanza')}:official-de"


def test_greedy_works_on_text_that_has_no_tags(tagger_model: Path, tagger: StanzaTagger, tmp_path: Path) -> None:
    stripped = re.sub(r"(?m)^(\d+\t[^\t]*\t[^\t]*)\t[^\t]*\t[^\t]*", r"\1\t_\t_", UNSEEN.read_text("utf-8"))
    bare = tmp_path / "wells.conllu"
    bare.write_text(stripped, encoding="utf-8")
    spec = f"stanza:model={tagger_model}"

    assert run("merge", bare).code == 1
    arguments = ("merge", bare, "--tagger", spec, "--json", "-o", tmp_path / "merged.conllu")
    done = run(*arguments, env={"OMP_NUM_THREADS": "1"})
    assert done.code == 0, done.err
    report = json.loads(done.out)
    merged = (tmp_path / "merged.conllu").read_text("utf-8")

    assert report["strategy"].endswith(f"+tagger:{tagger.signature}")
    assert report["documents"][0]["links"] > 0
    # A noun that chains of two parts share is the greedy rule's only reason to link: each link has one in the evidence.
    (document,) = read_documents(str(bare))
    tagged = tagger.tag(document, WorkContext())
    nouns = {
        form.lower()
        for sentence in sentences_of(tagged)
        for form, noun in zip(sentence.forms, TagReader.of(tagged).noun_flags(sentence), strict=True)
        if noun
    }
    links = [each for each in report["documents"][0]["decisions"] if each["antecedent"] is not None]
    assert links
    for link in links:
        assert link["evidence"]["text"].lower() in nouns
    # The tags are not written.
    assert "\tNN\t" not in merged
    assert "\tNOUN\t" not in merged


def test_a_model_that_fails_is_an_error_without_text(tagger_model: Path) -> None:
    import torch

    # A model with a table of characters that is too short for its alphabet fails on the first text.
    broken = tagger_model.with_name("broken.pt")
    state = torch.load(tagger_model, weights_only=True)
    names = [name for name in state["model"] if "char_emb" in name]
    assert names
    characters = state["vocab"]["char"]
    characters["_unit2id"] = {unit: index + 100_000 for unit, index in characters["_unit2id"].items()}
    torch.save(state, broken)

    with StanzaTagger({"model": str(broken)}) as tagger, pytest.raises(BackendError) as caught:
        tagger.tag(parts_of("secretword left ."), WorkContext())

    assert str(caught.value).startswith(f"document d: Stanza {version('stanza')} failed: ")
    assert "secretword" not in str(caught.value)
