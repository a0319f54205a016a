"""The taggers that a server offers: its callers choose among those that its operator has enabled."""

from __future__ import annotations

from collections.abc import Sequence

from merger.errors import OptionError, TaggerUnavailableError, UnavailableError
from merger.progress import WorkContext
from merger.strategies import parse_spec
from merger.taggers import TAGGERS, Tagger, Tagging, make_tagger
from merger.taggers.base import TaggerInfo


class ServedTaggers:
    """The enabled taggers, with the operator's options: a caller names a tagger and can't set its options.

    Each process that works on documents has its own object of this class, and its own taggers.
    """

    def __init__(self, specs: Sequence[str] = ()) -> None:
        """``specs`` are ``NAME[:option=value,...]``. Nothing is loaded.

        Raises :class:`~merger.errors.OptionError` for names of no tagger that can be served, one name twice, unknown
        options and bad values, and :class:`~merger.errors.UnavailableError` if a tagger cannot run here.
        """
        self._taggers: dict[str, Tagger] = {}
        servable = [name for name, kind in TAGGERS.items() if kind.served]
        for spec in specs:
            name, options = parse_spec(spec)
            if name not in servable:
                raise OptionError(f"tagger {spec} cannot be enabled: taggers to enable are {', '.join(servable)}")
            if name in self._taggers:
                raise OptionError(f"tagger {name} is enabled twice, and callers could not choose between the two")
            tagger = make_tagger(name, options)
            reason = tagger.missing()
            if reason is not None:
                raise UnavailableError(f"tagger {spec} cannot be enabled: {reason}")
            self._taggers[name] = tagger

    def infos(self) -> list[TaggerInfo]:
        """The taggers, as callers see them."""
        return [TaggerInfo(each.name, each.summary, each.signature) for each in self._taggers.values()]

    def use(self, name: str, *, retag: bool) -> Tagging:
        """A tagger for one call; don't close it. Raises :class:`~merger.errors.TaggerUnavailableError`."""
        tagger = self._taggers.get(name)
        if tagger is None:
            enabled = f"enabled are {', '.join(self._taggers)}" if self._taggers else "none is enabled"
            raise TaggerUnavailableError(
                f"tagger {name}: the operator has not enabled it (server option enable_taggers); {enabled}"
            )
        return Tagging(tagger, retag=retag)

    def warm(self, watch: WorkContext) -> None:
        """Load all taggers."""
        for tagger in self._taggers.values():
            tagger.warm(watch)

    def close(self) -> None:
        """Close all taggers."""
        for tagger in self._taggers.values():
            tagger.close()
