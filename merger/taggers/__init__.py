"""Taggers for text without part-of-speech tags, by name."""

from __future__ import annotations

from collections.abc import Mapping

from merger.errors import OptionError
from merger.options import OptionValue
from merger.taggers.base import Tagger
from merger.taggers.corenlp import CoreNLPTagger
from merger.taggers.stanza_tagger import StanzaTagger

TAGGERS: dict[str, type[Tagger]] = {tagger.name: tagger for tagger in (CoreNLPTagger, StanzaTagger)}

__all__ = ["TAGGERS", "CoreNLPTagger", "StanzaTagger", "Tagger", "make_tagger"]


def make_tagger(name: str, options: Mapping[str, OptionValue] | None = None) -> Tagger:
    """A configured tagger.

    Raises :class:`~merger.errors.OptionError` for an unknown name or option.
    """
    try:
        tagger = TAGGERS[name]
    except KeyError:
        raise OptionError(f"no tagger {name!r}; there are {', '.join(TAGGERS)}") from None
    return tagger(options or {})
