"""Part-of-speech classes over Penn and universal tags."""

from __future__ import annotations

from merger.document import Sentence

# fmt: off
PENN_TAGS = frozenset({
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "NP", "NPS",
    "PDT", "POS", "PRP", "PRP$", "PP", "PP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN",
    "VBP", "VBZ", "VH", "VHD", "VHG", "VHN", "VHP", "VHZ", "VV", "VVD", "VVG", "VVN", "VVP", "VVZ", "WDT", "WP",
    "WP$", "WRB", "IN/that", "SENT", "ADD", "AFX", "GW", "HYPH", "NFP", "XX", "#", "$", "''", "``", "(", ")", ",",
    ".", ":", "-LRB-", "-RRB-",
})
# fmt: on
"""Penn Treebank tags with the OntoNotes, English Web Treebank and TreeTagger additions."""

UNIVERSAL_NOUNS = frozenset({"NOUN", "PROPN"})
_PENN_NOUNS = frozenset({"NN", "NP"})
"""What noun tags begin with."""


def has_tags(sentence: Sentence) -> bool:
    """Whether any token has a part-of-speech tag."""
    return any(sentence.xpos or ()) or any(sentence.upos or ())


def noun_flags(sentence: Sentence) -> tuple[bool, ...]:
    """For each token whether it is a noun: Penn ``NN*`` and ``NP*``, or universal ``NOUN`` and ``PROPN``.

    Penn tags decide where the sentence has them; universal ones where it has no others, or where the others are of
    another tag set. Without tags nothing is a noun.
    """
    xpos, upos = sentence.xpos, sentence.upos
    if xpos is not None and any(xpos) and (upos is None or PENN_TAGS.issuperset(tag for tag in xpos if tag)):
        return tuple([tag[:2] in _PENN_NOUNS for tag in xpos])
    if upos is not None:
        return tuple([tag in UNIVERSAL_NOUNS for tag in upos])
    return (False,) * len(sentence.forms)
