"""A real Chromium for the pages of the report; whatever goes wrong in a page fails its test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.support.command_line import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


_PATIENCE_MS = 2000 * PATIENCE


class OpenPage(Protocol):
    """Opens HTML as a file of its own, in a fresh browser context with these options."""

    def __call__(self, html: str, fragment: str = "", **context: Any) -> Page:  # noqa: ANN401  # options of new_context
        """``fragment`` is what follows # in the address."""


# Not longer than the tests here: as long as it runs, an event loop does, and other tests have their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip(f"no {', '.join(names)} on the PATH")
    with sync_api.sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(executable_path=path, args=_FLAGS, timeout=_PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    troubles: list[str] = []
    contexts = []

    def open_html(html: str, fragment: str = "", **context: Any) -> Page:  # noqa: ANN401  # as the protocol has it
        contexts.append(chromium.new_context(**context))
        contexts[-1].set_default_timeout(_PATIENCE_MS)
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: None if request.url.startswith("file:") else troubles.append(request.url))
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        page.goto(f"{path.as_uri()}{fragment and '#'}{fragment}")
        return page

    yield open_html
    for each in contexts:
        each.close()
    assert troubles == []
