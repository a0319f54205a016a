"""The version of CoreNLP that is installed, and the models that each algorithm and parser needs."""

from __future__ import annotations

VERSION = "4.5.10"
INSTALL_COMMAND = "merge-baseline corenlp install --with shift-reduce"
EXTRAS = {"shift-reduce": "models-english"}
"""Optional models beyond the basic ones, and the classifier of each jar."""

PARSER_MODELS = {
    "shift-reduce": "edu/stanford/nlp/models/srparser/englishSR.ser.gz",
    "pcfg": "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz",
}
ALGORITHM_MODELS = {
    "deterministic": "edu/stanford/nlp/models/dcoref/gender.map.ser.gz",
    "statistical": "edu/stanford/nlp/models/coref/statistical/ranking_model.ser.gz",
    "fastneural": "edu/stanford/nlp/models/coref/fastneural/fast-english-model.ser.gz",
    "neural": "edu/stanford/nlp/models/coref/neural/english-model-default.ser.gz",
}
