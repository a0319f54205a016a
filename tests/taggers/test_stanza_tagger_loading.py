"""The Stanza tagger without something that it needs, and without contact to a hub."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from merger.errors import OptionError, UnavailableError
from merger.progress import WorkContext
from merger.taggers import StanzaTagger, make_tagger
from tests.support.building import parts_of
from tests.support.stanza_setup import MODEL, needs_model, needs_stanza, run_python, without_network

NO_NETWORK = without_network(StanzaTagger)


def warm(**options: str) -> None:
    StanzaTagger(options).warm(WorkContext())


def test_it_is_made_by_name_and_knows_its_options() -> None:
    assert isinstance(make_tagger("stanza"), StanzaTagger)
    with pytest.raises(OptionError, match="encoder"):
        make_tagger("stanza", {"encoder": "x"})
    with pytest.raises(OptionError, match="no tagger 'nltk'; there are spacy, corenlp, stanza"):
        make_tagger("nltk")


def test_without_the_packages_it_says_what_to_install(tmp_path: Path) -> None:
    # -S: without the folder that packages are installed in.
    code = NO_NETWORK + "print(StanzaTagger.unavailable()); warm()"

    says = "stanza, torch, transformers, peft not installed: pip install 'merge-baseline[stanza]'"
    assert run_python(code, tmp_path, "-S") == [says, f"UnavailableError tagger stanza: {says}"]


def test_a_local_model_is_used_without_a_single_call_to_a_hub(tagger_model: Path, tmp_path: Path) -> None:
    code = f"""
    import os
    from tests.support.building import parts_of
    tagger = StanzaTagger({{"model": {str(tagger_model)!r}}})
    print(all(tagger.tag(parts_of("Ann left ."), WorkContext()).parts[0].sentences[0].xpos))
    left = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("merge-baseline")]
    print(asked, os.environ["HF_HUB_OFFLINE"], os.listdir(os.environ["STANZA_RESOURCES_DIR"]), left)
    """
    # No call, and nothing is left behind.
    assert run_python(NO_NETWORK + textwrap.dedent(code), tmp_path) == ["True", "[] 1 [] []"]


@needs_stanza
def test_offline_and_without_a_download_of_before_it_says_what_to_do(tmp_path: Path) -> None:
    (line, calls) = run_python(NO_NETWORK + "warm(offline=True); print(asked)", tmp_path)

    assert line.startswith("UnavailableError tagger stanza: Stanza's tagger for 'en' cannot be fetched: ")
    assert line.endswith("; offline: load it once with a network connection, or name a local one with model=PATH")
    assert calls == "[]"


@needs_stanza
def test_a_download_that_fails_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (line, calls) = run_python(NO_NETWORK + "warm(); print(asked != [])", tmp_path)

    assert line.startswith("UnavailableError tagger stanza: Stanza's tagger for 'en' cannot be fetched: ")
    assert line.endswith("; check the network (proxy: HTTPS_PROXY), or name a local one with model=PATH")
    assert calls == "True"


@needs_stanza
def test_a_model_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"tagger stanza: no model file .*none\.pt"):
        warm(model=str(tmp_path / "none.pt"))


@needs_stanza
@pytest.mark.parametrize("content", [b"", b"no model at all", b"PK\x03\x04"], ids=["empty", "text", "half-a-zip"])
def test_a_broken_model_file_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.pt"
    path.write_bytes(content)

    with pytest.raises(UnavailableError, match=r"broken\.pt is no Stanza tagger: "):
        warm(model=str(path))


def test_half_a_model_file_is_an_error_that_names_it(tagger_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.pt"
    path.write_bytes(tagger_model.read_bytes()[: tagger_model.stat().st_size // 2])

    with pytest.raises(UnavailableError, match=r"half\.pt is no Stanza tagger: "):
        warm(model=str(path))


@needs_model
def test_a_coreference_model_is_no_tagger() -> None:
    with pytest.raises(UnavailableError, match=r"small_coref\.pt is no Stanza tagger: "):
        warm(model=str(MODEL))


@needs_stanza
@pytest.mark.parametrize("content", [[1], {"config": None}, {"config": {}}, {"config": {}, "vocab": {}}], ids=str)
def test_another_kind_of_file_is_an_error_that_names_it(tmp_path: Path, content: object) -> None:
    import torch

    torch.save(content, tmp_path / "other.pt")

    with pytest.raises(UnavailableError, match=r"other\.pt is no Stanza tagger: "):
        warm(model=str(tmp_path / "other.pt"))


def _changed(model: Path, path: Path, **config: object) -> str:
    """A copy of a model that says something else of itself."""
    import torch

    state: dict[str, Any] = torch.load(model, weights_only=True)
    state["config"].update(config)
    torch.save(state, path)
    return str(path)


def test_weights_that_do_not_fit_the_model_are_an_error_that_names_it(tagger_model: Path, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"tagger stanza: .*wide\.pt cannot be loaded: "):
        warm(model=_changed(tagger_model, tmp_path / "wide.pt", hidden_dim=64))


def test_a_model_with_word_vectors_works_with_them(model_and_vectors: tuple[Path, Path]) -> None:
    model, vectors = model_and_vectors
    tagger = StanzaTagger({"model": str(model), "pretrain": str(vectors)})

    (tagged,) = tagger.tag(parts_of("She left ."), WorkContext()).parts[0].sentences

    assert tagged.upos is not None
    assert all(tagged.upos)


def test_a_model_with_word_vectors_asks_for_them(model_and_vectors: tuple[Path, Path], tmp_path: Path) -> None:
    path = str(model_and_vectors[0])

    with pytest.raises(
        UnavailableError, match=r"small_tagger\.pt needs its word vectors: name them with pretrain=PATH"
    ):
        warm(model=path)
    with pytest.raises(UnavailableError, match=r"no file of word vectors .*none\.pt"):
        warm(model=path, pretrain=str(tmp_path / "none.pt"))
    (tmp_path / "vectors.pt").write_bytes(b"no vectors")
    with pytest.raises(
        UnavailableError, match=r"small_tagger\.pt with the word vectors .*vectors\.pt cannot be loaded: "
    ):
        warm(model=path, pretrain=str(tmp_path / "vectors.pt"))


def test_a_model_with_character_language_models_is_refused(tagger_model: Path, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"m\.pt needs character language models.*nocharlm"):
        warm(model=_changed(tagger_model, tmp_path / "m.pt", charlm=True))


@needs_stanza
def test_word_vectors_without_a_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="word vectors go with a model file"):
        warm(pretrain=str(tmp_path))


def test_cuda_where_there_is_none_is_an_error(tagger_model: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")

    with pytest.raises(UnavailableError, match="tagger stanza: torch finds no CUDA device here; use device=cpu"):
        warm(model=str(tagger_model), device="cuda")
