"""The real CoreNLP: every algorithm, odd tokens, windows, threads. One server for all tests of the module."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.corenlp.models import ALGORITHM_MODELS
from merger.backends.corenlp.sentences import sent_sentences
from merger.backends.corenlp.server import Job
from merger.backends.mention_matching import Cluster
from merger.document import Document, Mention, Part, Sentence
from merger.errors import Location, OptionError
from merger.formats import read_documents
from merger.progress import WorkContext
from merger.taggers import CoreNLPTagger, make_tagger
from tests.support.command_line import PATIENCE
from tests.support.corenlp_here import MEMORY, document_of, needs_corenlp, needs_shift_reduce, process_of

pytestmark = [needs_corenlp, needs_shift_reduce]

_STORY = (
    "Mary Smith lives in Boston .",
    "She works in a bank .",
    "The bank pays Mary Smith well , and she likes her work .",
)
_SHE = {Mention(0, 1, 0, 0), Mention(0, 2, 8, 8), Mention(0, 2, 10, 10)}
_MARY = {Mention(0, 0, 0, 1), Mention(0, 2, 3, 4), *_SHE}
_BANK = {Mention(0, 1, 3, 4), Mention(0, 2, 0, 1)}
_EXAMPLES = Path(__file__).parents[2] / "examples" / "parts"


@pytest.fixture(scope="module")
def backend(corenlp: CoreNLPBackend) -> CoreNLPBackend:
    return corenlp


@pytest.fixture(scope="module")
def tagger(backend: CoreNLPBackend) -> Iterator[CoreNLPTagger]:
    """A tagger on the backend's server."""
    with CoreNLPTagger({"memory": MEMORY}) as tagger:
        assert tagger._handle.get() is backend._handle.get()
        yield tagger


def _entity(clusters: tuple[Cluster, ...], mention: Mention) -> set[Mention]:
    return next((set(cluster) for cluster in clusters if mention in cluster), set())


@pytest.mark.parametrize("algorithm", list(ALGORITHM_MODELS))
def test_every_algorithm_finds_the_entities_of_a_plain_story(algorithm: str, backend: CoreNLPBackend) -> None:
    with CoreNLPBackend({"memory": MEMORY, "algorithm": algorithm}) as other:
        clusters = other.predict(document_of(*_STORY), WorkContext())

        assert other._handle.get() is backend._handle.get()
    assert _entity(clusters, Mention(0, 1, 3, 4)) == _BANK
    # The smallest system does not see that Mary Smith is she.
    assert _entity(clusters, Mention(0, 1, 0, 0)) == (_SHE if algorithm == "fastneural" else _MARY)


def test_the_pcfg_parser_does_as_well(backend: CoreNLPBackend) -> None:
    del backend  # its server is the one that is used
    with CoreNLPBackend({"memory": MEMORY, "parser": "pcfg"}) as other:
        clusters = other.predict(document_of(*_STORY), WorkContext())

    assert {frozenset(cluster) for cluster in clusters if len(cluster) > 1} == {frozenset(_MARY), frozenset(_BANK)}


def test_the_same_document_gives_the_same_clusters(backend: CoreNLPBackend) -> None:
    document = next(iter(read_documents([str(_EXAMPLES / "ferry.conll")])))

    first = backend.predict(document, WorkContext())

    assert sum(len(cluster) > 1 for cluster in first) > 10
    assert backend.predict(document, WorkContext()) == first


def test_mentions_keep_their_places_behind_odd_tokens_and_empty_nodes(backend: CoreNLPBackend) -> None:
    odd = Sentence(("", "\u2028", "\u3000", "\x1f", "🎉🎉", "New York", "\ud800", "."))
    gap = Sentence(("_", "She", "_", "works", "in", "a", "bank", "."), empty=(0, 2))
    alone = Sentence(("_",), empty=(0,))
    first, _, last = _STORY
    document = document_of(odd, first, Sentence(()), alone, gap, odd, last)

    clusters = backend.predict(document, WorkContext())

    # The story's sentences are now 1, 4 and 6; in the second one "She" is token 1 and "a bank" 5 and 6.
    assert _entity(clusters, Mention(0, 4, 1, 1)) == {
        Mention(0, 1, 0, 1),
        Mention(0, 4, 1, 1),
        Mention(0, 6, 3, 4),
        Mention(0, 6, 8, 8),
        Mention(0, 6, 10, 10),
    }
    assert _entity(clusters, Mention(0, 4, 5, 6)) == {Mention(0, 4, 5, 6), Mention(0, 6, 0, 1)}


def test_entities_cross_parts(backend: CoreNLPBackend) -> None:
    parts = tuple(document_of(text).parts[0] for text in _STORY)

    clusters = backend.predict(Document("d", parts), WorkContext())

    assert _entity(clusters, Mention(0, 0, 0, 1)) == {
        Mention(sentence, 0, first, last) for _, sentence, first, last, _ in _MARY
    }


def test_speakers_tell_one_i_from_another(backend: CoreNLPBackend) -> None:
    def said(speaker: str, text: str) -> Sentence:
        forms = tuple(text.split())
        return Sentence(forms, speakers=(speaker,) * len(forms))

    clusters = backend.predict(
        document_of(said("Ann", "I like cats ."), said("Bob", "I like dogs ."), said("Ann", "I know .")), WorkContext()
    )

    assert Mention(0, 2, 0, 0) in _entity(clusters, Mention(0, 0, 0, 0))
    assert Mention(0, 1, 0, 0) not in _entity(clusters, Mention(0, 0, 0, 0))


def test_given_tags_stay(backend: CoreNLPBackend) -> None:
    # No tagger would give these by itself.
    words, tags = ("Mary", "slept", "."), ("UH", "FW", "SYM")
    sent = sent_sentences(document_of(Sentence(words, xpos=tags)))

    answer = backend._handle.get().annotate(
        Job(backend._properties(tagged=True), sent, Location()), 5 * PATIENCE, WorkContext()
    )

    assert answer.tags == (tags,)


def test_a_long_document_is_cut_into_windows_whose_clusters_are_joined(backend: CoreNLPBackend) -> None:
    # 40 sentences of 10 tokens; windows of 100 tokens share a tenth, one sentence.
    sentence = "Mary Smith went to the big market again today ."
    document = document_of(*[sentence] * 40)
    steps: list[tuple[str, int, int]] = []

    with CoreNLPBackend({"memory": MEMORY, "max-tokens": 100}) as other:
        clusters = other.predict(document, WorkContext(progress=lambda *step: steps.append(step)))

    assert backend._handle.get() is not None
    assert _entity(clusters, Mention(0, 0, 0, 1)) >= {Mention(0, index, 0, 1) for index in range(40)}
    # Windows begin every 9 sentences: 0-9, 9-18, 18-27, 27-36, 36-39.
    assert steps == [("coreference", done, 400) for done in (100, 190, 280, 370, 400)]


def test_threads_share_the_server_and_get_their_own_answers(backend: CoreNLPBackend) -> None:
    stories = [document_of(*_STORY, name="story"), *read_documents([str(_EXAMPLES / "ferry.conll")])]
    alone = [backend.predict(document, WorkContext()) for document in stories]
    process = process_of(backend._handle.get())

    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda document: backend.predict(document, WorkContext()), stories * 3))

    assert together == alone * 3
    assert process_of(backend._handle.get()) is process


def test_documents_without_text_have_no_clusters(backend: CoreNLPBackend) -> None:
    assert backend.predict(Document("d", ()), WorkContext()) == ()
    assert backend.predict(Document("d", (Part((Sentence(()),)),)), WorkContext()) == ()


def test_the_tagger_fills_only_sentences_without_tags(tagger: CoreNLPTagger) -> None:
    tagged = Sentence(("x", "y"), xpos=("FW", ""))
    universal = Sentence(("x",), upos=("X",))
    bare = Sentence(("_", "Ann", "likes", "her", "cats", "."), xpos=("",) * 6, empty=(0,))
    document = document_of(tagged, bare, universal, Sentence(()))

    after = tagger.tag(document, WorkContext())

    assert after.parts[0].sentences[1].xpos == ("", "NNP", "VBZ", "PRP$", "NNS", ".")
    assert [after.parts[0].sentences[index] for index in (0, 2, 3)] == [tagged, universal, Sentence(())]
    assert tagger.tag(after, WorkContext()) is after


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.lists(st.text(max_size=6), max_size=6), min_size=1, max_size=4))
def test_whatever_the_tokens_are_each_gets_a_tag(tagger: CoreNLPTagger, rows: list[list[str]]) -> None:
    after = tagger.tag(document_of(*(Sentence(tuple(row)) for row in rows)), WorkContext())

    for row, sentence in zip(rows, after.parts[0].sentences, strict=True):
        assert sentence.forms == tuple(row)
        assert len(sentence.xpos or ()) == len(row)
        assert all(sentence.xpos or ())


def test_a_very_long_sentence_and_a_very_long_token_are_taken(backend: CoreNLPBackend) -> None:
    long_sentence = Sentence(tuple(["and", "Mary", "Smith", "slept"] * 75))
    long_token = Sentence(("x" * 20_000, "slept", "."))

    clusters = backend.predict(document_of(long_sentence, long_token), WorkContext())

    assert clusters


def test_the_caller_can_end_the_wait_and_the_next_document_is_served(tagger: CoreNLPTagger) -> None:
    class Stop(Exception):  # noqa: N818  # what a caller raises is the caller's affair
        pass

    begin = time.monotonic()

    def check() -> None:
        if time.monotonic() > begin + 0.6:
            raise Stop

    # Tagging this takes several seconds.
    many = document_of(*["Ann likes her cats , and her cats like Ann ."] * 40_000)
    with pytest.raises(Stop):
        tagger.tag(many, WorkContext(check=check))

    assert time.monotonic() - begin < PATIENCE


def test_signatures_name_the_version(backend: CoreNLPBackend, tagger: CoreNLPTagger) -> None:
    name = tagger.signature

    assert name.startswith("corenlp-4.")
    assert backend.signature == f"{name}[algorithm=deterministic,parser=shift-reduce,max-tokens=5000]"


def test_nothing_is_started_before_it_is_needed() -> None:
    # Threads of other tests may end meanwhile.
    before = set(threading.enumerate())

    with CoreNLPBackend({"memory": "1G"}) as backend, make_tagger("corenlp", {"memory": "1G"}):
        assert set(threading.enumerate()) <= before
    backend.close()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("memory", "6GB"),
        ("memory", "0"),
        ("memory", "6G -Dx=y"),
        ("algorithm", "hybrid"),
        ("parser", "none"),
        ("timeout", 0),
        ("port", 70_000),
        ("max-tokens", 10),
        ("url", "ftp://host"),
        ("url", "http://host:x"),
        ("nonsense", "1"),
    ],
)
def test_bad_options_are_refused(option: str, value: str | int) -> None:
    with pytest.raises(OptionError, match=option):
        CoreNLPBackend({option: value})
