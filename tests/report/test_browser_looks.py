from __future__ import annotations

import pytest

from tests.report.browser_page import WIDE, ready, small_page
from tests.report.conftest import OpenPage

NARROW = {"width": 375, "height": 800}
CONTRAST = 4.5
"""WCAG 1.4.3, level AA."""

_CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (box) => {
    for (let each = box; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
      if (rgba(colour)[3] !== 0) throw new Error("a translucent background");
    }
    throw new Error("no background");
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const box = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !box.checkVisibility() || box.closest("option, :disabled")) continue;
    const on = luminance(ground(box));
    const what = texts.currentNode.data.trim().slice(0, 30) + " in " + box.className;
    found.push([what, contrast(luminance(getComputedStyle(box).color), on)]);
    const number = getComputedStyle(box, "::after");
    if (number.content !== "none") found.push([what + " number", contrast(luminance(number.color), on)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pressed", [False, True], ids=["as-the-system", "toggled"])
def test_every_text_can_be_read_on_its_ground(open_page: OpenPage, scheme: str, pressed: bool) -> None:  # noqa: FBT001
    page = ready(open_page(small_page(), viewport=WIDE, color_scheme=scheme, reduced_motion="reduce"))
    if pressed:
        page.locator("#theme-toggle").click()
    page.locator(".help summary").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == ((scheme == "dark") != pressed)
    page.keyboard.press("n")
    for hue in range(0, 360, 20):
        page.locator("#browser .mention").evaluate_all(
            "(all, hue) => all.forEach(each => each.style.setProperty('--hue', hue))", hue
        )
        measured: list[tuple[str, float]] = page.evaluate(_CONTRASTS)
        assert len(measured) > 80
        assert [(what, ratio, hue) for what, ratio in measured if ratio < CONTRAST] == []


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_page_never_scrolls_sideways(open_page: OpenPage, width: int) -> None:
    page = ready(open_page(small_page(), viewport={"width": width, "height": 800}))
    page.locator(".help summary").click()
    for _ in range(3):
        page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_parts_stand_side_by_side_and_on_a_narrow_screen_one_under_the_other(open_page: OpenPage) -> None:
    for viewport, columns in ((WIDE, 3), (NARROW, 1)):
        page = ready(open_page(small_page(), viewport=viewport))
        lefts = page.locator(".part").evaluate_all("all => all.map(each => each.getBoundingClientRect().left)")
        assert len(set(lefts)) == columns


def test_print_has_the_text_and_what_is_shown_but_no_controls(open_page: OpenPage) -> None:
    page = ready(open_page(small_page(), viewport=WIDE))
    page.get_by_label("With the text").fill("people")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("#browser-controls").is_visible()
    assert not page.locator("#browser-nouns").is_visible()
    assert page.locator("#browser-caption").inner_text() == (
        "ferry news, 52 tokens, 3 parts, 8 chains; merges: greedy; "
        "decisions of greedy: spurious link, missed link, wrong antecedent; with the text people"
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    lefts = page.locator(".part").evaluate_all("all => all.map(each => each.getBoundingClientRect().left)")
    assert len(set(lefts)) == 1
    heights = page.locator(".part").evaluate_all("all => all.map(each => each.scrollHeight - each.clientHeight)")
    assert heights == [0, 0, 0]


def test_motion_is_left_out_where_it_is_not_wanted(open_page: OpenPage) -> None:
    page = ready(open_page(small_page(), viewport=WIDE, reduced_motion="reduce"))
    page.keyboard.press("n")
    assert page.evaluate("document.getAnimations().length") == 0
