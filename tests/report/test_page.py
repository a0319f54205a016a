"""The whole report, made by the command line and opened in a browser."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser_page import ready
from tests.report.conftest import OpenPage
from tests.support.command_line import EXAMPLES
from tests.support.in_process import run

KEY = EXAMPLES / "key"
STRATEGIES = ("-s", "greedy", "-s", "greedy:match=mention")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """The report of the examples, and the same comparison as data."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    done = run("compare", KEY, "--keep-parts", *STRATEGIES, "--report", path, "--json")
    assert done.code == 0, done.err
    return path.read_text("utf-8"), json.loads(done.out)


def test_the_page_says_what_the_data_say(made: tuple[str, dict[str, Any]], open_page: OpenPage) -> None:
    html, data = made
    page = open_page(html)

    assert page.locator(".verdict").inner_text() == data["verdict"]["sentence"]
    rows = page.locator("#scores tbody").first.locator("tr").all_inner_texts()
    for row, strategy in zip(rows, data["strategies"], strict=True):
        cells = row.split("\t")
        assert strategy["name"] in cells[0]
        score, _, half = cells[1].partition(" ±")
        assert float(score) == pytest.approx(100 * strategy["total"]["conll_f1"], abs=0.01)
        interval = strategy["intervals"]["conll_f1"]
        assert float(half) == pytest.approx(50 * (interval["high"] - interval["low"]), abs=0.01)
    paper = page.locator("#scores tbody.paper")
    assert all(words in paper.inner_text() for words in ("LongtoNotes", "61", "69", "over 90"))
    assert page.locator("pre.command").inner_text() == data["command"]
    assert page.locator(".signatures").inner_text().count("greedy[") == 2


def test_wrong_decisions_in_the_browser_are_those_of_the_data(
    made: tuple[str, dict[str, Any]], open_page: OpenPage
) -> None:
    """The page works them out of who merged what, the data come from the decisions themselves."""
    html, data = made
    page = ready(open_page(html))

    assert data["verdict"]["best"] == page.locator("#browser-strategy").input_value()
    for strategy in data["strategies"]:
        page.locator("#browser-strategy").select_option(strategy["name"])
        judged = [each for outcome in strategy["outcomes"] for each in outcome["judged"]]
        for kind in ("spurious_link", "missed_link", "wrong_antecedent"):
            count = page.locator(f"label:has(input[value={kind}]) .count").inner_text()
            assert count == str(sum(each["error"] == kind for each in judged))
        assert page.locator("label:has(input[value=right]) .count").inner_text() == str(
            sum(each["error"] is None for each in judged)
        )
        for number, outcome in enumerate(strategy["outcomes"]):
            page.locator("#browser-document").select_option(outcome["document"])
            wrong = [each for each in outcome["judged"] if each["error"]]
            assert page.locator("#browser-list [data-select]").count() == len(wrong), number


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("fragment", "width"),
    [
        ("", 1280),
        ("strategy=greedy&other=greedy%3Amatch%3Dmention&split=on&error=right&error=spurious_link&decision=9", 1280),
        ("list=chains&decision=1", 375),
    ],
    ids=["as-it-opens", "side-by-side", "telephone"],
)
def test_axe_finds_nothing(
    made: tuple[str, dict[str, Any]], open_page: OpenPage, scheme: str, fragment: str, width: int
) -> None:
    sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
    viewport = {"width": width, "height": 800}
    page = ready(open_page(made[0], fragment, viewport=viewport, color_scheme=scheme, reduced_motion="reduce"))
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")

    # The scheme changes colours only.
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
    found = sync_playwright.Axe().run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]

    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_tables_sort_by_their_columns_and_back(made: tuple[str, dict[str, Any]], open_page: OpenPage) -> None:
    html, data = made
    page = open_page(html)
    names = [each["name"] for each in data["strategies"]]
    by_score = sorted(names, key=lambda name: -data["strategies"][names.index(name)]["total"]["conll_f1"])

    def rows() -> list[str]:
        return page.locator("#scores tbody").first.locator("th a").all_inner_texts()

    head = page.locator("#scores thead th", has_text="CoNLL").first
    seen = []
    for state in ("descending", "ascending", None):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == state
        seen.append([each.split()[1] for each in rows()])
    assert seen == [by_score, by_score[::-1], names]
    assert page.locator("#scores tbody.paper tr").nth(1).inner_text().startswith("greedy rule")


def test_tables_and_citations_can_be_copied(made: tuple[str, dict[str, Any]], open_page: OpenPage) -> None:
    html, data = made
    page = open_page(html, permissions=["clipboard-read", "clipboard-write"])
    total = data["strategies"][1]["total"]["conll_f1"]

    def copied(label: str) -> str:
        page.get_by_label(label).first.click()
        page.locator("#copied", has_text="Copied").wait_for(state="attached")
        return str(page.evaluate("navigator.clipboard.readText()"))

    csv_text = copied("Copy the table “CoNLL F1, the mean of MUC, B³ and CEAFe; F1 in percent” as CSV")
    table = list(csv.reader(io.StringIO(csv_text)))
    assert table[0][:3] == ["strategy", "CoNLL", "MUC"]
    assert float(table[2][1]) == pytest.approx(100 * total, abs=0.01)
    latex = copied("Copy the table “CoNLL F1 by group” as LaTeX")
    assert "\\begin{tabular}{lrrrrr}" in latex
    assert "group & documents & none & greedy & greedy:match=mention & oracle \\\\" in latex
    bibtex = copied("Copy BibTeX")
    assert "@inproceedings{shridhar-etal-2023-longtonotes" in bibtex
    assert "@software{merge-baseline" in bibtex
    assert bibtex.count("{") == bibtex.count("}")
    assert copied("Copy the command") == data["command"]


def test_signs_of_latex_and_csv_are_written_as_they_read(open_page: OpenPage, made: tuple[str, dict[str, Any]]) -> None:
    page = open_page(made[0])
    assert page.evaluate("latexText('a_b & 50% {x} ^~ 3 ±1 -2')") == (
        "a\\_b \\& 50\\% \\{x\\} \\textasciicircum{}\\textasciitilde{} 3 $\\pm$1 -2"
    )
    assert page.evaluate("latexText('-2.50')") == "$-$2.50"
    page.evaluate("document.querySelector('#scores tbody td').textContent = 'a,\"b'")
    assert '"a,""b"' in page.evaluate("asCsv(document.querySelector('#scores table'))")


def test_groups_strategies_and_marks_lead_to_their_documents(
    made: tuple[str, dict[str, Any]], open_page: OpenPage
) -> None:
    html, data = made
    page = ready(open_page(html, viewport={"width": 1280, "height": 900}))
    genre = data["documents"][-1]["genre"]

    page.locator("#groups th a", has_text=genre).first.click()
    page.wait_for_function("document.getElementById('browser-group').value !== ''")
    assert page.locator("#browser-group").input_value() == f"genre:{genre}"
    shown = page.locator("#browser-document").input_value()
    assert {each["id"]: each["genre"] for each in data["documents"]}[shown] == genre
    page.locator("#scores th a", has_text="oracle").first.click()
    page.wait_for_function("document.getElementById('browser-strategy').value === 'oracle'")
    page.locator("#agreement th a", has_text="proper noun").first.click()
    page.wait_for_function("document.getElementById('browser-pos').value === 'proper noun'")
    mark = page.locator("#plots [data-to*='distance=']").first
    mark.dispatch_event("click")
    page.wait_for_function("document.getElementById('browser-distance').value !== ''")
    assert page.locator("#browser-pos").input_value() == ""


def test_text_of_a_document_is_never_markup(tmp_path: Path, open_page: OpenPage) -> None:
    """Ids, genres, speakers and words that would be scripts: they are shown as they are, and nothing runs."""
    evil = '</script><script>document.title="taken"</script><img src=x onerror=alert(1)>'
    document = {
        "doc_key": evil,
        "genre": evil,
        "sentences": [[evil, "ferry", evil, "ferry"]] * 2,
        "pos": [["NN"] * 4] * 2,
        "speakers": [[evil] * 4] * 2,
        "part_ids": [0, 1],
        "clusters": [[[1, 1], [3, 3], [5, 5], [7, 7]]],
    }
    source = tmp_path / "evil.jsonl"
    source.write_text(json.dumps(document) + "\n", "utf-8")
    done = run("compare", source, "--keep-parts", "-s", "greedy", "--report", "-")
    assert done.code == 0, done.err

    page = ready(open_page(done.out))

    assert page.title() == f"Could a machine have made these merges? {source}"
    assert page.locator("img").count() == 0
    assert evil in page.locator("#browser-parts").inner_text().replace("\n", "")


def test_the_page_loads_nothing_from_elsewhere(made: tuple[str, dict[str, Any]]) -> None:
    html, _ = made
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)

    assert not re.findall(r'(?:src|href)\s*=\s*"(?!#)[^"]*"|@import|url\((?!#)', without_names)


def test_a_document_that_failed_is_listed(tmp_path: Path, open_page: OpenPage) -> None:
    text = (EXAMPLES / "key" / "ferry.conll").read_text("utf-8")
    lines = [
        " ".join([*c[:4], "-", *c[5:]]) if (c := line.split()) and not line.startswith("#") else line
        for line in text.splitlines()
    ]
    (tmp_path / "bare.conll").write_text("\n".join(lines) + "\n", "utf-8")
    done = run("compare", tmp_path / "bare.conll", "--keep-parts", "-s", "greedy", "--report", "-")
    assert done.code == 1

    page = ready(open_page(done.out))

    assert "part-of-speech tag" in page.locator("#scores").inner_text()
    assert page.locator(".verdict").inner_text().startswith("Not asked")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_narrow_and_wide_screens_and_has_its_headings_in_order(
    made: tuple[str, dict[str, Any]], open_page: OpenPage, scheme: str
) -> None:
    page = ready(open_page(made[0], viewport={"width": 375, "height": 800}, color_scheme=scheme))

    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    levels = [int(tag[1]) for tag in page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => h.tagName)")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("svg:not([aria-labelledby])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0


def test_documents_with_nothing_to_merge_or_to_plot_have_a_report_too(tmp_path: Path, open_page: OpenPage) -> None:
    (tmp_path / "empty.conll").write_text("#begin document (a); part 000\n#end document\n", "utf-8")
    for arguments in ((KEY / "ferry.conll", "--into", "1"), (tmp_path / "empty.conll", "--keep-parts")):
        done = run("compare", *arguments, "-s", "greedy", "--report", "-")
        assert done.code == 0, done.err

        assert ready(open_page(done.out)).locator(".verdict").inner_text().startswith("Nothing to merge")


def test_without_what_the_report_is_made_with_it_says_what_to_install(tmp_path: Path) -> None:
    """Modules that cannot be imported, as where they were not installed."""
    script = (
        "import sys, importlib.util as util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name in {'jinja2', 'matplotlib'} else found(name, *rest)\n"
        "from client.cli.main import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "compare", str(KEY), "--keep-parts", "--report", str(tmp_path / "r.html")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode not in {0, 1}
    assert "merge-baseline[report]" in done.stderr
    assert not (tmp_path / "r.html").exists()
