"""The Stanza backend with the small demonstration model (a weak one: what it finds is not what is tested)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from merger import Cut, read_documents, split_document
from merger.backends.stanza.backend import StanzaBackend
from merger.document import Document, Mention, Part, Sentence
from merger.errors import OptionError
from merger.progress import WorkContext
from tests.backends.one_word_mentions import map_clusters
from tests.support.building import parts_of
from tests.support.command_line import PATIENCE
from tests.support.shared_data import needs, shared_files
from tests.support.stanza_setup import MODEL, OPTIONS, needs_model

EXAMPLES = Path(__file__).parents[2] / "examples"
STORY = "Ann Smith lost her old red hat .\nShe looked for it in the garden ."


@pytest.fixture(scope="module")
def backend() -> Iterator[StanzaBackend]:
    with StanzaBackend(OPTIONS) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def clock() -> Document:
    (document,) = read_documents(str(EXAMPLES / "parts" / "clock.conll"))
    return document


def as_sets(clusters: tuple[tuple[Mention, ...], ...]) -> set[frozenset[Mention]]:
    return set(map(frozenset, clusters))


def of_words(*sentences: tuple[str, ...]) -> Document:
    return Document("d", (Part(tuple(map(Sentence, sentences))),))


def test_windows_that_share_all_they_have_are_refused() -> None:
    with pytest.raises(OptionError, match="overlap: 400 is not below max-tokens, 400"):
        StanzaBackend({"max-tokens": 400})


@needs_model
def test_it_finds_who_she_is(backend: StanzaBackend) -> None:
    clusters = backend.predict(parts_of(STORY), WorkContext())

    # "Ann Smith", "her", "She".
    assert {Mention(0, 0, 0, 1), Mention(0, 0, 3, 3), Mention(0, 1, 0, 0)} in map(set, clusters)


@needs_model
def test_clusters_are_those_of_stanza_s_own_pipeline(backend: StanzaBackend, clock: Document, tmp_path: Path) -> None:
    expected = _by_pipeline(clock, tmp_path)

    assert len(expected) > 3
    assert as_sets(backend.predict(clock, WorkContext())) == expected


def _by_pipeline(document: Document, folder: Path) -> set[frozenset[Mention]]:
    """What ``doc.coref`` of a Stanza pipeline has: sentence, first word, end word (exclusive) of each mention."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import stanza
        import torch

        state: dict[str, Any] = torch.load(MODEL, weights_only=True)
        state["config"]["bert_model"] = OPTIONS["encoder"]
        torch.save(state, folder / "model.pt")
        (folder / "resources.json").write_text('{"en": {}}', encoding="utf-8")
        pipeline = stanza.Pipeline(
            "en",
            dir=str(folder),
            download_method=None,
            processors="tokenize,coref",
            tokenize_pretokenized=True,
            coref_model_path=str(folder / "model.pt"),
            use_gpu=False,
            verbose=False,
        )
        places = [
            (part, index, sentence.forms)
            for part, each in enumerate(document.parts)
            for index, sentence in enumerate(each.sentences)
        ]
        found = pipeline([list(forms) for _, _, forms in places])
    # Heads of two clusters may have the same span: the first cluster has it.
    seen: set[Mention] = set()
    clusters: set[frozenset[Mention]] = set()
    for chain in found.coref:
        mentions = set()
        for mention in chain.mentions:
            part, index, _ = places[mention.sentence]
            mentions.add(Mention(part, index, mention.start_word, mention.end_word - 1))
        clusters.add(frozenset(mentions - seen))
        seen |= mentions
    return {cluster for cluster in clusters if len(cluster) > 1}


@needs_model
def test_empty_nodes_change_nothing_but_the_indexes(backend: StanzaBackend) -> None:
    words = of_words(("Ann", "Smith", "lost", "her", "hat", "."), ("She", "cried", "."))
    with_nodes = Document(
        "d",
        (
            Part(
                (
                    Sentence(("Ann", "", "Smith", "lost", "her", "hat", "."), empty=(1,)),
                    Sentence(("_",), empty=(0,)),
                    Sentence(("_", "She", "cried", "."), empty=(0,)),
                )
            ),
        ),
    )
    moved = {
        Mention(0, 0, 0, 1): Mention(0, 0, 0, 2),
        Mention(0, 0, 3, 3): Mention(0, 0, 4, 4),
        Mention(0, 1, 0, 0): Mention(0, 2, 1, 1),
    }

    plain = backend.predict(words, WorkContext())

    assert as_sets(plain) == {frozenset(moved)}
    assert as_sets(backend.predict(with_nodes, WorkContext())) == {frozenset(moved.values())}


@needs_model
@pytest.mark.parametrize(
    "forms",
    [
        ("", "\u200b", "\u0301", " "),
        ("[SEP]", "he", "[PAD]", "[CLS]", "[MASK]", "[UNK]"),
        ("\ud800", "\x00", "\ufffd"),
        ("x" * 5000, "1" * 99, "-" * 5000),
        (".",),
    ],
    ids=["nothing-to-see", "marks", "no-text", "long", "one"],
)
def test_odd_tokens_are_read_like_any_others(backend: StanzaBackend, forms: tuple[str, ...]) -> None:
    ann = (("Ann", "Smith", "lost", "her", "hat", "."), ("She", "cried", "."))

    clusters = backend.predict(of_words(*ann, forms), WorkContext())

    assert any({Mention(0, 0, 0, 1), Mention(0, 1, 0, 0)} <= set(cluster) for cluster in clusters)
    assert isinstance(backend.predict(of_words(forms), WorkContext()), tuple)


@needs_model
def test_a_sentence_longer_than_the_encoder_s_window_ends(backend: StanzaBackend) -> None:
    # Stanza 1.15 never comes back from a sentence of more than twice the window (512 subwords).
    long = ("a", "stone", ",") * 400
    document = of_words(("Ann", "Smith", "cried", "."), long, ("She", "left", "."))

    clusters = backend.predict(document, WorkContext())

    assert all(mention.last < len(document.sentence(mention)) for cluster in clusters for mention in cluster)


@needs_model
@pytest.mark.parametrize("document", [Document("d", ()), of_words(), of_words((), ())], ids=["parts", "none", "empty"])
def test_a_document_without_tokens_has_no_clusters(document: Document) -> None:
    assert StanzaBackend(OPTIONS).predict(document, WorkContext()) == ()


@needs_model
def test_small_windows_are_stitched(backend: StanzaBackend, clock: Document) -> None:
    seen: list[tuple[str, int, int]] = []
    small = StanzaBackend({**OPTIONS, "max-tokens": 300, "overlap": 150})

    clusters = small.predict(clock, WorkContext(progress=lambda *each: seen.append(each)))

    # 796 tokens: 300 + at least 150 new ones a window; and with sentences of up to 60 tokens not more than 6.
    windows = seen[-1][2]
    assert 4 <= windows <= 7
    assert seen == [("loading", 0, 1), ("loading", 1, 1), *(("windows", done, windows) for done in range(windows + 1))]
    mentions = [mention for cluster in clusters for mention in cluster]
    assert len(mentions) == len(set(mentions))
    assert all(len(cluster) > 1 for cluster in clusters)
    # A cluster that reaches further than a window, so it was put together from several.
    assert any(cluster[-1].part - cluster[0].part > 1 for cluster in clusters)
    # Most mentions are found with the whole document in view too.
    whole = {mention for cluster in backend.predict(clock, WorkContext()) for mention in cluster}
    assert len(whole & set(mentions)) > len(whole) / 2


@needs_model
def test_deadlines_are_heard_of_between_windows(clock: Document) -> None:
    small = StanzaBackend({**OPTIONS, "max-tokens": 200, "overlap": 20})
    small.warm(WorkContext())
    started: list[int] = []

    def check() -> None:
        if len(started) == 2:
            raise TimeoutError

    def progress(stage: str, done: int, total: int) -> None:
        assert (stage, done < total) == ("windows", True)
        started.append(done)

    with pytest.raises(TimeoutError):
        small.predict(clock, WorkContext(check=check, progress=progress))
    assert started == [0, 1]


@needs_model
def test_a_waiting_thread_hears_of_its_deadline(backend: StanzaBackend, clock: Document) -> None:
    def check() -> None:
        if time.monotonic() > begun + 0.1:
            raise TimeoutError

    backend.warm(WorkContext())
    with backend._model._running:
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            backend.predict(clock, WorkContext(check=check))
        assert time.monotonic() - begun < PATIENCE


@needs_model
def test_threads_share_one_model_and_get_the_same_clusters(clock: Document) -> None:
    shared = StanzaBackend(OPTIONS)
    loads: list[str] = []
    found: list[set[frozenset[Mention]]] = []

    def work() -> None:
        watch = WorkContext(
            progress=lambda stage, done, _: loads.append(stage) if stage == "loading" and not done else None
        )
        found.append(as_sets(shared.predict(clock, watch)))

    _in_threads(work, 3)

    assert loads == ["loading"]
    assert len(found) == 3
    assert found[0] == found[1] == found[2] != set()


def _in_threads(work: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@needs_model
def test_it_can_be_used_again_after_closing() -> None:
    reopened = StanzaBackend(OPTIONS)
    before = reopened.predict(parts_of(STORY), WorkContext())
    reopened.close()
    reopened.close()

    assert reopened.predict(parts_of(STORY), WorkContext()) == before


@needs_model
def test_the_signature_names_model_sizes_and_version(backend: StanzaBackend) -> None:
    from importlib.metadata import version

    # The first digits of the file's SHA-256, as its own notes give it.
    assert backend.signature == (
        f"stanza[model=small_coref.pt#bc2a9a46,max-tokens=4000,overlap=400,stanza={version('stanza')}]"
    )


@needs_model
@needs("litbank")
def test_on_a_real_document_most_links_are_the_human_ones(backend: StanzaBackend) -> None:
    # The model may have been trained on this document: a check that all works together, not a score.
    (document,) = read_documents(str(shared_files("litbank", "2084_*.conll")[0]))
    task = split_document(document, Cut.PARTS, 3)
    human = {decision.chain: decision.antecedent for decision in task.decisions}

    decisions, _ = map_clusters(task.parts, backend.predict(task.parts, WorkContext()), "majority-one-to-one")

    linked = [each for each in decisions if each.antecedent is not None]
    same = [each for each in linked if each.antecedent == human[each.chain]]
    assert len(same) > 2
    assert len(same) > len(linked) / 2
