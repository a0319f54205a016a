"""Stanford CoreNLP's coreference systems.

``deterministic`` is the rule-based system of Lee et al. (2013), CoreNLP's annotator ``dcoref``: the second baseline of
LongtoNotes 3.2. ``statistical`` is Clark and Manning (2015), ``neural`` Clark and Manning (2016); ``fastneural`` is
CoreNLP's smaller neural system.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar

from merger.backends.base import Backend
from merger.backends.corenlp.models import ALGORITHM_MODELS, INSTALL_COMMAND, PARSER_MODELS
from merger.backends.corenlp.options import (
    OPERATOR_OPTIONS,
    SERVER_OPTIONS,
    server_handle,
    server_version,
    why_unavailable,
)
from merger.backends.corenlp.sentences import sent_sentences
from merger.backends.health import Health
from merger.backends.mention_matching import Cluster
from merger.backends.windows import cut_windows, stitch
from merger.document import Document
from merger.errors import Location, UnavailableError
from merger.options import Option, OptionValue
from merger.progress import WorkContext

# Fine-grained entity types and times are of no use to coreference, which looks at the coarse types only, and they take
# a good part of the time to load.
_ENTITIES = {"ner.applyFineGrained": "false", "ner.useSUTime": "false"}
# Only the sentiment annotator reads these trees.
_TREES = {"parse.binaryTrees": "false"}


class CoreNLPBackend(Backend):
    """Clusters by CoreNLP. English only. Instances with the same server options share one server.

    Documents of more than ``max-tokens`` tokens are cut into windows that share a tenth of that.
    """

    name: ClassVar[str] = "corenlp"
    summary: ClassVar[str] = "Stanford CoreNLP, rule-based (the paper's second baseline), statistical or neural"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "algorithm",
            "deterministic",
            "deterministic is the paper's system, the annotator dcoref; the others are CoreNLP's later ones",
            choices=tuple(ALGORITHM_MODELS),
        ),
        Option(
            "parser",
            "shift-reduce",
            "shift-reduce needs an extra jar (445 MB); pcfg takes about four times as long",
            choices=tuple(PARSER_MODELS),
        ),
        Option(
            "max-tokens",
            5000,
            "longer documents are cut into windows of this many tokens: deterministic takes quadratic time",
            low=100,
            high=1_000_000,
        ),
        *SERVER_OPTIONS,
    )
    operator_options: ClassVar[frozenset[str]] = OPERATOR_OPTIONS

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Starts nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        super().__init__(options)
        self._handle = server_handle(self.values)

    @classmethod
    def unavailable(cls) -> str | None:
        """Why no server can be started with default options (``url`` would need neither Java nor jars)."""
        return why_unavailable()

    def missing(self) -> str | None:
        """As :meth:`unavailable`; ``None`` with ``url``, as nothing must be installed here then."""
        return None if self.values["url"] else self.unavailable()

    def warm(self, watch: WorkContext) -> None:
        """Start the server and load the models; takes half a minute."""
        self._check_models()
        # CoreNLP makes a pipeline for each; the second one reuses the models of the first.
        for tagged in (False, True):
            self._handle.get().prepare(self._properties(tagged=tagged), watch)

    def check(self, seconds: float) -> Health:
        """Whether the server's process runs, and whether it answers."""
        return self._handle.get().check(seconds)

    def restart(self, watch: WorkContext) -> None:
        """Stop the server if it is unhealthy, also for others that share it; then start it and load the models."""
        server = self._handle.get()
        server.end_unless_well()
        self.warm(watch)

    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        """Clusters over the whole document; some can be singletons."""
        from merger.backends.corenlp.server import Job

        sentences = sent_sentences(document)
        if not sentences:
            return ()
        self._check_models()
        server = self._handle.get()
        properties = self._properties(tagged=sentences[0].tags is not None)
        server.prepare(properties, watch)
        limit = int(self.values["max-tokens"])
        lengths = [len(sentence.words) for sentence in sentences]
        total, location = sum(lengths), Location(document.file, document=document.id)
        end = time.monotonic() + float(self.values["timeout"])
        clusters = []
        for window in cut_windows(lengths, limit, limit // 10):
            job = Job(properties, sentences[window.start : window.stop], location)
            clusters.append(server.annotate(job, end - time.monotonic(), watch).clusters)
            watch.progress("coreference", sum(lengths[: window.stop]), total)
        return stitch(clusters)

    def close(self) -> None:
        """Stop the server, if nobody else shares it."""
        self._handle.close()

    @property
    def signature(self) -> str:
        """With CoreNLP's version where it is known."""
        shown = ",".join(f"{name}={self.values[name]}" for name in ("algorithm", "parser", "max-tokens"))
        return f"{self.name}{server_version(self._handle.config)}[{shown}]"

    def _properties(self, *, tagged: bool) -> dict[str, str]:
        algorithm = str(self.values["algorithm"])
        coreference = "dcoref" if algorithm == "deterministic" else "coref"
        properties = {
            # Needed even with given tags: CoreNLP parses mentions that are not constituents again, which requires a
            # tagger.
            "annotators": f"pos,lemma,ner,parse,{coreference}",
            "pos.reuseTags": "true" if tagged else "false",
            "parse.model": PARSER_MODELS[str(self.values["parser"])],
            **_ENTITIES,
            **_TREES,
        }
        if coreference == "coref":
            properties["coref.algorithm"] = algorithm
        return properties

    def _check_models(self) -> None:
        from merger.backends.corenlp.install import find_installation

        if self._handle.config.url:
            return
        found = find_installation(self._handle.config.home)
        if self.values["parser"] not in found.parsers:
            raise UnavailableError(
                f"{found.home} does not hold the {self.values['parser']} parser; run `{INSTALL_COMMAND}`, or set "
                "parser=pcfg, which takes about four times as long"
            )
        if self.values["algorithm"] not in found.algorithms:
            raise UnavailableError(f"{found.home} does not hold the models of algorithm {self.values['algorithm']}")
