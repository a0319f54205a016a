"""Small CoNLL-U documents with CorefUD entities, one line of text a token, and their scores."""

from __future__ import annotations

import io

from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.mention_matching import Matching
from merger.document import Document
from merger.formats import FORMATS, Lines, ReadOptions
from merger.notices import Notices, Policy


def document(*sentences: str, fields: str = "eid-etype-head") -> Document:
    """A document whose sentences have a token a line: ``form entity [dependencies]``, ``-`` for no entity.

    A line whose form is ``0`` is an empty node; ``dependencies`` are its DEPS. All words hang on the first.
    """
    rows = [f"# newdoc id = d\n# global.Entity = {fields}\n"]
    for number, sentence in enumerate(sentences):
        rows.append(f"# sent_id = s{number}\n")
        word = node = 0
        for line in sentence.strip().splitlines():
            form, entity, *rest = line.split()
            misc = "_" if entity == "-" else f"Entity={entity}"
            if form == "0":
                node += 1
                rows.append(f"{word}.{node}\t_\t_\t_\t_\t_\t_\t_\t{rest[0] if rest else '_'}\t{misc}\n")
            else:
                word, node = word + 1, 0
                head, relation = ("0", "root") if word == 1 else ("1", "dep")
                rows.append(f"{word}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t{misc}\n")
        rows.append("\n")
    (read,) = FORMATS["conllu"].read(
        Lines("x.conllu", io.StringIO("".join(rows), newline="\n")), ReadOptions(Notices(Policy.STRICT))
    )
    assert isinstance(read, Document)
    return read


def scored(
    key: Document, response: Document, match: str = "exact", zeros: str = "dependent", *, singletons: bool = True
) -> Evaluation:
    """The response's scores; repairs are errors."""
    matching = Matching(match, zeros)
    return evaluate(
        [key], [response], matching=matching, drop_singletons=not singletons, notices=Notices(Policy.STRICT)
    )


def counts(evaluation: Evaluation, metric: str) -> tuple[float, float, float, float]:
    """Recall and precision, each as numerator and denominator."""
    found = evaluation.total.scores[metric]
    return (
        found.recall_numerator,
        found.recall_denominator,
        found.precision_numerator,
        found.precision_denominator,
    )
