"""The whole report, made by the command line and opened in a browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import EXAMPLES, run
from tests.report.browser_page import ready
from tests.report.conftest import OpenPage

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
        assert float(cells[1]) == pytest.approx(100 * strategy["total"]["conll_f1"], abs=0.01)
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
        "from client.cli.entry import main\n"
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
