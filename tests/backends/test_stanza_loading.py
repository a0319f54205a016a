"""The Stanza backend without something that it needs, and without contact to a hub."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from merger.backends.stanza.backend import StanzaBackend
from merger.errors import UnavailableError
from merger.progress import WorkContext
from tests.support.stanza_setup import ENCODER, MODEL, OPTIONS, needs_model, needs_stanza, run_python, without_network

NO_NETWORK = without_network(StanzaBackend)


def test_without_the_packages_it_says_what_to_install(tmp_path: Path) -> None:
    # -S: without the folder that packages are installed in.
    code = NO_NETWORK + "print(StanzaBackend.unavailable()); warm()"

    says = "stanza, torch, transformers, peft not installed: pip install 'merge-baseline[stanza]'"
    assert run_python(code, tmp_path, "-S") == [says, f"UnavailableError backend stanza: {says}"]


@needs_stanza
def test_with_the_packages_it_is_available() -> None:
    assert StanzaBackend.unavailable() is None


@needs_model
def test_a_local_model_is_used_without_a_single_call_to_a_hub(tmp_path: Path) -> None:
    code = f"""
    from tests.support.building import parts_of
    backend = StanzaBackend({OPTIONS})
    print(backend.predict(parts_of("Ann Smith lost her hat .\\\\nShe cried ."), WorkContext()) != ())
    import os
    left = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("merge-baseline")]
    print(asked, os.environ["HF_HUB_OFFLINE"], os.listdir(os.environ["HF_HOME"]), left)
    """
    # No call, and nothing is left behind: neither in the hub's cache nor of the copy that names the encoder.
    assert run_python(NO_NETWORK + textwrap.dedent(code), tmp_path) == ["True", "[] 1 [] []"]


@needs_model
def test_without_its_encoder_a_local_model_says_so_and_asks_no_hub(tmp_path: Path) -> None:
    (line, calls) = run_python(NO_NETWORK + f"warm(model={str(MODEL)!r}); print(asked)", tmp_path)

    assert line.startswith(
        f"UnavailableError backend stanza: {MODEL} with the encoder sentence-transformers/all-MiniLM"
    )
    assert line.endswith("; name the folder of its encoder with encoder=PATH")
    assert calls == "[]"


@needs_stanza
def test_offline_and_without_a_download_of_before_it_says_what_to_do(tmp_path: Path) -> None:
    (line, calls) = run_python(NO_NETWORK + "warm(offline=True); print(asked)", tmp_path)

    assert line.startswith("UnavailableError backend stanza: Stanza's coreference model for 'en' cannot be fetched")
    assert "offline: load it once with a network connection, or name a local one with model=PATH" in line
    assert calls == "[]"


@needs_stanza
def test_a_download_that_fails_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (line, calls) = run_python(NO_NETWORK + "warm(); print(asked != [])", tmp_path)

    assert line.startswith("UnavailableError backend stanza: Stanza's coreference model for 'en' cannot be fetched")
    assert "check the network (proxy: HTTPS_PROXY), or name a local one" in line
    assert calls == "True"


@needs_model
def test_too_little_memory_is_an_error_of_that_document_alone(tmp_path: Path) -> None:
    code = f"""
    import resource
    from tests.support.building import parts_of
    backend = StanzaBackend({{**{OPTIONS}, "max-tokens": 100000}})
    short = parts_of("Ann Smith lost her hat .\\\\nShe cried .")
    before = backend.predict(short, WorkContext())
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20), resource.RLIM_INFINITY))
    try:
        backend.predict(parts_of("secretword went home .\\\\n" * 2000), WorkContext())
    except MergeBaselineError as error:
        print(type(error).__name__, error, error.__cause__)
    print(backend.predict(short, WorkContext()) == before)
    """
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc to set a memory limit")

    (line, same) = run_python(NO_NETWORK + textwrap.dedent(code), tmp_path)

    assert line.startswith("BackendError document d: Stanza ")
    assert line.endswith("(a smaller max-tokens needs less memory) None")
    assert "secretword" not in line
    assert same == "True"


def warm(**options: str) -> None:
    StanzaBackend(options).warm(WorkContext())


@needs_stanza
def test_a_model_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"no model file .*none\.pt"):
        warm(model=str(tmp_path / "none.pt"))


@needs_stanza
@pytest.mark.parametrize("content", [b"", b"no model at all", b"PK\x03\x04"], ids=["empty", "text", "half-a-zip"])
def test_a_broken_model_file_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.pt"
    path.write_bytes(content)

    with pytest.raises(UnavailableError, match=r"broken\.pt is no Stanza coreference model"):
        warm(model=str(path))


@needs_model
def test_half_a_model_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "half.pt"
    path.write_bytes(MODEL.read_bytes()[: MODEL.stat().st_size // 2])

    with pytest.raises(UnavailableError, match=r"half\.pt is no Stanza coreference model"):
        warm(model=str(path), encoder=str(ENCODER))


@needs_stanza
def test_another_kind_of_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    import torch

    torch.save({"weights": torch.zeros(1)}, tmp_path / "other.pt")

    with pytest.raises(UnavailableError, match=r"other\.pt is no Stanza coreference model: KeyError: 'config'"):
        warm(model=str(tmp_path / "other.pt"))


@needs_model
def test_a_folder_that_is_no_encoder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"nothing is no encoder: a folder with config\.json"):
        warm(model=str(MODEL), encoder=str(tmp_path / "nothing"))


@needs_model
def test_an_encoder_without_weights_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((ENCODER / "config.json").read_bytes())

    with pytest.raises(UnavailableError, match=f"with the encoder {tmp_path} cannot be loaded"):
        warm(model=str(MODEL), encoder=str(tmp_path))


@needs_stanza
def test_an_encoder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="an encoder goes with a model file"):
        warm(encoder=str(tmp_path))


@needs_model
def test_cuda_where_there_is_none_is_an_error() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")

    with pytest.raises(UnavailableError, match="no CUDA device here; use device=cpu"):
        warm(**OPTIONS, device="cuda")
