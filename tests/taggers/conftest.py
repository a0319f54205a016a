"""A small tagger, trained by Stanza itself: an official one would have to be downloaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from merger.backends.stanza.library import missing_packages

EXAMPLES = Path(__file__).parents[2] / "examples" / "corefud"
TRAINED_ON = ("allotment", "clock")
CHOSEN_BY = "ferry"
"""The document by which Stanza keeps the better of its models."""

# Few and narrow layers, sixty steps: three seconds of training on one thread, which is faster here than several.
_SIZES = {
    "hidden_dim": 32,
    "char_hidden_dim": 24,
    "char_emb_dim": 12,
    "word_emb_dim": 32,
    "tag_emb_dim": 8,
    "transformed_dim": 16,
    "deep_biaff_hidden_dim": 32,
    "composite_deep_biaff_hidden_dim": 8,
    "num_layers": 1,
    "word_cutoff": 1,
    "word_dropout": 0.1,
    "dropout": 0.2,
    "augment_nopunct": 0,
    "lr": 0.02,
    "batch_size": 8,
    "max_steps": 60,
    "eval_interval": 60,
}


def _plain(name: str) -> str:
    """A document as UD has it: words and tags, nothing of coreference, no empty nodes."""
    lines = []
    for line in (EXAMPLES / f"{name}.conllu").read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if not line:
            lines.append("")
        elif columns[0].isdigit():
            lines.append("\t".join((*columns[:9], "_")))
    return "\n".join(lines) + "\n"


def _train(folder: Path, *arguments: str) -> Path:
    """The model that Stanza makes of the examples."""
    (folder / "train.conllu").write_text("".join(map(_plain, TRAINED_ON)), encoding="utf-8")
    (folder / "dev.conllu").write_text(_plain(CHOSEN_BY), encoding="utf-8")
    sizes = [argument for name, value in _SIZES.items() for argument in (f"--{name}", str(value))]
    names = ["--lang", "en", "--shorthand", "en_test", "--save_dir", ".", "--save_name", "small_tagger.pt"]
    files = ["--train_file", "train.conllu", "--eval_file", "dev.conllu", "--device", "cpu", "--fix_eval_interval"]
    done = subprocess.run(
        [sys.executable, "-m", "stanza.models.tagger", *files, *names, *sizes, *arguments],
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "small_tagger.pt"


@pytest.fixture(scope="session")
def tagger_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a Stanza tagger without word vectors, trained on two of the examples."""
    missing = missing_packages()
    if missing is not None:
        pytest.skip(missing)
    return _train(tmp_path_factory.mktemp("tagger"), "--no_pretrain")


@pytest.fixture(scope="session")
def model_and_vectors(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tagger that was trained (for three steps only) with word vectors, and their file."""
    missing = missing_packages()
    if missing is not None:
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("vectors")
    # word2vec's text format: how many words of how many dimensions, then a word and its numbers a line.
    (folder / "vectors.txt").write_text("3 2\nshe 0.5 1\nleft 0.1 -1\n. -0.5 0\n", encoding="utf-8")
    steps = ("--max_steps", "3", "--eval_interval", "3")
    vectors = ("--wordvec_file", "vectors.txt", "--wordvec_pretrain_file", "vectors.pt")
    return _train(folder, *vectors, *steps), folder / "vectors.pt"
