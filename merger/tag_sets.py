"""The meaning of part-of-speech tags in each tag set, and the tag set of a text.

A tag set says of each tag its word class, whether it may begin a postmodifier, and whether the tag belongs to the set.
:class:`SeenTags` recognises the tag set of a text by its different tags: it is the set that has the most of them. Of
sets that have equally many, the first in :data:`TAG_SETS` wins, so Penn before all others. A set other than Penn must
have at least half of the different tags. A tag that several sets have is a noun in all of them or in none, so that a
short text whose few tags could be of several sets has the same nouns by each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum

_LONGEST = 200
"""The most characters of a tag; longer ones belong to no tag set."""
_KEPT = 1 << 12
"""The number of tags whose meaning is cached."""


class WordClass(Enum):
    """The class of a word, as in the tables of LongtoNotes."""

    PRONOUN = "pronoun"
    NOUN = "noun"
    PROPER_NOUN = "proper noun"
    VERB = "verb"
    OTHER = "other"
    UNTAGGED = "untagged"


NOUNS = frozenset({WordClass.NOUN, WordClass.PROPER_NOUN})


class TagSet:
    """One tag set.

    ``class_of`` gives the class of a tag that is not empty, also of tags that the set does not have; ``has`` says
    whether it has the tag. ``nouns`` says in words which tags are nouns, ``postmodifiers`` are tags that may begin a
    postmodifier of a noun.
    """

    def __init__(
        self,
        name: str,
        nouns: str,
        class_of: Callable[[str], WordClass],
        has: Callable[[str], bool],
        postmodifiers: Callable[[str], bool],
    ) -> None:
        self.name = name
        self.nouns = nouns
        self.has = has
        self._class_of = class_of
        self.is_postmodifier = postmodifiers
        self._known: dict[str, WordClass] = {"": WordClass.UNTAGGED}
        self._nouns = _Nouns(self)

    def word_class(self, tag: str) -> WordClass:
        """The class of a tag; ``UNTAGGED`` for an empty one."""
        found = self._known.get(tag)
        if found is None:
            found = self._class_of(tag)
            if len(self._known) < _KEPT and len(tag) <= _LONGEST:
                self._known[tag] = found
        return found

    def noun_flags(self, tags: Iterable[str]) -> tuple[bool, ...]:
        """For each tag whether it is a noun's."""
        return tuple(map(self._nouns.__getitem__, tags))


class _Nouns(dict[str, bool]):
    """Whether a tag is a noun's, cached: every token of every text is looked up here."""

    def __init__(self, tag_set: TagSet) -> None:
        self._tag_set = tag_set

    def __missing__(self, tag: str) -> bool:
        is_noun = self._tag_set.word_class(tag) in NOUNS
        if len(self) < _KEPT and len(tag) <= _LONGEST:
            self[tag] = is_noun
        return is_noun


def _one_of(*tags: str) -> Callable[[str], bool]:
    return frozenset(tags).__contains__


def _shaped(pattern: str) -> Callable[[str], bool]:
    # Compiled on first use, and kept by `re`: few texts have these tags, and every command imports this.
    return lambda tag: len(tag) <= _LONGEST and re.fullmatch(pattern, tag) is not None


# Penn Treebank: Santorini (1990), with the additions of OntoNotes, of the English Web Treebank and of TreeTagger.
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

_PENN_PRONOUNS = frozenset({"PRP", "PRP$", "PP", "PP$", "WP", "WP$"})
_PENN_POSTMODIFIERS = ("IN", "TO", "WDT", "WP", "WP$", "WRB", "VBG", "VBN", ",", ":", "-LRB-", "(", "ADP")


def _penn_class(tag: str) -> WordClass:
    # LongtoNotes A.5 names NN and NP; what follows these letters does not matter (NNS, NNPS, NPS).
    if tag.startswith(("NNP", "NP")):
        return WordClass.PROPER_NOUN
    if tag.startswith("NN"):
        return WordClass.NOUN
    if tag in _PENN_PRONOUNS:
        return WordClass.PRONOUN
    return WordClass.VERB if tag == "MD" or tag.startswith(("VB", "VH", "VV")) else WordClass.OTHER


PENN = TagSet("Penn", "NN* and NP*", _penn_class, PENN_TAGS.__contains__, _one_of(*_PENN_POSTMODIFIERS))

# Universal Dependencies (universaldependencies.org/u/pos), and the universal tags before it (Petrov et al., 2012).
# fmt: off
UPOS_TAGS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X", "CONJ", "PRT", ".",
})
# fmt: on
_UNIVERSAL = {
    "PRON": WordClass.PRONOUN,
    "NOUN": WordClass.NOUN,
    "PROPN": WordClass.PROPER_NOUN,
    "VERB": WordClass.VERB,
    "AUX": WordClass.VERB,
}
UNIVERSAL = TagSet(
    "universal",
    "NOUN and PROPN",
    lambda tag: _UNIVERSAL.get(tag, WordClass.OTHER),
    UPOS_TAGS.__contains__,
    _one_of(*_PENN_POSTMODIFIERS),
)

# Stuttgart-Tübingen Tagset: Schiller, Teufel, Stöckert and Thielen (1999); PAV and PROAV as in TIGER and TüBa-D/Z.
# fmt: off
_STTS_TAGS = frozenset({
    "ADJA", "ADJD", "ADV", "APPR", "APPRART", "APPO", "APZR", "ART", "CARD", "FM", "ITJ", "KOUI", "KOUS", "KON",
    "KOKOM", "NN", "NE", "PDS", "PDAT", "PIS", "PIAT", "PIDAT", "PPER", "PPOSS", "PPOSAT", "PRELS", "PRELAT", "PRF",
    "PWS", "PWAT", "PWAV", "PAV", "PROAV", "PTKZU", "PTKNEG", "PTKVZ", "PTKANT", "PTKA", "SGML", "SPELL", "TRUNC",
    "VVFIN", "VVIMP", "VVINF", "VVIZU", "VVPP", "VAFIN", "VAIMP", "VAINF", "VAPP", "VMFIN", "VMINF", "VMPP", "XY",
    "$,", "$.", "$(", "$[", "NNE",
})
# fmt: on
_STTS_PRONOUNS = ("PDS", "PIS", "PPER", "PPOS", "PRELS", "PRELAT", "PRF", "PWS", "PWAT")


def _stts_class(tag: str) -> WordClass:
    if tag in {"NE", "NNE"}:
        return WordClass.PROPER_NOUN
    if tag == "NN":
        return WordClass.NOUN
    if tag.startswith(_STTS_PRONOUNS):
        return WordClass.PRONOUN
    return WordClass.VERB if tag.startswith(("VV", "VA", "VM")) else WordClass.OTHER


STTS = TagSet(
    "STTS",
    "NN, NE and NNE",
    _stts_class,
    _STTS_TAGS.__contains__,
    _one_of("APPR", "APPRART", "PRELS", "PRELAT", "PWAV", "KOKOM", "$,", "$(", "$["),
)

# Chinese Treebank: Xia (2000), The Part-Of-Speech Tagging Guidelines for the Penn Chinese Treebank 3.0.
# fmt: off
_CTB_TAGS = frozenset({
    "AD", "AS", "BA", "CC", "CD", "CS", "DEC", "DEG", "DER", "DEV", "DT", "ETC", "FW", "IJ", "JJ", "LB", "LC", "M",
    "MSP", "NN", "NR", "NT", "NOI", "OD", "ON", "P", "PN", "PU", "SB", "SP", "URL", "VA", "VC", "VE", "VV", "EM",
    "IC", "NN-SHORT", "NR-SHORT", "NT-SHORT",
})
# fmt: on
_CTB = {
    "PN": WordClass.PRONOUN,
    **dict.fromkeys(("NN", "NT", "NN-SHORT", "NT-SHORT"), WordClass.NOUN),
    **dict.fromkeys(("NR", "NR-SHORT"), WordClass.PROPER_NOUN),
    **dict.fromkeys(("VA", "VC", "VE", "VV"), WordClass.VERB),
}
# Modifiers come before a Chinese noun, so that only punctuation and prepositions can end it.
CTB = TagSet(
    "Chinese Treebank",
    "NN, NR and NT",
    lambda tag: _CTB.get(tag, WordClass.OTHER),
    _CTB_TAGS.__contains__,
    _one_of("PU", "P"),
)

# Penn Arabic Treebank, of which the Arabic part of CoNLL-2012 is: segments joined by plus signs, DET+NOUN+NSUFF_FEM_SG.
# Maamouri, Bies et al. (2009), Penn Arabic Treebank Guidelines; nouns by Bies (2003), Collapse of Arabic POS tags: NOUN
# and ABBREV are NN, NOUN_PROP is NNP, but NOUN_NUM is CD and NOUN_QUANT no noun. Case and gender suffixes don't matter.
_ATB_STEMS = (
    r"NOUN|NOUN[._]VN|NOUN_PROP|NOUN_NUM|NOUN_QUANT|ABBREV|ADJ|ADJ[._]VN|ADJ_COMP|ADJ_NUM|ADJ_PROP|ADV|[A-Z]+_ADV"
    r"|CONJ|SUB_CONJ|PREP|PUNC|DET|PART|[A-Z]+_PART|INTERJ|FOREIGN|LATIN|TYPO|DIALECT|GRAMMAR_PROBLEM|NO_FUNC|VERB"
    r"|PSEUDO_VERB|[PIC]V|[PIC]V_PASS|IV[123][MF]?[SDP]|(?:[A-Z]+_)?PRON(?:_[123]?[MF]?[SDP]?)?"
    r"|(?:[PIC]VSUFF|NSUFF|CASE)_[A-Z_]+(?::[0-9A-Z]+)?"
)
_ATB_POSTMODIFIERS = _one_of("PREP", "PUNC", "SUB_CONJ")


def _atb_class(tag: str) -> WordClass:
    segments = set(tag.split("+"))
    if "NOUN_PROP" in segments:
        return WordClass.PROPER_NOUN
    if segments & {"NOUN", "NOUN.VN", "NOUN_VN", "ABBREV"}:
        return WordClass.NOUN
    if segments & {"PV", "IV", "CV", "PV_PASS", "IV_PASS", "CV_PASS", "VERB", "PSEUDO_VERB"}:
        return WordClass.VERB
    return WordClass.PRONOUN if any("PRON" in segment.split("_") for segment in segments) else WordClass.OTHER


ATB = TagSet(
    "Arabic Treebank",
    "NOUN, NOUN.VN, NOUN_PROP and ABBREV with any suffixes",
    _atb_class,
    _shaped(rf"(?:{_ATB_STEMS})(?:\+(?:{_ATB_STEMS}))*"),
    lambda tag: _ATB_POSTMODIFIERS(tag) or tag.startswith("REL_PRON"),
)

# EAGLES: Leech and Wilson (1996), Recommendations for the Morphosyntactic Annotation of Corpora: the first letter is
# the category. AnCora and FreeLing have one letter or digit a feature (np00000, NCMS000, Fp), AnCora in SemEval-2010
# the first letter alone (n), MULTEXT-East a capital and small letters (Ncfsn).
_EAGLES_SHAPES = (
    r"n[cp][mfcn0][spn0][a-z0-9]{3}|a[qo][a-z0][mfcn0][spn0][0pfn]|d[adeinpt][0123][mfcn0][spn0][sp0]?"
    r"|p[0deinprtx][0123][mfcn0][spn0][a-z0-9]{2,4}|v[mas][gimnps][cfips0][0123][spn0][mfcn0]|r[gn]|c[cs]"
    r"|sp[sc][a-z0-9]{2}|f[a-z]{1,2}|z[mpdu]?|[acdfinprsvwz]"
)
_MULTEXT_SHAPES = r"N[cp][a-z0-9-]*|V[maoc][a-z0-9-]*|[ADPRS][a-z][a-z0-9-]*|[CM][a-z][a-z0-9-]*|F[a-z]{1,2}"
_EAGLES_POSTMODIFIERS = ("sp", "pr", "f")


def _eagles_class(tag: str) -> WordClass:
    small = tag.lower()
    if small.startswith("np"):
        return WordClass.PROPER_NOUN
    return {"n": WordClass.NOUN, "p": WordClass.PRONOUN, "v": WordClass.VERB}.get(small[:1], WordClass.OTHER)


_is_eagles = _shaped(f"{_EAGLES_SHAPES}|{_EAGLES_SHAPES.upper()}|{_MULTEXT_SHAPES}")
EAGLES = TagSet(
    "EAGLES",
    "n*",
    _eagles_class,
    _is_eagles,
    lambda tag: tag.lower() == "s" or tag.lower().startswith(_EAGLES_POSTMODIFIERS),
)

# CGN and its successors (SoNaR, Alpino): Van Eynde (2004), Part of speech tagging en lemmatisering van het Corpus
# Gesproken Nederlands: N(soort,ev,basis), SPEC(deeleigen), or with bars, N|soort|ev|basis.
_CGN_SHAPES = r"(?:ADJ|BW|LET|LID|N|SPEC|TSW|TW|VG|VNW|VZ|WW)(?:\([^()]*\)|\|.*)?"


def _cgn_class(tag: str) -> WordClass:
    category, _, features = tag.replace("|", "(").partition("(")
    if category == "N":
        return WordClass.PROPER_NOUN if features.startswith("eigen") else WordClass.NOUN
    if category == "SPEC" and features.startswith("deeleigen"):
        return WordClass.PROPER_NOUN
    return {"VNW": WordClass.PRONOUN, "WW": WordClass.VERB}.get(category, WordClass.OTHER)


CGN = TagSet(
    "CGN",
    "N(...) and SPEC(deeleigen)",
    _cgn_class,
    _shaped(_CGN_SHAPES),
    lambda tag: tag.startswith(("VZ", "LET", "VNW(betr", "VNW|betr")),
)

TAG_SETS = (PENN, UNIVERSAL, STTS, CTB, ATB, EAGLES, CGN)
"""All tag sets, in the order in which they win ties."""


class _MatchingSets(dict[str, tuple[bool, ...]]):
    """Which of :data:`TAG_SETS` have a tag, cached because all documents have the same tags."""

    def __missing__(self, tag: str) -> tuple[bool, ...]:
        matching = tuple([tag_set.has(tag) for tag_set in TAG_SETS])
        if len(self) < _KEPT and len(tag) <= _LONGEST:
            self[tag] = matching
        return matching


_MATCHING_SETS = _MatchingSets()


class SeenTags:
    """Recognises the tag set of a text whose tags come part by part."""

    def __init__(self) -> None:
        self._tags: set[str] = {""}
        self._counted: set[str] = {""}
        self._counts = [0] * len(TAG_SETS)
        self._best = PENN

    def add(self, *tags: Sequence[str]) -> None:
        """Add the tags of more sentences; some can be empty."""
        self._tags.update(*tags)

    @property
    def tag_set(self) -> TagSet:
        """The tag set that has the most different tags of those seen; Penn if none has half of them."""
        if len(self._counted) < len(self._tags):
            new = self._tags - self._counted
            self._counted |= new
            self._counts = [
                sum(column) for column in zip(self._counts, *map(_MATCHING_SETS.__getitem__, new), strict=True)
            ]
            most = max(self._counts)
            best = TAG_SETS[self._counts.index(most)]
            self._best = best if 2 * most >= len(self._tags) - 1 else PENN
        return self._best

    def examples(self, most: int = 5) -> Sequence[str]:
        """Some of the tags, in alphabetical order."""
        return sorted(self._tags - {""})[:most]

    def any_noun(self, noun_flags: Callable[[Iterable[str]], Sequence[bool]]) -> bool:
        """Whether any of the tags is a noun's."""
        return any(noun_flags(self._tags))
