"""Taggers for text without part-of-speech tags, by name."""

from __future__ import annotations

from collections.abc import Mapping

from merger.errors import OptionError, UnavailableError
from merger.options import OptionValue
from merger.taggers.base import Tagger, without_tags
from merger.taggers.corenlp import CoreNLPTagger
from merger.taggers.spacy_tagger import SpacyTagger
from merger.taggers.stanza_tagger import StanzaTagger
from merger.taggers.tagging import Tagged, Tagging

TAGGERS: dict[str, type[Tagger]] = {tagger.name: tagger for tagger in (SpacyTagger, CoreNLPTagger, StanzaTagger)}
"""In the order in which ``auto`` tries them: the quickest first, and last the one that may have to download a model."""

AUTO = "auto"
"""The name that stands for the first of :data:`TAGGERS` that can run on this machine."""

__all__ = [
    "AUTO",
    "TAGGERS",
    "CoreNLPTagger",
    "SpacyTagger",
    "StanzaTagger",
    "Tagged",
    "Tagger",
    "Tagging",
    "make_tagger",
    "resolve_tagger",
    "without_tags",
]


def make_tagger(name: str, options: Mapping[str, OptionValue] | None = None) -> Tagger:
    """A configured tagger.

    Raises :class:`~merger.errors.OptionError` for an unknown name or option, and for ``auto`` what
    :func:`resolve_tagger` raises.
    """
    name = resolve_tagger(name, options or {})
    try:
        tagger = TAGGERS[name]
    except KeyError:
        raise OptionError(f"no tagger {name!r}; there are {', '.join(TAGGERS)}, and {AUTO}") from None
    return tagger(options or {})


def resolve_tagger(name: str, options: Mapping[str, OptionValue] | None = None) -> str:
    """The tagger that ``auto`` selects on this machine; any other name unchanged.

    Raises :class:`~merger.errors.OptionError` for ``auto`` with options, since taggers share none, and
    :class:`~merger.errors.UnavailableError` if no tagger can run here.
    """
    if name != AUTO:
        return name
    if options:
        raise OptionError(f"tagger {AUTO} has no options; name a tagger to set them: {', '.join(TAGGERS)}")
    reasons = {each: tagger.unavailable() for each, tagger in TAGGERS.items()}
    for each, reason in reasons.items():
        if reason is None:
            return each
    raise UnavailableError(f"no tagger can run here: {'; '.join(f'{each}: {why}' for each, why in reasons.items())}")
