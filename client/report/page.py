"""The HTML report of a comparison: one self-contained file, made with Jinja2."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from client.evaluation.comparison.data import Comparison
from client.evaluation.comparison.render import subject
from client.evaluation.comparison.section import Section
from client.evaluation.comparison.tables import sections
from client.evaluation.comparison.verdict import QUESTION
from client.report.browser_data import documents_data, index_data
from client.report.citation import BIBTEX
from merger.errors import UnavailableError
from merger.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

_NEEDED = ("jinja2", "matplotlib")
SCRIPTS = (
    "page.js",
    "document_text.js",
    "decisions.js",
    "browser_form.js",
    "decision_list.js",
    "browser_counts.js",
    "browser.js",
    "tables.js",
    "start.js",
)
"""The scripts of the page, in this order."""
STYLES = ("page.css", "tables.css", "controls.css", "browser.css", "decisions.css", "narrow.css", "print.css")


def check_available() -> None:
    """Raises :class:`~merger.errors.UnavailableError` if a package that the report needs is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UnavailableError(f"the HTML report needs {' and '.join(missing)}: pip install 'merge-baseline[report]'")


def as_html(comparison: Comparison) -> str:
    """The comparison as an HTML page that loads no other file.

    Raises :class:`~merger.errors.UnavailableError` as :func:`check_available` does.
    """
    check_available()
    environment = _environment()
    script = _joined(environment, SCRIPTS)
    page = environment.get_template("report.html.j2").render(
        comparison=comparison,
        question=QUESTION,
        subject=subject(comparison),
        tables=_Tables(list(sections(comparison))),
        plots=_plots(comparison),
        style=_joined(environment, STYLES),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        index=index_data(comparison),
        documents=documents_data(comparison),
        version=VERSION,
        bibtex=BIBTEX,
    )
    # JSON input can have lone surrogates, which UTF-8 cannot encode.
    return page.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class _Tables:
    """The sections by kind; a comparison of many strategies has several sections of a kind."""

    sections: Sequence[Section]

    @cached_property
    def by_kind(self) -> dict[str, list[Section]]:
        found: dict[str, list[Section]] = {}
        for section in self.sections:
            found.setdefault(section.kind, []).append(section)
        return found

    def __getitem__(self, kind: str) -> list[Section]:
        return self.by_kind.get(kind, [])


def _plots(comparison: Comparison) -> dict[str, str | None]:
    """The plots by name, ``None`` where there is nothing to plot."""
    from markupsafe import Markup

    from client.report import plots

    makers: dict[str, Callable[[Comparison], str | None]] = {
        "scores": plots.plot_scores,
        "genre": plots.plot_by_genre,
        "length": plots.plot_by_length,
        "distance": plots.plot_links_by_distance,
    }
    made = {name: maker(comparison) for name, maker in makers.items()}
    # The plots escape the names in them.
    return {name: None if svg is None else Markup(svg) for name, svg in made.items()}  # noqa: S704


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("client.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment


def _joined(environment: Environment, names: Iterable[str]) -> str:
    """The joined content of files beside the templates, for the page as it is."""
    from markupsafe import Markup

    if environment.loader is None:
        raise LookupError(names)
    sources = (environment.loader.get_source(environment, name)[0] for name in names)
    return Markup("\n").join(Markup(source) for source in sources)  # noqa: S704
