from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import random, sys
from client.evaluation.scoring import conll_f1, score_document
draw = random.Random(1).randrange
key, response = [[[] for _ in range(60)] for _ in range(2)]
for mention in range(600):
    key[draw(60)].append(mention)
    response[draw(60)].append(mention)
assert 0 < conll_f1(score_document(key, response)) < 1
print(sorted({"numpy", "scipy"} & set(sys.modules)))
"""


def test_a_usual_document_is_scored_without_importing_numpy_or_scipy() -> None:
    root = Path(__file__).parents[3]

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")
