"""Pages with the document browser alone, made from its templates, and documents to show in them."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import client.report

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDE = {"width": 1280, "height": 900}
TEMPLATES = Path(client.report.__file__).parent / "templates"

Json = dict[str, Any]
Span = tuple[int, int]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{{ script_hash }}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Documents</title>
<style>{{ style | safe }}</style>
<button type="button" class="theme-toggle" id="theme-toggle" hidden>Dark</button>
<main>{% include "browser.html.j2" %}</main>
<script type="application/json" id="browser-index">{{ index | tojson }}</script>
{% for document in documents %}
<script type="application/json" id="document-{{ loop.index0 }}">{{ document | tojson }}</script>
{% endfor %}
<script>{{ script | safe }}</script>
</html>
"""


def page_of(index: Json, documents: Sequence[Json]) -> str:
    """A page under the same policy as the report: this script and no other."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    script = "".join((TEMPLATES / name).read_text("utf-8") for name in ("browser_text.js", "browser.js"))
    return environment.from_string(_PAGE).render(
        index=index,
        documents=documents,
        style=(TEMPLATES / "style.css").read_text("utf-8"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def ready(page: Page) -> Page:
    """The page, once the counts over all documents are there."""
    page.locator("#browser-status", has_text="in all").wait_for()
    return page


def sentence(text: str, speaker: str | None = None) -> Json:
    """Tokens are separated by blanks."""
    return {"tokens": text.split(), "speaker": speaker}


def chain(part: int, name: str, nouns: str, *mentions: tuple[int, Span] | tuple[int, Span, Span]) -> Json:
    """Mentions are a sentence and spans; nouns are separated by blanks."""
    return {
        "part": part,
        "id": name,
        "name": name,
        "nouns": nouns.split(),
        "mentions": [[number, [list(span) for span in spans]] for number, *spans in mentions],
    }


def wrong(chain_number: int, error: str, human: Sequence[int], made: Sequence[int], **more: Any) -> Json:  # noqa: ANN401
    """A wrong decision; ``more`` are ``shared`` and ``evidence``."""
    return {
        "chain": chain_number,
        "error": error,
        "human": list(human),
        "made": list(made),
        "shared": 0,
        "evidence": None,
    } | more


def parts(*each: Sequence[Json]) -> list[Json]:
    """Parts of sentences, numbered from 0."""
    return [{"number": number, "sentences": list(sentences)} for number, sentences in enumerate(each)]


_FERRY = {
    "parts": parts(
        [
            sentence("The ferry to the island is late .", "Ann"),
            sentence("People wait for it .", "Ann"),
            sentence("I know both , in fact , of them there .", "Bob"),
            sentence("one two three four", "Bob"),
            sentence("three one"),
        ],
        [sentence("The ferry came ; people cheered ."), sentence("They boarded it .")],
        [sentence("האי שקט ."), sentence("The island is quiet , it sleeps .")],
    ),
    "chains": [
        chain(0, "The ferry to the island", "ferry", (0, (0, 4)), (1, (3, 3))),
        chain(0, "the island", "island", (0, (3, 4)), (2, (9, 9))),
        chain(0, "People", "People", (1, (0, 0)), (2, (2, 2), (7, 8))),
        chain(0, "one two three", "", (3, (0, 2)), (4, (1, 1))),
        chain(0, "two three four", "", (3, (1, 3)), (4, (0, 0))),
        chain(1, "The ferry", "ferry", (0, (0, 1)), (1, (2, 2))),
        chain(1, "people", "people", (0, (4, 4)), (1, (0, 0))),
        chain(2, "The island", "island", (0, (0, 0)), (1, (0, 1)), (1, (5, 5))),
    ],
    "human": [0, 1, 2, 3, 4, 0, 5, 1],
    "strategies": [
        {
            "merged": [0, 1, 2, 3, 4, 5, 6, 7],
            "wrong": [wrong(5, "missed_link", [0], []), wrong(7, "missed_link", [1], [])],
        },
        {
            "merged": [0, 1, 2, 3, 4, 0, 2, 0],
            "wrong": [
                wrong(
                    6,
                    "spurious_link",
                    [],
                    [2],
                    evidence={
                        "rule": "noun",
                        "text": "people",
                        "score": 0.93,
                        "pairs": [[[1, 0, [[4, 4]]], [0, 1, [[0, 0]]]], [[1, 1, [[0, 0]]], [0, 2, [[2, 2], [7, 8]]]]],
                    },
                ),
                wrong(7, "wrong_antecedent", [1], [0, 5], shared=1),
            ],
        },
        {"failure": "out of <b>memory</b>"},
    ],
}
MARKUP = "<script>window.injected=1</script>"
IMAGE = "<img/src=x/onerror=window.injected=1>"
_MARKUP = {
    "parts": parts([sentence(f"</script> {MARKUP} <!-- & '", MARKUP)], [sentence(f"{IMAGE} {{{{7*7}}}}", IMAGE)]),
    "chains": [chain(0, MARKUP, MARKUP, (0, (0, 1))), chain(1, IMAGE, IMAGE, (0, (0, 0)))],
    "human": [0, 0],
    "strategies": [
        {
            "merged": [0, 1],
            "wrong": [
                wrong(
                    1,
                    "missed_link",
                    [0],
                    [],
                    evidence={
                        "rule": MARKUP,
                        "text": IMAGE,
                        "score": None,
                        "pairs": [[[1, 0, [[0, 0]]], [0, 0, [[0, 1]]]]],
                    },
                )
            ],
        },
        {"merged": [0, 0], "wrong": []},
        {"merged": [0, 0], "wrong": []},
    ],
}
_CITY = {
    "parts": parts([sentence("The City sleeps .")], [sentence("The city wakes , People wake .")]),
    "chains": [
        chain(0, "The City", "City", (0, (0, 1))),
        chain(1, "The city", "city", (0, (0, 1))),
        chain(1, "People", "People", (0, (4, 4))),
    ],
    "human": [0, 0, 1],
    "strategies": [
        {"merged": [0, 1, 2], "wrong": [wrong(1, "missed_link", [0], [])]},
        {"merged": [0, 1, 0], "wrong": [wrong(1, "missed_link", [0], []), wrong(2, "spurious_link", [], [0])]},
        {"merged": [0, 0, 1], "wrong": []},
    ],
}


def small_page() -> str:
    """Three documents and three strategies.

    The document "ferry" has nested, crossing and discontinuous mentions, Hebrew, and a strategy that fails; the second
    has markup wherever there is text, and nothing wrong by "greedy"; the third, "city", has wrong decisions.
    """
    documents: list[Json] = [_FERRY, _MARKUP, _CITY]
    names = ["ferry", IMAGE, "city"]
    facts = [
        {
            "id": name,
            "genre": genre,
            "tokens": sum(len(s["tokens"]) for p in document["parts"] for s in p["sentences"]),
            "parts": len(document["parts"]),
            "chains": len(document["chains"]),
        }
        for name, genre, document in zip(names, ("news", IMAGE, None), documents, strict=True)
    ]
    return page_of({"strategies": ["none", "greedy", "failing"], "documents": facts}, documents)


def big_page(documents: int = 100, tokens: int = 2000, strategies: int = 4) -> str:
    """Documents of 5 parts, with a mention for every 7 tokens and a wrong decision for every 10 chains."""
    drawn = random.Random(5)
    made = [_big_document(drawn, tokens, strategies) for _ in range(documents)]
    facts = [
        {"id": f"document {number}", "genre": "news", "tokens": tokens, "parts": 5, "chains": len(each["chains"])}
        for number, each in enumerate(made)
    ]
    names = [f"strategy {number}" for number in range(strategies)]
    return page_of({"strategies": names, "documents": facts}, made)


def _big_document(drawn: random.Random, tokens: int, strategies: int) -> Json:
    words = [f"word{number}" for number in range(500)]
    each_part = tokens // 100
    made = parts(
        *([{"tokens": drawn.choices(words, k=20), "speaker": None} for _ in range(each_part)] for _ in range(5))
    )
    chains = [
        chain(
            part, words[number], words[number], *((row, (at, at + 1)) for row in drawn.choices(range(each_part), k=4))
        )
        for part in range(5)
        for number, at in enumerate(drawn.choices(range(19), k=tokens // 140))
    ]
    outcome = {
        "merged": [number % (tokens // 140) for number in range(len(chains))],
        "wrong": [wrong(number, "spurious_link", [], [number % 7]) for number in range(tokens // 140, len(chains), 10)],
    }
    human = list(range(len(chains)))
    return {"parts": made, "chains": chains, "human": human, "strategies": [outcome] * strategies}
