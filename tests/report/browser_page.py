"""Pages with the document browser alone, made from its templates, and documents to show in them."""

from __future__ import annotations

import base64
import hashlib
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import client.report
from client.report.page import SCRIPTS, STYLES

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
    script, style = ("\n".join((TEMPLATES / name).read_text("utf-8") for name in names) for names in (SCRIPTS, STYLES))
    return environment.from_string(_PAGE).render(
        index=index,
        documents=documents,
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def ready(page: Page) -> Page:
    """The page, once the counts over all documents are there."""
    page.locator(".checks .count", has_text=re.compile(r"\d")).first.wait_for()
    return page


def sentence(text: str, speaker: str | None = None) -> Json:
    """Tokens are separated by blanks."""
    return {"tokens": text.split(), "speaker": speaker}


PRONOUN, NOUN, PROPER_NOUN = range(3)
CLASSES = ["pronoun", "noun", "proper noun"]


def chain(
    part: int,
    place: int,
    word_class: int,
    nouns: str,
    *mentions: tuple[int, Span] | tuple[int, Span, Span],
    name: int = 0,
) -> Json:
    """Mentions are a sentence and spans; nouns are separated by blanks.

    ``place`` is the first token of the first mention through the document, and ``name`` the number of the mention that
    names the chain. All tokens of a chain are taken to be at its place.
    """
    return {
        "part": part,
        "id": f"{place}",
        "name": name,
        "telling": {PROPER_NOUN: 0, NOUN: 1, PRONOUN: 3}[word_class],
        "class": word_class,
        "start": place,
        "end": place,
        "nouns": nouns.split(),
        "mentions": [[number, [list(span) for span in spans]] for number, *spans in mentions],
    }


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
        chain(0, 0, NOUN, "ferry", (0, (0, 4)), (1, (3, 3))),
        chain(0, 3, NOUN, "island", (0, (3, 4)), (2, (9, 9))),
        chain(0, 8, NOUN, "People", (1, (0, 0)), (2, (2, 2), (7, 8))),
        chain(0, 24, NOUN, "", (3, (0, 2)), (4, (1, 1))),
        chain(0, 25, NOUN, "", (3, (1, 3)), (4, (0, 0))),
        chain(1, 30, NOUN, "ferry", (0, (0, 1)), (1, (2, 2))),
        chain(1, 34, PRONOUN, "people", (0, (4, 4)), (1, (0, 0))),
        chain(2, 41, PROPER_NOUN, "island", (0, (0, 0)), (1, (0, 1)), (1, (5, 5)), name=1),
    ],
    "human": [0, 1, 2, 3, 4, 0, 5, 1],
    "strategies": [
        {"merged": [0, 1, 2, 3, 4, 5, 6, 7], "evidence": {}},
        {
            "merged": [0, 1, 2, 3, 4, 0, 2, 0],
            "evidence": {
                "6": {
                    "rule": "noun",
                    "text": "people",
                    "score": 0.93,
                    "pair": [[1, 0, [[4, 4]]], [0, 1, [[0, 0]]]],
                    "pairs": 2,
                }
            },
        },
        {"failure": "out of <b>memory</b>"},
    ],
}
MARKUP = "<script>window.injected=1</script>"
IMAGE = "<img/src=x/onerror=window.injected=1>"
_MARKUP = {
    "parts": parts([sentence(f"</script> {MARKUP} <!-- & '", MARKUP)], [sentence(f"{IMAGE} {{{{7*7}}}}", IMAGE)]),
    "chains": [chain(0, 0, NOUN, MARKUP, (0, (0, 1))), chain(1, 6, NOUN, IMAGE, (0, (0, 0)))],
    "human": [0, 0],
    "strategies": [
        {
            "merged": [0, 1],
            "evidence": {
                "1": {
                    "rule": MARKUP,
                    "text": IMAGE,
                    "score": None,
                    "pair": [[1, 0, [[0, 0]]], [0, 0, [[0, 1]]]],
                    "pairs": 1,
                }
            },
        },
        {"merged": [0, 0], "evidence": {}},
        {"merged": [0, 0], "evidence": {}},
    ],
}
_CITY = {
    "parts": parts([sentence("The City sleeps .")], [sentence("The city wakes , People wake .")]),
    "chains": [
        chain(0, 0, NOUN, "City", (0, (0, 1))),
        chain(1, 4, NOUN, "city", (0, (0, 1))),
        chain(1, 8, NOUN, "People", (0, (4, 4))),
    ],
    "human": [0, 0, 1],
    "strategies": [
        {"merged": [0, 1, 2], "evidence": {}},
        {"merged": [0, 1, 0], "evidence": {}},
        {"merged": [0, 0, 1], "evidence": {}},
    ],
}


def small_page() -> str:
    """Three documents and three strategies, of which "greedy" is the best.

    The document "ferry" has nested, crossing and discontinuous mentions, Hebrew, and a strategy that fails; the second
    has markup wherever there is text, and nothing wrong by "greedy"; the third, "city", has wrong decisions:

    ======  ==============================  ==============================  ==============
    ..      none                            greedy                          failing
    ======  ==============================  ==============================  ==============
    ferry   2 missed (ferry, island)        spurious (people), wrong        failed
                                            antecedent (island); right:
                                            the ferry
    markup  1 missed                        right                           right
    city    1 missed (city); right: People  missed (city), spurious         all right
                                            (People)
    ======  ==============================  ==============================  ==============
    """
    documents: list[Json] = [_FERRY, _MARKUP, _CITY]
    genres: list[str | None] = ["news", IMAGE, None]
    wrong: list[list[int | None]] = [[2, 2, None], [1, 0, 0], [1, 2, 0]]
    facts = [
        _facts(name, genre, document, counts)
        for name, genre, document, counts in zip(["ferry", IMAGE, "city"], genres, documents, wrong, strict=True)
    ]
    return page_of(_index(["none", "greedy", "failing"], facts, best=1), documents)


def _facts(name: str, genre: str | None, document: Json, wrong: Sequence[int | None]) -> Json:
    return {
        "id": name,
        "genre": genre,
        "tokens": sum(len(s["tokens"]) for p in document["parts"] for s in p["sentences"]),
        "parts": len(document["parts"]),
        "chains": len(document["chains"]),
        "groups": {"genre": genre or "unknown"},
        "wrong": list(wrong),
    }


def _index(strategies: Sequence[str], facts: Sequence[Json], best: int) -> Json:
    return {
        "strategies": list(strategies),
        "best": best,
        "groups": {"genre": sorted({each["groups"]["genre"] for each in facts})},
        "classes": CLASSES,
        "distances": [["up to 10 tokens", 10], ["11 to 30 tokens", 30], ["over 30 tokens", None]],
        "documents": list(facts),
    }


def big_page(documents: int = 200, tokens: int = 2000, strategies: int = 5) -> str:
    """Documents of 5 parts, with a mention for every 7 tokens and 56 decisions each."""
    drawn = random.Random(5)
    made = [_big_document(drawn, tokens, strategies) for _ in range(documents)]
    facts = [_facts(f"document {number}", "news", each, [50] * strategies) for number, each in enumerate(made)]
    return page_of(_index([f"strategy {number}" for number in range(strategies)], facts, best=0), made)


def _big_document(drawn: random.Random, tokens: int, strategies: int) -> Json:
    words = [f"word{number}" for number in range(500)]
    each_part = tokens // 100
    made = parts(
        *([{"tokens": drawn.choices(words, k=20), "speaker": None} for _ in range(each_part)] for _ in range(5))
    )
    chains = [
        chain(
            part,
            part * tokens // 5 + number,
            NOUN,
            words[number],
            *((row, (at, at + 1)) for row in drawn.choices(range(each_part), k=4)),
        )
        for part in range(5)
        for number, at in enumerate(drawn.choices(range(19), k=tokens // 140))
    ]
    merged = [number % (tokens // 140) for number in range(len(chains))]
    pair = [[1, 0, [[4, 4]]], [0, 1, [[0, 0]]]]
    evidence = {"rule": "noun", "text": "word", "score": None, "pair": pair, "pairs": 3}
    outcome = {"merged": merged, "evidence": {str(number): evidence for number in range(tokens // 140, len(chains))}}
    human = list(range(len(chains)))
    return {"parts": made, "chains": chains, "human": human, "strategies": [outcome] * strategies}
