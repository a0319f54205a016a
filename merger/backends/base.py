"""The interface of coreference backends: a whole document in, clusters of mentions out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self

from merger.backends.health import Health, HealthState
from merger.backends.mention_matching import Cluster
from merger.document import Document
from merger.notices import Notices
from merger.options import Option, OptionValue, parse_options
from merger.progress import WorkContext


class Backend(ABC):
    """A configured coreference system. It serves many documents, one after the other or from several threads.

    Tokens and sentences are taken as given: a cluster's mentions are in the document's own coordinates (part, sentence,
    token; ends inclusive). The document's own chains are ignored.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    operator_options: ClassVar[frozenset[str]] = frozenset()
    """Options that concern the file system or processes: on a server only the operator sets them."""

    notices: Notices
    """Repairs and omissions that the backend reports about its clusters."""

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Starts nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        self.values = parse_options(f"backend {self.name}", self.options, options or {})
        self.notices = Notices()

    @classmethod
    def unavailable(cls) -> str | None:
        """Why it cannot run on this machine, and what to do; ``None`` if it can. Quick: starts nothing."""
        return None

    def missing(self) -> str | None:
        """Why this configured backend cannot run here, or ``None``; quick, as :meth:`unavailable`."""
        return self.unavailable()

    def warm(self, watch: WorkContext) -> None:  # noqa: B027  # a backend may have nothing to start
        """Start servers and load models, so that the first document does not wait. Safe to call again.

        Raises :class:`~merger.errors.UnavailableError` if it cannot.
        """

    @abstractmethod
    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        """Clusters over the whole document.

        Raises :class:`~merger.errors.UnavailableError` if the backend cannot be started,
        :class:`~merger.errors.BackendError` if it fails on this document, and what ``watch.check`` raises.
        """

    def check(self, seconds: float) -> Health:  # noqa: ARG002  # most have nothing to ask
        """The health of the backend's server or model. Sends no work, and takes about ``seconds`` at most."""
        return Health(HealthState.WELL)

    def restart(self, watch: WorkContext) -> None:
        """Stop the server or model if it is unhealthy, even in the middle of work; then start it as :meth:`warm` does.

        Documents that it works on fail with :class:`~merger.errors.BackendError`.
        """
        self.close()
        self.warm(watch)

    def close(self) -> None:  # noqa: B027  # a backend may have nothing to stop
        """Stop servers and release models. Safe to call again; a later :meth:`predict` starts them again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def signature(self) -> str:
        """Name and options for signatures, versions included where known."""
        shown = ",".join(
            f"{option.name}={option.show(self.values[option.name])}"
            for option in self.options
            if option.name not in self.operator_options
        )
        return f"{self.name}[{shown}]" if shown else self.name
