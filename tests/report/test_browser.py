from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

from client.report.page import SCRIPTS, STYLES
from tests.report.browser_page import IMAGE, MARKUP, TEMPLATES, WIDE, big_page, ready, small_page
from tests.report.conftest import OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

MINUS = "\N{MINUS SIGN}"
LOAD_BOUND_MS = 2000
"""What the report promises for 200 documents of 2,000 tokens and 5 strategies."""


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The three documents, once the counts over all of them are there."""
    return ready(open_page(small_page(), viewport=WIDE))


def numbers(page: Page) -> list[tuple[str, str]]:
    """Text and number of the mentions, by their last elements, in text order."""
    found = page.locator("#browser-parts .mention").evaluate_all(
        "all => all.filter(each => each.dataset.number).map(each => [each.textContent, each.dataset.number])"
    )
    return [(text, number) for text, number in found]


def shown(page: Page) -> str:
    return page.locator("#browser-document").input_value()


def wrong_mentions(page: Page) -> list[str]:
    found = page.locator("#browser-parts .mention.wrong").evaluate_all(
        "all => all.map(each => [...each.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(''))"
    )
    return [str(text) for text in found]


def listed(page: Page) -> list[str]:
    """The items of the list, without what is told of the chosen one."""
    return [" ".join(each.split()) for each in page.locator("#browser-list [data-select]").all_inner_texts()]


def told(page: Page) -> str:
    """What is told of the chosen decision."""
    return " ".join(page.locator("#browser-list .more").inner_text().split())


def fields(page: Page) -> dict[str, str]:
    """The address, as fields; of repeated ones the last."""
    address: str = page.evaluate("location.hash")
    return dict(parse_qsl(address.removeprefix("#")))


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).select_option(option)


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def test_document_is_shown_with_its_parts_and_speakers(page: Page) -> None:
    assert page.locator(".part h3").all_inner_texts() == ["Part 0", "Part 1", "Part 2"]
    assert page.locator("#browser-strategy").input_value() == "greedy"
    assert page.locator(".speaker").all_inner_texts() == ["Ann", "Bob"]
    # 8 + 5 + 11 + 4 + 2 tokens, 7 + 4, 3 + 8
    assert page.locator("#browser-caption").inner_text() == "ferry news, 52 tokens, 3 parts, 8 chains"


def test_mention_in_a_mention_is_drawn_inside_it(page: Page) -> None:
    outer = page.locator("#browser-parts .mention", has_text=re.compile("^The ferry to"))
    assert outer.locator(".mention").all_inner_texts() == ["the island"]


def test_crossing_mentions_are_cut_where_the_first_ends(page: Page) -> None:
    sentence = page.locator(".sentence", has_text="one two three four")
    pieces = sentence.locator(".mention").evaluate_all("all => all.map(each => [each.textContent, each.className])")
    # [one [two three] four]: the second mention, "two three four", ends after the first.
    assert [text for text, _ in pieces] == ["one two three", "two three", "four"]
    assert ["cut-after" in kind for _, kind in pieces] == [False, True, False]
    assert ["cut-before" in kind for _, kind in pieces] == [False, False, True]


def test_discontinuous_mention_is_drawn_in_pieces_of_one_chain(page: Page) -> None:
    sentence = page.locator(".sentence", has_text="I know both")
    pieces = sentence.locator(".mention").evaluate_all("all => all.map(each => [each.textContent, each.dataset.chain])")
    assert pieces[:2] == [["both", "2"], ["of them", "2"]]
    assert sentence.inner_text().startswith("Bob I know both, in fact, of them")


def test_numbers_are_those_of_the_merges_in_view(page: Page) -> None:
    """By "greedy" parts 1 and 2 join "the ferry", chain 1, and people, chain 3; by people the island is chain 2."""
    later = {"The ferry", "it", "people", "They", "The island"}
    assert {number for text, number in numbers(page) if text.strip("+≠") in later} == {"1", "3"}
    page.locator(".view label").first.click()
    seen = [(text.strip("+≠"), number) for text, number in numbers(page)]
    assert ("people", "7") in seen
    assert ("The island", "2") in seen
    assert ("The ferry", "1") in seen


def test_colour_is_for_chains_over_several_parts(page: Page) -> None:
    page.locator(".view label").first.click()
    quiet = page.locator("#browser-parts .mention:not(.spread)").all_inner_texts()
    assert sorted({text.strip("+≠") for text in quiet}) == sorted(
        {"People", "both", "of them", "one two three", "two three", "four", "one", "three", "people", "They"}
    )


def test_mentions_of_a_wrong_decision_are_marked_and_say_what_is_wrong(page: Page) -> None:
    assert wrong_mentions(page) == ["people", "They", "האי", "The island", "it"]
    flags = page.locator("#browser-parts .flag")
    assert [each.get_attribute("aria-label") for each in flags.all()] == ["spurious link"] * 2 + [
        "wrong antecedent"
    ] * 3


def test_list_names_the_decisions_and_tells_both_antecedents_and_the_evidence_of_the_chosen_one(page: Page) -> None:
    assert listed(page) == ["+ people part 1", "≠ The island part 2"]
    page.keyboard.press("n")
    assert told(page) == (
        "+ greedy People part 0 gold new chain by noun people, score 0.93: People and people and 1 more pair "
        "pronoun, 2 mentions, 26 tokens apart Link to this"
    )
    page.keyboard.press("n")
    # The island is at token 41, the human antecedent at 3.
    assert told(page) == (
        "≠ greedy The ferry to the island parts 0, 1 gold the island part 0 "
        "proper noun, 3 mentions, 38 tokens apart Link to this"
    )


def test_link_in_the_list_focuses_the_mention(page: Page) -> None:
    page.locator("#browser-list").get_by_role("button", name="The island").click()
    page.locator("#browser-list dd").get_by_role("button", name="the island", exact=True).click()
    assert focused(page) == "there"
    page.locator("#browser-list").get_by_role("button", name="people part 1").click()
    page.locator("#browser-list dd").get_by_role("button", name="people", exact=True).click()
    assert focused(page) == "+people"


def test_hover_lights_the_merged_chain_and_names_it(page: Page) -> None:
    page.locator("#browser-parts .mention", has_text=re.compile("^The ferry$")).hover()
    lit = {text.strip("+≠") for text in page.locator(".lit").all_text_contents()}
    assert lit == {"The ferry to the island", "it", "The ferry", "האי", "The island"}
    # 2 mentions of chain 1, 2 of chain 6 and 3 of chain 8; the island has a proper noun, the ferry a longer noun.
    assert page.locator("#browser-chain").inner_text() == "1 The island: 7 mentions in parts 0, 1, 2"


def test_filter_by_error_has_the_list_the_marks_and_the_counts_follow(page: Page) -> None:
    counts = page.locator(".checks .count")
    # "ferry" has a spurious link, a wrong antecedent and a right one, "city" a missed and a spurious link, and the
    # document of markup a right one.
    assert counts.all_inner_texts() == ["2", "1", "1", "2"]
    assert page.locator("#browser-status").inner_text() == "2 here, 4 in all"
    page.get_by_role("checkbox", name="spurious link").uncheck()
    assert listed(page) == ["≠ The island part 2"]
    assert wrong_mentions(page) == ["האי", "The island", "it"]
    assert page.locator("#browser-status").inner_text() == "1 here, 2 in all"
    assert page.locator("#browser-document option").all_inner_texts() == [
        "ferry (1)",
        f"{IMAGE} (0)",
        "city (1)",
    ]


def test_right_decisions_are_listed_where_they_are_asked_for(page: Page) -> None:
    page.get_by_role("checkbox", name="right").check()
    assert listed(page) == ["✓ The ferry part 1", "+ people part 1", "≠ The island part 2"]
    assert page.locator("#browser-parts .flag.right").count() == 2
    assert "The ferry" not in wrong_mentions(page)


def test_all_chains_are_listed_with_whether_people_merged_them_so(page: Page) -> None:
    """By "greedy": the ferry with the later island, people, and three that stay in their part."""
    page.get_by_text("all chains").click()
    assert listed(page) == [
        "≠ 1 The island 7 mentions, parts 0, 1, 2",
        "≠ 2 the island 2 mentions, part 0",
        "≠ 3 People 4 mentions, parts 0, 1",
        "✓ 4 one two three 2 mentions, part 0",
        "✓ 5 two three four 2 mentions, part 0",
    ]
    page.locator(".view label").first.click()
    assert [each[:1] for each in listed(page)] == ["✓"] * 6
    page.locator("#browser-list [data-select]").nth(1).click()
    assert page.locator("#browser-parts .chosen").all_inner_texts() == ["the island", "there"]
    assert told(page) == "It starts in part 0 and continues with: gold The island 2 mentions Link to this"
    assert page.locator("#browser-status").inner_text() == "6 chains"
    assert fields(page)["list"] == "chains"


def test_button_of_a_noun_filters_and_unfilters(page: Page) -> None:
    buttons = page.locator("#browser-nouns button")
    assert buttons.all_inner_texts() == ["people 2", "city 1", "island 1"]
    buttons.first.click()
    assert page.locator("#browser-text").input_value() == "people"
    assert listed(page) == ["+ people part 1"]
    assert page.locator("#browser-status").inner_text() == "1 here, 2 in all"
    assert buttons.first.get_attribute("aria-pressed") == "true"
    buttons.first.click()
    assert page.locator("#browser-status").inner_text() == "2 here, 4 in all"


def test_text_is_looked_for_in_mentions_and_evidence_in_any_case(page: Page) -> None:
    field = page.get_by_label("With the text")
    field.fill("E ISL")
    assert listed(page) == ["≠ The island part 2"]
    field.fill("PEOP")
    assert listed(page) == ["+ people part 1"]
    field.fill("nowhere")
    assert listed(page) == []
    assert page.locator("#browser-list").inner_text() == "None with these filters."
    assert page.locator("[data-step]").first.is_disabled()


def test_filter_by_part_of_speech_distance_and_genre(page: Page) -> None:
    choose(page, "Part of speech", "pronoun")
    assert listed(page) == ["+ people part 1"]
    choose(page, "Part of speech", "")
    # People are 34 - 8 tokens from the antecedent, and the island 41 - 3.
    choose(page, "Distance", "11 to 30 tokens")
    assert listed(page) == ["+ people part 1"]
    choose(page, "Distance", "over 30 tokens")
    assert listed(page) == ["≠ The island part 2"]
    choose(page, "Distance", "")
    choose(page, "Among", "genre:unknown")
    assert shown(page) == "city"
    assert page.locator("#browser-status").inner_text() == "2 here, 2 in all"
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert shown(page) == "city", "steps stay in the group"


def test_what_one_strategy_has_wrong_and_another_right(page: Page) -> None:
    """In "city" greedy has both wrong, of which merging nothing has People right."""
    choose(page, "Compared with", "none")
    page.locator("#browser-outcome").select_option("right")
    assert page.locator("label[for=browser-outcome]").inner_text() == "where none is"
    # In "ferry" merging nothing has people right, which greedy linked.
    assert listed(page) == ["+ people part 1"]
    assert page.locator("#browser-status").inner_text() == "1 here, 2 in all"
    page.locator("#browser-outcome").select_option("wrong")
    assert listed(page) == ["≠ The island part 2"]
    page.locator("#browser-outcome").select_option("different")
    assert listed(page) == ["+ people part 1", "≠ The island part 2"]
    page.keyboard.press("n")
    assert told(page).startswith("+ greedy People part 0 ✓ none new chain gold new chain greedy by noun")


def test_two_merges_stand_side_by_side(page: Page) -> None:
    page.get_by_label("side by side").check()
    assert page.locator(".pane-title").all_inner_texts() == ["Merges: greedy", "Merges: gold"]
    island = page.locator(".parts .mention", has_text=re.compile("The island$"))
    assert [each.get_attribute("data-number") for each in island.all()] == ["1", "2"]
    choose(page, "Compared with", "none")
    assert page.locator(".pane-title").last.inner_text() == "Merges: none"
    assert [each.get_attribute("data-number") for each in island.all()] == ["1", "8"]
    lefts = page.locator(".parts").evaluate_all("all => all.map(each => each.getBoundingClientRect().left)")
    assert lefts[0] < lefts[1]
    page.keyboard.press("n")
    assert page.locator(".chosen").count() == 4, "two mentions in each text"


def test_click_on_a_mention_chooses_its_decision_right_or_wrong_and_tells_of_the_first_part(page: Page) -> None:
    page.locator("#browser-parts .mention", has_text=re.compile("^The ferry$")).click()
    assert page.locator("#browser-list [aria-current] .name").inner_text() == "The ferry"
    assert told(page).startswith("✓ greedy The ferry to the island part 0 gold The ferry to the island part 0")
    assert fields(page)["decision"] == "6"
    # The innermost of two.
    page.locator("#browser-parts .mention", has_text=re.compile("^the island$")).click()
    assert told(page) == (
        "The first part has no decisions. In later parts this chain continues with: "
        "greedy nothing gold The island 2 mentions Link to this"
    )


def test_steps_go_on_into_the_next_document_with_a_wrong_decision_and_around(page: Page) -> None:
    seen = []
    for _ in range(5):
        page.get_by_label("next decision").first.click()
        seen.append((shown(page), focused(page)))
    assert seen == [
        ("ferry", "+people"),
        ("ferry", "≠האי"),
        ("city", f"{MINUS}The city"),
        ("city", "+People"),
        ("ferry", "+people"),
    ]
    assert page.locator("#browser-status").inner_text() == "1 of 2 here, 4 in all"
    page.get_by_label("previous decision").first.click()
    assert (shown(page), focused(page)) == ("city", "+People")


def test_keys_step_toggle_and_follow_a_chain(page: Page) -> None:
    page.keyboard.press("n")
    assert focused(page) == "+people"
    page.keyboard.press("m")
    assert page.get_by_role("radio", name="gold").is_checked()
    page.keyboard.press("m")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "+They"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "both", "the pieces of a mention are one stop"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "there"
    page.keyboard.press("p")
    assert (shown(page), focused(page)) == ("city", "+People")


def test_typing_is_no_command(page: Page) -> None:
    page.get_by_label("With the text").press_sequentially("npm")
    assert page.locator("#browser-text").input_value() == "npm"
    assert (shown(page), page.get_by_role("radio", name="gold").is_checked()) == ("ferry", False)


def test_tab_key_reaches_everything_in_order_and_arrows_go_through_the_list(page: Page) -> None:
    reached = []
    for _ in range(29):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.dataset.select ?? document.activeElement.localName"))
    theme, group, turn, step, noun = ("button", "select", "button", ["button"] * 2, ["button"] * 3)
    documents = [theme, group, turn, "select", turn, "select", "select"]
    filters = [*["input"] * 4, "input", "select", "select", *noun, "summary"]
    texts = ["div", "section", "mark", "section", "section"]
    assert reached == [*documents, *filters, "input", "input", *step, "input", "6", *texts]
    page.locator("#browser-list [tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert (page.evaluate("document.activeElement.dataset.select"), fields(page)["decision"]) == ("7", "8")
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.dataset.select") == "6"


def test_address_brings_the_view_back(page: Page, open_page: OpenPage) -> None:
    choose(page, "Strategy", "none")
    choose(page, "Compared with", "greedy")
    page.get_by_label("next document").click()
    page.get_by_label("next document").click()
    page.get_by_role("checkbox", name="spurious link").uncheck()
    page.locator(".view label").first.click()
    page.get_by_label("With the text").fill("City")
    page.keyboard.press("Escape")
    fragment = page.evaluate("location.hash").removeprefix("#")

    again = ready(open_page(small_page(), f"{fragment}&text=City", viewport=WIDE))
    assert (shown(again), again.locator("#browser-strategy").input_value()) == ("city", "none")
    assert again.locator("#browser-other").input_value() == "greedy"
    assert again.get_by_role("radio", name="gold").is_checked()
    assert not again.get_by_role("checkbox", name="spurious link").is_checked()
    assert again.get_by_role("checkbox", name="missed link").is_checked()
    assert again.locator("#browser-text").input_value() == "City"
    assert listed(again) == [f"{MINUS} The city part 1"]


def test_a_link_leads_to_one_decision(page: Page, open_page: OpenPage) -> None:
    page.locator("#browser-list [data-select]", has_text="The island").click()
    link = page.get_by_role("link", name="Link to this").get_attribute("href")
    assert link is not None

    again = ready(open_page(small_page(), link.removeprefix("#"), viewport={"width": 1280, "height": 400}))
    assert again.locator("#browser-list [aria-current] .name").inner_text() == "The island"
    assert focused(again) == "≠האי"
    assert again.locator("#browser-parts .chosen").first.evaluate(
        "each => each.getBoundingClientRect().bottom > 0 && each.getBoundingClientRect().top < innerHeight"
    )


@pytest.mark.parametrize(
    ("fragment", "document", "strategy", "items"),
    [
        ("group=genre%3Aunknown", "city", "greedy", [f"{MINUS} The city part 1", "+ People part 1"]),
        ("strategy=none", "ferry", "none", [f"{MINUS} The ferry part 1", f"{MINUS} The island part 2"]),
        ("pos=pronoun", "ferry", "greedy", ["+ people part 1"]),
        # 4 - 0 tokens in "city", and those of the other document are further.
        ("distance=up+to+10+tokens", "city", "greedy", [f"{MINUS} The city part 1", "+ People part 1"]),
    ],
)
def test_an_address_of_a_group_leads_to_its_document_with_most_errors(
    page: Page, fragment: str, document: str, strategy: str, items: list[str]
) -> None:
    page.get_by_role("checkbox", name="spurious link").uncheck()
    page.evaluate(f"location.hash = '{fragment}'")
    page.locator("#browser-status", has_text="here").wait_for()
    page.wait_for_function(f"document.getElementById('browser-document').value === '{document}'")
    assert page.locator("#browser-strategy").input_value() == strategy
    assert listed(page) == items


@pytest.mark.parametrize("fragment", ["scores", "document=gone&strategy=gone&view=x&error=spurious_link"])
def test_address_of_something_else_shows_the_best_strategy(open_page: OpenPage, fragment: str) -> None:
    page = ready(open_page(small_page(), fragment, viewport=WIDE))
    assert (shown(page), page.locator("#browser-strategy").input_value()) == ("ferry", "greedy")
    assert not page.get_by_role("radio", name="gold").is_checked()


def test_it_opens_on_the_best_strategy_and_its_document_with_most_errors(open_page: OpenPage) -> None:
    """The best is "greedy"; with three errors more the last document has most."""
    html = small_page().replace('"wrong": [1, 2, 0]', '"wrong": [1, 5, 0]')
    page = ready(open_page(html, viewport=WIDE))
    assert (shown(page), page.locator("#browser-strategy").input_value()) == ("city", "greedy")


def test_a_step_brings_the_whole_part_into_view(open_page: OpenPage) -> None:
    """A window that two of the three parts fit into, and a page that is scrolled away from them."""
    page = ready(open_page(small_page(), viewport={"width": 1000, "height": 700}, reduced_motion="reduce"))
    page.evaluate("scrollTo(0, 0)")
    page.keyboard.press("n")
    page.keyboard.press("n")
    part, box = (page.locator(each).bounding_box() for each in (".part:nth-child(3)", "#browser-parts"))
    assert part is not None
    assert box is not None
    assert box["x"] <= part["x"]
    assert part["x"] + part["width"] <= box["x"] + box["width"] + 1
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 700


def test_strategy_that_failed_says_why_and_leaves_the_human_merges(page: Page) -> None:
    page.locator("#browser-strategy").select_option("failing")
    assert page.locator("#browser-list").inner_text() == (
        "The strategy failed on this document; the gold merges are shown: out of <b>memory</b>"
    )
    assert ("The island", "2") in numbers(page)
    assert "ferry (failed)" in page.locator("#browser-document option").all_inner_texts()


def test_markup_in_a_document_is_text(page: Page) -> None:
    page.locator("#browser-strategy").select_option("none")
    page.get_by_label("next document").click()
    assert MARKUP in page.locator(".sentence").first.inner_text()
    assert "</script>" in page.locator(".sentence").first.inner_text()
    # The speaker, the sign of the wrong decision, and the tokens.
    assert page.locator(".sentence").last.inner_text() == f"{IMAGE} {MINUS}{IMAGE} {{{{7*7}}}}"
    page.locator("#browser-nouns button", has_text="onerror").click()
    assert listed(page) == [f"{MINUS} {IMAGE} part 1"]
    page.keyboard.press("n")
    assert IMAGE in told(page)
    assert page.evaluate("window.injected") is None
    assert page.locator("#browser img, #browser script").count() == 0


def test_hebrew_runs_from_right_to_left(page: Page) -> None:
    sentence = page.locator(".sentence", has_text="שקט")
    assert sentence.evaluate("each => getComputedStyle(each).direction") == "rtl"
    assert page.locator("#browser-parts").get_attribute("lang") == ""


def test_without_javascript_a_sentence_says_so(open_page: OpenPage) -> None:
    page = open_page(small_page(), java_script_enabled=False)
    assert page.locator("noscript").is_visible()
    assert not page.locator("#browser-body").is_visible()


def loading_ms(page: Page) -> float:
    """From the begin of loading to when the first document is drawn and the page can be used."""
    timing: dict[str, Any] = page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    (drawn,) = page.evaluate("performance.getEntriesByName('first-document').map(each => each.startTime)")
    return float(max(timing["domContentLoadedEventEnd"], drawn))


def test_200_documents_of_2000_tokens_and_5_strategies_open_within_two_seconds(open_page: OpenPage) -> None:
    page = ready(open_page(big_page(), viewport=WIDE))
    # The best of some: the others say how busy the machine was.
    times = [loading_ms(page)]
    while min(times) >= LOAD_BOUND_MS and len(times) < 10:
        page.reload()
        times.append(loading_ms(ready(page)))
    assert min(times) < LOAD_BOUND_MS
    # 5 parts with 14 chains of 4 mentions each; of crossing ones the last piece has the number
    assert page.locator("#browser-parts .mention:not([data-number=''])").count() == 280
    # Only the document in view is in the page as elements.
    assert page.evaluate("document.querySelectorAll('*').length") < 3000
    page.get_by_label("next document").click()
    assert page.locator("#browser-caption b").inner_text() == "document 1"


def test_files_hold_nothing_that_ends_the_element_they_are_put_in() -> None:
    for names, end in ((STYLES, "</style"), (SCRIPTS, "</script")):
        for name in names:
            text = (TEMPLATES / name).read_text("utf-8")
            assert end not in text.lower()
            assert "innerHTML" not in text
