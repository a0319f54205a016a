"""The greedy noun string-matching rule of LongtoNotes A.5, read literally, with the options that A.5 leaves open.

For every chain of a part: take its nouns in text order. For the first noun, look among the merged chains of the earlier
parts for one that it overlaps with; if there is one, merge, else try the next noun; no noun left: the chain is new.

In text without part-of-speech tags no token is known to be a noun. Some options then use all words that are not in the
list of pronouns and function words (:mod:`merger.function_words`); the rule itself needs tags.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from merger.decisions.model import Decision, Evidence, MentionPair, MergedChains
from merger.document import Chain, ChainRef, Document, Mention, Part
from merger.errors import Location, MissingTagsError, OptionError
from merger.function_words import LANGUAGES
from merger.message_text import plain_number, printable
from merger.notices import Notices
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.strategies.base import Run, Strategy
from merger.strategies.greedy.fuzzy import MOST_WORK, FuzzyChainIndex, WorkMeter
from merger.strategies.greedy.index import ChainIndex
from merger.strategies.greedy.keys import UNTAGGED_MATCHES, KeyReader
from merger.syntax import has_tags, noun_patterns


class GreedyStrategy(Strategy):
    """Greedy noun matching (LongtoNotes A.5)."""

    name: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "the paper's greedy rule: merge with an earlier chain that shares a noun"
    needs_tags: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "match",
            "noun",
            "what a noun of the chain must overlap with: noun (a noun token of the earlier chain is equal), token (any "
            "token is), mention (the whole mention string is), head (the head nouns are), fuzzy (the mention strings "
            "are alike)",
            choices=("noun", "token", "mention", "head", "fuzzy"),
            flag=True,
        ),
        Option(
            "tie",
            "recent",
            "which of several earlier chains: recent (its last mention is nearest), first (the earliest chain), "
            "overlap (the most matching mentions, then recent)",
            choices=("recent", "first", "overlap"),
            flag=True,
        ),
        Option(
            "one-to-one", False, "let only one chain of a part, the first, merge into the same earlier chain", flag=True
        ),
        Option("ignore-case", False, "compare without regard to case", flag=True),
        Option(
            "threshold",
            90.0,
            "with match=fuzzy: the least rapidfuzz ratio that counts, in percent: 0 to 100",
            low=0,
            high=100,
            flag=True,
        ),
        Option(
            "nouns",
            "",
            "the tags of nouns, for a tag set that is not recognised: tags or, with a star, beginnings of tags, bars "
            "between them, as in N*|SUBST",
            optional=True,
            flag=True,
        ),
        Option(
            "language",
            "en",
            "with match=token, mention or fuzzy, in text without tags: whose pronouns and function words never match; "
            "other: a language without such a list, where only names match",
            choices=LANGUAGES,
            optional=True,
            flag=True,
        ),
    )

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Raises :class:`~merger.errors.OptionError` also for an option that the ``match`` does not use."""
        super().__init__(options)
        if self.values["nouns"]:
            noun_patterns(str(self.values["nouns"]))
        match = str(self.values["match"])
        threshold = float(self.values["threshold"])
        if 0 < threshold <= 1:
            raise OptionError(
                f"option threshold: {plain_number(threshold)} is in percent, and nearly all strings are that similar; "
                f"did you mean {plain_number(100 * threshold)}?",
                option="threshold",
            )
        for name, matches in _USED_BY.items():
            default = next(option.default for option in self.options if option.name == name)
            if match not in matches and self.values[name] != default:
                users = " or ".join(f"match={each}" for each in matches)
                raise OptionError(f"strategy greedy: option {name} is for {users}, not for match={match}", option=name)

    def conditions(self, documents: Iterable[Document]) -> str:
        """Whether sentences with mentions had tags, where the ``match`` does without."""
        seen = {
            has_tags(document.sentence(mention))
            for document in documents
            for chain in document.chains
            if len(chain.mentions) > 1
            for mention in chain.mentions
        }
        return _conditions(self.values, tagged=True in seen, untagged=False in seen)

    def start(
        self,
        document: Document | None = None,
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # sees parts only
    ) -> Run:
        return _GreedyRun(self.values, document.id if document else None, watch)


_USED_BY = {"threshold": ("fuzzy",), "language": UNTAGGED_MATCHES}
"""Options that are for some matches only."""


_SEVERAL = 2
_MANY = 10
"""The number of chains from which one common string is hardly chance."""
_SOUGHT = {"noun": "noun", "token": "noun", "head": "head noun", "mention": "mention", "fuzzy": "mention"}


def _conditions(values: Mapping[str, OptionValue], *, tagged: bool, untagged: bool) -> str:
    if values["match"] not in UNTAGGED_MATCHES or not untagged:
        return ""
    return f"+{'partly-' if tagged else ''}untagged:{values['language']}"


class _GreedyRun(Run):
    def __init__(self, values: Mapping[str, OptionValue], document_id: str | None, watch: WorkContext | None) -> None:
        match, tie = str(values["match"]), str(values["tie"])
        self._values = values
        self._rule = match
        self._document_id = document_id
        self._one_to_one = bool(values["one-to-one"])
        self._language = str(values["language"])
        self._reader = KeyReader(
            match, ignore_case=bool(values["ignore-case"]), nouns=str(values["nouns"]), language=self._language
        )
        self._strings: set[str] = set()
        """The strings that chains look for, or two or more of them."""
        self._seeking = 0
        self._beside_others = False
        self._index = ChainIndex(tie)
        if match == "fuzzy":
            effort = WorkMeter(document_id, watch, MOST_WORK)
            self._index = FuzzyChainIndex(tie, float(values["threshold"]), effort)

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:
        if chains and self._rule not in UNTAGGED_MATCHES and not any(has_tags(sentence) for sentence in part.sentences):
            raise MissingTagsError(
                f"no part-of-speech tags, and strategy greedy with match={self._rule} looks for nouns",
                Location(document=self._document_id, part=index),
                expected="Penn tags or UPOS",
                hint="greedy:match=mention needs no tags, nor do match=token and match=fuzzy; or tag the text first: "
                "option tagger, such as spacy",
            )
        self._reader.enter(part)
        keys = [self._reader.read(chain) for chain in chains]
        self._see_strings([sought for sought, _ in keys if sought])
        self._index.prepare(index, (text for _, offered in keys for text, *_ in offered))
        decisions = [
            self._decision(ChainRef(index, chain.id), sought) for chain, (sought, _) in zip(chains, keys, strict=True)
        ]
        self._index.add_part(
            (decision.chain if decision.antecedent is None else merged.root(decision.antecedent), chain, offered)
            for chain, decision, (_, offered) in zip(chains, decisions, keys, strict=True)
        )
        return decisions

    def _see_strings(self, sought: Sequence[Mapping[str, Mention]]) -> None:
        """Remember whether chains of one part look for one string only, and all chains so far for the same."""
        if len(self._strings) < _SEVERAL:
            self._seeking += len(sought)
            for strings in sought:
                self._strings.update(islice(strings, _SEVERAL))
            self._beside_others = self._beside_others or len(sought) > 1

    def report(self, notices: Notices, place: Location) -> None:
        self._reader.tags.report(notices, place)
        if len(self._strings) == 1 and self._beside_others and self._seeking >= _MANY:
            (string,) = self._strings
            message = (
                f"all {self._seeking} chains that look for a {_SOUGHT[self._rule]} look for the same one, "
                f"{printable(string)}: links by it mean nothing"
            )
            notices.add("one string for all chains", message, place)
        tagged, untagged = self._reader.tagged, self._reader.untagged
        if not untagged:
            return
        if tagged:
            kind = "partly tagged"
            found = f"{untagged} of {tagged + untagged} sentences with mentions have no part-of-speech tags"
        else:
            kind = "no tags"
            found = "no part-of-speech tags"
        if self._rule not in UNTAGGED_MATCHES:
            does = "nothing in them counts as a noun (a tagger tags them)"
        elif self._language == "en":
            does = "every word counts there that is no English pronoun or function word (option language)"
        else:
            does = "only names, and words in scripts without case, count there (option language)"
        notices.add(kind, f"{found}: {does}", place)

    @property
    def conditions(self) -> str:
        return _conditions(self._values, tagged=self._reader.tagged > 0, untagged=self._reader.untagged > 0)

    def _decision(self, ref: ChainRef, sought: Mapping[str, Mention]) -> Decision:
        for key, mention in sought.items():
            hit = self._index.find(key)
            if hit is None:
                continue
            if self._one_to_one:
                self._index.take(hit.root)
            rule = f"untagged-{self._rule}" if self._reader.is_untagged(mention.sentence) else self._rule
            return Decision(ref, hit.root, Evidence(rule, key, (MentionPair(mention, hit.mention),), hit.score))
        return Decision(ref)
