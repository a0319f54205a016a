from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.command_line import EXAMPLES, ROOT
from tests.support.in_process import error_of, output_of, run

PARTS, KEY = EXAMPLES / "parts", EXAMPLES / "key"
VALIDATOR = Draft202012Validator(json.loads((ROOT / "docs" / "comparison.schema.json").read_text("utf-8")))
STRATEGIES = ("-s", "greedy", "-s", "greedy:match=mention")
TIMES = {"seconds", "seconds_per_1000_tokens", "peak_memory"}


def compared(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """The comparison as data, which follows its schema."""
    done = run("compare", *arguments, "--json")
    assert done.code == code, done.err
    data: dict[str, Any] = json.loads(done.out)
    VALIDATOR.validate(data)
    return data


def timeless(data: Any) -> Any:  # noqa: ANN401  # whatever JSON holds
    """The data without times and memory."""
    if isinstance(data, dict):
        return {name: timeless(value) for name, value in data.items() if name not in TIMES}
    return [timeless(each) for each in data] if isinstance(data, list) else data


def without_tags(file: Path) -> str:
    """A CoNLL-2012 file whose part-of-speech column is empty."""
    lines = []
    for line in file.read_text("utf-8").splitlines():
        cells = line.split()
        lines.append(line if not cells or line.startswith("#") else " ".join([*cells[:4], "-", *cells[5:]]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """The examples' keys, one of them without tags."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    for file in KEY.iterdir():
        text = without_tags(file) if file.stem == "ferry" else file.read_text("utf-8")
        (folder / file.name).write_text(text, "utf-8")
    return folder


def test_strategies_stand_between_floor_and_ceiling() -> None:
    data = compared(KEY, "--keep-parts", *STRATEGIES)

    assert [each["name"] for each in data["strategies"]] == ["none", "greedy", "greedy:match=mention", "oracle"]
    none, greedy, mention, oracle = (each["total"] for each in data["strategies"])
    assert (none["gain"], none["links"]["recall"], none["links"]["precision"]) == (0, 0, None)
    assert none["conll_f1"] == none["floor"]["conll_f1"] == greedy["floor"]["conll_f1"]
    assert (oracle["conll_f1"], oracle["gain"], oracle["decisions"]["strict_match"]) == (1, 1, 1)
    assert none["conll_f1"] < greedy["conll_f1"] < mention["conll_f1"] < 1
    assert data["baseline"] == "greedy"
    assert [test["strategy"] for test in data["tests"]] == ["none", "greedy:match=mention", "oracle"]
    # Four documents have 16 exchanges; the ceiling is better in all of them, which 2 of the 16 show.
    assert (data["tests"][2]["exact"], data["tests"][2]["randomisation_p"]) == (True, 2 / 16)
    assert all(each["seconds"] >= 0 for each in data["strategies"])


def test_the_scores_are_those_of_merge_and_score(tmp_path: Path) -> None:
    output_of("merge", PARTS, "-s", "greedy", "-o", tmp_path / "merged.conll")
    score = json.loads(output_of("score", KEY, tmp_path / "merged.conll", "--parts", PARTS, "--json"))["total"]

    data = compared(KEY, "--parts", PARTS, "-s", "greedy", "-s", f"file:{tmp_path / 'merged.conll'}")

    greedy, file = (each["total"] for each in data["strategies"][1:3])
    assert greedy == file
    # The same numbers in the same form; `score` has more metrics.
    assert greedy["metrics"] == {name: score["metrics"][name] for name in greedy["metrics"]}
    assert greedy["links"] == score["links"]
    assert (greedy["conll_f1"], greedy["gain"]) == pytest.approx((score["conll_f1"], score["gain"]))
    assert greedy["decisions"] == score["decisions"]
    assert (data["strategies"][2]["seconds"], data["strategies"][1]["seconds"] is None) == (None, False)


def test_a_document_that_a_strategy_fails_on_is_listed_and_left_out_of_its_scores(mixed: Path) -> None:
    data = compared(mixed, "--keep-parts", "-s", "greedy", code=1)
    rest = compared(_only(mixed, "ferry"), "--keep-parts", "-s", "greedy")

    none, greedy, oracle = data["strategies"]
    assert ([failed["document"] for failed in greedy["failed"]], none["failed"]) == (["nw/ferry"], [])
    assert "ferry" in greedy["failed"][0]["error"]
    assert (none["documents"], greedy["documents"], oracle["documents"]) == (4, 3, 4)
    assert greedy["total"] == rest["strategies"][1]["total"]
    # Tests are on the three documents that both have: as if there were no other.
    assert timeless(data["tests"]) == timeless(rest["tests"])
    assert {test["documents"] for test in data["tests"]} == {3}
    text = run("compare", mixed, "--keep-parts", "-s", "greedy", "--all")
    assert text.code == 1
    assert "greedy (3 of 4 documents)" in text.out
    assert "documents left out" in text.out
    # Whatever goes to standard output, standard error has the reason once.
    for output in ([], ["--all"], ["--json"]):
        errors = [
            line
            for line in run("compare", mixed, "--keep-parts", "-s", "greedy", *output).err.splitlines()
            if line.startswith("merge-baseline: error: greedy: ")
        ]
        assert len(errors) == 1
        assert "ferry" in errors[0]


def test_a_reason_that_documents_share_is_reported_once(tmp_path: Path) -> None:
    for file in KEY.iterdir():
        (tmp_path / file.name).write_text(without_tags(file), "utf-8")

    done = run("compare", tmp_path, "--keep-parts", "-s", "greedy", "-s", "greedy:match=head", "--all")

    assert done.code == 1
    errors = [line for line in done.err.splitlines() if line.startswith("merge-baseline: error: ")]
    assert len(errors) <= 2
    assert all("[4 documents, this is the first]" in line for line in errors)
    assert (
        "Could a machine have made these merges? Not asked: each of the 2 strategies failed on every document."
        in " ".join(done.out.split())
    )


def test_report_and_json_name_documents_that_cannot_be_read_and_those_that_a_strategy_fails_on(
    mixed: Path, tmp_path: Path
) -> None:
    (mixed / "bad.conll").write_text("#begin document (bad); part 000\nbad 0 0 one\n", "utf-8")
    page = tmp_path / "report.html"

    data = compared(mixed, "--keep-parts", "-s", "greedy", "--report", page, code=1)

    (unread,), (failed,) = data["failures"], data["strategies"][1]["failed"]
    assert (data["left_out"], unread["document"], failed["document"]) == (["bad"], "bad", "nw/ferry")
    cells = re.findall(r"<t[dh][^>]*>(?:<a[^>]*>)?([^<]*)", page.read_text("utf-8"))
    reasons = {cell: html.unescape(cells[place + 2]) for place, cell in enumerate(cells) if cell in {"bad", "nw/ferry"}}
    assert reasons["nw/ferry"] == failed["error"]
    # JSON names flags of the command where the page has options.
    assert reasons["bad"].partition(" (with ")[0] == unread["text"].partition(" (with ")[0]


def test_the_page_has_the_numbers_of_the_json(tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    data = compared(KEY, "--keep-parts", *STRATEGIES, "--report", page)

    rows = _rows(page.read_text("utf-8"))
    for number, strategy in enumerate(data["strategies"], start=1):
        scores, links = (
            row for row in rows if row[0].startswith(f"{number} {strategy['name']}") and "±" in row[1] + row[3]
        )
        total = strategy["total"]
        metrics = [total["metrics"][name]["f1"] for name in ("muc", "bcub", "ceafe", "lea")]
        shown = [float(cell.partition(" ")[0]) for cell in scores[1:]]
        assert shown == pytest.approx(
            [100 * each for each in (total["conll_f1"], *metrics, total["gain"])], abs=0.00501
        )
        assert float(links[3].partition(" ")[0]) == pytest.approx(100 * total["links"]["f1"], abs=0.00501)
        assert float(links[4].partition(" ")[0]) == pytest.approx(100 * total["decisions"]["strict_match"], abs=0.00501)
    for test in (*data["tests"], *data["pairs"]["conll_f1"]):
        names = {test["strategy"], f"{test['strategy']} against {test['baseline']}"}
        p = [test[name] for name in ("bootstrap_p", "randomisation_p", "holm_p")]
        found = [[float(cell) for cell in row[5:8]] for row in rows if row[0] in names and len(row) == 8]
        assert any(each == pytest.approx(p, abs=0.0000501) for each in found), names


def _rows(page: str) -> list[list[str]]:
    """The cells of all rows of the tables, as text."""
    rows = (
        re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    )
    return [[" ".join(html.unescape(re.sub(r"<[^>]*>", "", cell)).split()) for cell in row] for row in rows]


def _only(folder: Path, but: str) -> Path:
    """A folder with the documents of another one but for one."""
    rest = folder.parent / "rest"
    rest.mkdir()
    for file in folder.iterdir():
        if file.stem != but:
            (rest / file.name).write_text(file.read_text("utf-8"), "utf-8")
    return rest


def test_an_interrupted_comparison_goes_on_where_it_stopped(tmp_path: Path) -> None:
    arguments = (KEY, "--sentences", "8", *STRATEGIES, "-o", tmp_path)
    whole = compared(*arguments)
    greedy, mention, *_ = sorted(tmp_path.glob("greedy-*.jsonl"), key=lambda file: "match-mention" in file.name)
    lines = greedy.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    # Stopped in the second document, and before the next strategy.
    greedy.write_bytes(lines[0] + lines[1][:50])
    mention.unlink()

    resumed = compared(*arguments, "--resume")

    assert timeless(resumed) == timeless(whole)
    # Only what was done keeps its time.
    before, after = ([each["seconds"] for each in data["strategies"][1]["outcomes"]] for data in (whole, resumed))
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False, False]
    assert len(greedy.read_bytes().splitlines()) == 4
    assert compared(*arguments, "--resume") == resumed


def test_kept_outcomes_are_not_lost_without_a_word(tmp_path: Path) -> None:
    arguments = (KEY, "--keep-parts", "--no-bounds", "-s", "none", "-o", tmp_path)
    compared(*arguments)
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()

    error = error_of("compare", *arguments, code=2)

    assert "--resume" in error
    assert "--overwrite" in error
    assert file.read_bytes() == before
    # What another strategy would write is another file.
    compared(KEY, "--keep-parts", "--no-bounds", "-s", "greedy", "-o", tmp_path)
    compared(*arguments, "--overwrite")
    assert timeless(json.loads(file.read_bytes().splitlines()[0])) == timeless(json.loads(before.splitlines()[0]))
    assert file.read_bytes() != before
    for flags in (["--resume", "--overwrite"], ["--overwrite"]):
        rest = arguments if len(flags) == 2 else arguments[:-2]
        assert "--overwrite" in error_of("compare", *rest, *flags, code=2)


def test_what_was_kept_is_not_taken_for_a_document_that_changed(tmp_path: Path, mixed: Path) -> None:
    """The same documents without tags in one: greedy has to fail on it."""
    compared(KEY, "--keep-parts", "-s", "greedy", "-o", tmp_path)

    resumed = compared(mixed, "--keep-parts", "-s", "greedy", "-o", tmp_path, "--resume", code=1)

    assert [failed["document"] for failed in resumed["strategies"][1]["failed"]] == ["nw/ferry"]
    # Failures are tried again.
    again = compared(mixed, "--keep-parts", "-s", "greedy", "-o", tmp_path, "--resume", code=1)
    assert again == resumed


def test_a_line_that_is_no_outcome_is_located(tmp_path: Path) -> None:
    arguments = (KEY, "--keep-parts", "--no-bounds", "-s", "none", "-o", tmp_path)
    compared(*arguments)
    (file,) = tmp_path.iterdir()
    file.write_text("no outcome\n")

    assert f"{file}:1: not an outcome" in error_of("compare", *arguments, "--resume", code=1)


def test_the_tables_fit_a_terminal_and_say_how_they_were_made(tmp_path: Path) -> None:
    arguments = ("compare", KEY, "--keep-parts", *STRATEGIES, "--markdown", tmp_path / "comparison.md", "--seed", "3")

    text = output_of(*arguments, "--all")

    lines = text.splitlines()
    (command,) = (line for line in lines if line.startswith("made by: "))
    unbroken = ("signature of ", "made by: ")
    assert max(len(line) for line in lines if not line.startswith(unbroken)) <= 100
    assert sum(line.startswith("signature of ") for line in lines) == 4
    assert "strategy:greedy[match=mention," in text
    assert command.startswith("made by: merge-baseline compare ")
    markdown = (tmp_path / "comparison.md").read_text("utf-8")
    assert "## CoNLL F1 against greedy" in markdown
    assert command in markdown


def test_the_short_text_has_the_main_tables_and_the_verdict_last() -> None:
    short, whole = (output_of("compare", KEY, "--keep-parts", *STRATEGIES, *more) for more in ([], ["--all"]))

    assert "gold links found" in whole
    assert "gold links found" not in short
    assert "--all" in short
    assert len(short.splitlines()) < 40
    sentence = compared(KEY, "--keep-parts", *STRATEGIES)["verdict"]["sentence"]
    for text in (short, whole):
        verdict = " ".join(text.split("\n\n")[-1].split())
        assert verdict == f"Could a machine have made these merges? {sentence}"


def test_tables_and_sentences_fit_a_narrow_terminal() -> None:
    text = output_of("compare", KEY, "--keep-parts", *STRATEGIES, env={"COLUMNS": "80"})

    assert max(len(line) for line in text.splitlines() if not line.startswith("made by: ")) <= 80


def test_the_command_it_names_makes_the_same_comparison() -> None:
    first = compared(KEY, "--sentences", "9", *STRATEGIES, "--baseline", "oracle", "--resamples", "200", "--seed", "4")

    again = json.loads(output_of(*first["command"].split()[1:], "--json"))

    assert timeless(again) == timeless(first)
    assert (again["baseline"], again["split"], again["resampling"]["seed"]) == ("oracle", "sentences=9", 4)


def test_a_name_cannot_bring_markup_into_the_markdown(tmp_path: Path) -> None:
    merged = tmp_path / "<b>|x`.conll"
    merged.write_bytes(b"".join(file.read_bytes() for file in sorted(KEY.iterdir())))

    text = output_of("compare", KEY, "--keep-parts", "-s", f"file:{merged}", "--markdown", "-")

    rows = [line for line in text.splitlines() if line.startswith("|") and "x" in line and "conll" in line]
    assert rows
    assert all("\\<b\\>\\|x\\`.conll" in row for row in rows)


def test_a_file_that_lacks_documents_fails_on_them() -> None:
    data = compared(KEY, "--keep-parts", "-s", f"file:{KEY / 'ferry.conll'}", code=1)

    file = data["strategies"][1]
    assert (file["documents"], len(file["failed"]), file["total"]["conll_f1"]) == (1, 3, 1)
    assert "lacks this document" in file["failed"][0]["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((KEY, "-s", "greedy"), "expected exactly one of --tokens, --sentences, --into and --keep-parts"),
        (
            (KEY, "--tokens", "9", "--keep-parts"),
            "expected exactly one of --tokens, --sentences, --into and --keep-parts",
        ),
        ((KEY, "--parts", PARTS, "--keep-parts"), "has the parts already"),
        ((KEY, "--keep-parts", "--resume"), "--resume needs --output"),
        ((KEY, "--keep-parts", "--no-bounds"), "nothing to compare"),
        ((KEY, "--keep-parts", "-s", "greedy", "-s", "greedy"), "given twice"),
        ((KEY, "--keep-parts", "--baseline", "greedy"), "there are none, oracle"),
        ((KEY, "--keep-parts", "-s", "gredy"), "no strategy 'gredy'"),
        ((KEY, "--keep-parts", "--json", "--markdown", "-"), "standard output"),
    ],
)
def test_wrong_usage_is_reported_before_anything_runs(arguments: tuple[str | Path, ...], message: str) -> None:
    assert message in error_of("compare", *arguments, code=2)


def test_a_report_that_cannot_be_written_is_reported_before_anything_runs(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "report.html"
    for option in ("--report", "--markdown"):
        for path, reason in ((missing, f"No such folder: {missing.parent}"), (tmp_path, "Is a directory")):
            done = run("compare", KEY, "--keep-parts", "-s", "greedy", option, path)
            assert (done.code, done.out) == (1, "")
            assert done.err == f"merge-baseline: error: {path}: {reason}\n"


def test_a_label_names_a_strategy_in_all_tables() -> None:
    """The label changes the name alone: the signature still says which strategy it was."""
    labelled = ("-s", "best=greedy:match=mention", "-s", f"elsewhere=file:{KEY}")
    data = compared(KEY, "--keep-parts", *labelled, "--baseline", "best", "--resamples", "0")
    plain = compared(KEY, "--keep-parts", "-s", "greedy:match=mention", "--resamples", "0")

    assert [each["name"] for each in data["strategies"]] == ["none", "best", "elsewhere", "oracle"]
    assert data["strategies"][1]["signature"] == plain["strategies"][1]["signature"]
    assert data["strategies"][2]["total"]["conll_f1"] == 1


def test_one_label_of_two_strategies_is_a_usage_error() -> None:
    assert "two strategies have the same label" in error_of("compare", KEY, "-s", "a=none", "-s", "a=greedy", code=2)
