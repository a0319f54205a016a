"""Every exception this package raises, in one tree.

::

    MergeBaselineError
    ├── InputError            something in a document is wrong or missing; carries a Location
    │   ├── FormatError       the text does not follow its format
    │   ├── AnnotationError   the chains contradict each other or the tokens
    │   ├── AlignmentError    two inputs that should have the same tokens differ
    │   ├── DecisionError     decisions are missing, repeated, contradictory or cyclic
    │   ├── MissingTagsError  the strategy needs part-of-speech tags and the document has none
    │   ├── WorkLimitError    the document needs more work than the strategy's limit for one document
    │   ├── UnsupportedError  the output format cannot carry what the document holds
    │   └── BackendError      a coreference backend failed on this document; others may go on
    ├── OptionError           an unknown strategy, or an option with a wrong name, type or value
    │   └── ParameterError    a parameter of the Python interface, for which the command line has another name
    └── UnavailableError      a strategy or backend cannot run here, and why
        ├── BackendDownError  a backend has failed and is being restarted
        └── TaggerUnavailableError  a server does not offer the tagger that a request names
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from merger.message_text import one_line, printable

_NAMES = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the input.

    ``line`` is 1-based and counts lines of ``file``; ``part``, ``sentence`` and ``token`` are 0-based, as in the
    document model.
    """

    file: str | None = None
    line: int | None = None
    document: str | None = None
    part: int | None = None
    sentence: int | None = None
    token: int | None = None

    def __str__(self) -> str:
        place = printable(self.file) if self.file else ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        names = (
            ("document", None if self.document is None else printable(self.document)),
            ("part", self.part),
            ("sentence", self.sentence),
            ("token", self.token),
        )
        within = ", ".join(f"{name} {value}" for name, value in names if value is not None)
        if place and within:
            return f"{place} ({within})"
        return place or within


class MergeBaselineError(Exception):
    """Base of all errors of this package; ``str()`` is one line meant for the user."""


class InputError(MergeBaselineError):
    """Something in a document is wrong or missing.

    ``message`` describes what was found, ``expected`` what is valid there, ``hint`` what the user can do.
    """

    def __init__(
        self,
        message: str,
        location: Location | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.location = location or Location()
        self.expected = expected
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        place = str(self.location)
        return one_line(f"{place}: {self.reason}" if place else self.reason)

    @property
    def reason(self) -> str:
        """The text without the place, which documents with the same error share."""
        text = self.message
        if self.expected:
            text += f"; expected {self.expected}"
        if self.hint:
            text += f" ({self.hint})"
        return one_line(text)


class FormatError(InputError):
    """The text does not follow its format."""


class AnnotationError(InputError):
    """The chains contradict each other or their tokens."""


class AlignmentError(InputError):
    """Two inputs that should hold the same documents and tokens differ."""


class DecisionError(InputError):
    """Decisions are missing, repeated, contradictory or cyclic."""


class MissingTagsError(InputError):
    """A strategy needs part-of-speech tags and the document has none."""


class WorkLimitError(InputError):
    """A document needs more work than the strategy's limit for one document."""


class BackendError(InputError):
    """A coreference backend failed on this document: it died, hung, ran out of memory or gave a bad answer."""


class OptionError(MergeBaselineError):
    """An unknown strategy, or an option with a wrong name, type or value.

    ``option`` is the name of the option, if there is one. ``field`` is its place in a request over the wire.
    """

    def __init__(self, message: str, *, option: str | None = None) -> None:
        self.option = option
        self.field: str | None = None
        super().__init__(message)


class ParameterError(OptionError):
    """A parameter of the Python interface has an invalid value, or needs another parameter.

    ``text`` has the names of parameters in braces, which ``str()`` leaves out.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._text = text

    def __str__(self) -> str:
        return self.naming(str)

    def naming(self, name_of: Callable[[str], str]) -> str:
        """The message with other names for the parameters, as where options of a command line set them."""
        return _NAMES.sub(lambda found: name_of(found[1]), self._text)


class UnsupportedError(InputError):
    """The output format cannot carry what the document holds."""


class UnavailableError(MergeBaselineError):
    """A strategy or backend cannot run here; the message says why and what to do."""


class TaggerUnavailableError(UnavailableError):
    """A server does not offer the tagger that a request names."""


class BackendDownError(UnavailableError):
    """A backend has failed and is being restarted; it will probably be ready in ``retry_seconds``."""

    def __init__(self, message: str, retry_seconds: float = 0.0) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)
