"""Once it is warm, no document waits for models: neither one with tags of its own nor one without."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.document import Document, Part, Sentence
from merger.progress import WorkContext


class _Echo(BaseHTTPRequestHandler):
    """Answers with the document that it gets: the same tokens, and no clusters."""

    asked: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        (properties,) = parse_qs(urlsplit(self.path).query)["properties"]
        self.asked.append(json.loads(properties))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    _Echo.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_nothing_is_left_to_load_for_documents_with_tags_and_without(url: str) -> None:
    with CoreNLPBackend({"url": url}) as backend:
        backend.warm(WorkContext())
        loaded = len(_Echo.asked)
        for tags in (None, ("NNP", "VBZ")):
            backend.predict(Document("d", (Part((Sentence(("Ann", "sleeps"), tags),)),)), WorkContext())

    # A document each, and nothing to try out before.
    assert [each["pos.reuseTags"] for each in _Echo.asked[loaded:]] == ["false", "true"]
