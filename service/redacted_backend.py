"""A backend for the callers of a server: its errors don't reveal the operator's machine and files."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import ClassVar, Final

from merger.backends.base import Backend
from merger.backends.mention_matching import Cluster
from merger.document import Document
from merger.errors import AlignmentError, BackendError, Location, UnavailableError
from merger.progress import WorkContext

_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?<!\w)[~.]{0,2}/)[^\s,;)]+", re.IGNORECASE)

_log = logging.getLogger("merge_baseline.server")


def without_addresses(text: str) -> str:
    """The text with ``…`` in place of URLs and paths: what is wrong, but not where on the operator's machine."""
    return _ADDRESS.sub("…", text)


class RedactedBackend(Backend):
    """Passes on the clusters of another backend, and its errors without paths and without text of the operator's files.

    Otherwise a caller could read a file with clusters token by token, since each error names the expected token.
    """

    name: ClassVar[str] = "redacted"
    summary: ClassVar[str] = "another backend, for callers of a server"

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend

    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        """The clusters of the other backend. If it cannot start, the reason goes to the log only."""
        name = self._backend.name
        try:
            return self._backend.predict(document, watch)
        except AlignmentError:
            message = f"the clusters that this server has for {name} are not of this document"
            raise AlignmentError(
                message, Location(document=document.id), expected="a document of theirs, with the same id and tokens"
            ) from None
        except BackendError as error:
            _log.warning("strategy %s failed on a document: %s", name, error)
            hint = error.hint and without_addresses(error.hint)
            place = replace(error.location, file=None)
            raise BackendError(without_addresses(error.message), place, expected=error.expected, hint=hint) from None
        except UnavailableError as error:
            # The text says why nothing can be started, so it quotes no document.
            _log.error("strategy %s can't run: %s", name, error)
            message = f"strategy {name} can't run on this server now; the server's log says why"
            raise UnavailableError(message) from None

    @property
    def signature(self) -> str:
        """The signature of the other backend."""
        return self._backend.signature
