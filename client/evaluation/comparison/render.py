"""A comparison as text for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Container, Sequence
from textwrap import wrap

from client.evaluation.comparison.data import Comparison
from client.evaluation.comparison.section import Mark, Rows, Section
from client.evaluation.comparison.tables import sections
from client.evaluation.comparison.verdict import QUESTION
from client.evaluation.text_table import table, text_width
from merger.message_text import one_line

_BRIEF = frozenset({"scores", "links", "tests"})
"""The kinds of sections in the short text. Failures are always on standard error."""
_COUNTED = "failures"
"""The kind of section that only counts documents; another one lists them where there is room."""
_MORE = "--all also prints agreement, groups, distances and signatures; --report, --markdown and --json have them too"


def as_text(comparison: Comparison, *, everything: bool = True) -> str:
    """The comparison as lines of text, question and verdict last; without ``everything`` only the main tables."""
    width = text_width()
    lines = [*_wrapped(subject(comparison), width)]
    for section in sections(comparison):
        if section.detail or not (everything or section.kind in _BRIEF):
            continue
        notes = [line for note in section.notes for line in _wrapped(note, width)]
        lines += ["", *_wrapped(section.title, width), *table(_text_rows(section, width)), *notes]
    lines += _closing(comparison) if everything else ["", *_wrapped(_MORE, width), _made_by(comparison)]
    lines += ["", *_wrapped(f"{QUESTION} {comparison.verdict.sentence}", width)]
    return "".join(f"{one_line(line)}\n" for line in lines)


def _text_rows(section: Section, width: int) -> Rows:
    """The rows with a star at the best cells. If they are too wide, only the first column keeps its intervals."""
    columns = list(zip(*section.rows, strict=True))
    needed = sum(max(map(len, column)) for column in columns) + 2 * len(columns)
    starred = {column for (_, column), mark in section.marks.items() if column and mark is Mark.BEST}
    rows: Rows = []
    for number, row in enumerate(section.rows, start=-1):
        cells = [row[0]]
        for column, cell in enumerate(row[1:], start=1):
            kept = cell if needed <= width or column == 1 else cell.partition(" ±")[0]
            star = "*" if section.marks.get((number, column)) is Mark.BEST else " "
            cells.append(kept + star if column in starred else kept)
        rows.append(tuple(cells))
    return rows


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def as_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown."""
    lines = [
        "# Comparison of merging strategies",
        "",
        _escaped(subject(comparison)),
        "",
        f"{QUESTION} **{_escaped(comparison.verdict.sentence)}**",
    ]
    for section in sections(comparison):
        if section.kind == _COUNTED:
            continue
        head, *rows = section.rows
        lines += ["", f"## {section.title[0].upper()}{section.title[1:]}", ""]
        lines += [_markdown_row(head), "|---" + "|---:" * (len(head) - 1) + "|"]
        best = {place for place, mark in section.marks.items() if mark is Mark.BEST}
        for number, row in enumerate(rows):
            lines.append(_markdown_row(row, {column for place, column in best if place == number and column}))
        for note in section.notes:
            lines += ["", _escaped(note)]
    lines += ["", "## How it was made", "", *(f"    {one_line(line)}" for line in _closing(comparison)[1:])]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str], bold: Container[int] = ()) -> str:
    shown = (f"**{_escaped(cell)}**" if place in bold else _escaped(cell) for place, cell in enumerate(cells))
    return "| " + " | ".join(shown) + " |"


def _escaped(text: str) -> str:
    """Text that Markdown shows literally."""
    text = one_line(text)
    for sign in "\\`*_[]<>|#&":
        text = text.replace(sign, f"\\{sign}")
    return text


def subject(comparison: Comparison) -> str:
    """The documents of the comparison, as half a sentence."""
    documents = comparison.documents
    return (
        f"{_count(comparison)}, "
        f"{sum(facts.tokens for facts in documents):,} tokens, {sum(facts.parts for facts in documents):,} parts "
        f"({comparison.setup.split})"
    )


def _count(comparison: Comparison) -> str:
    count, left_out = len(comparison.documents), len(comparison.left_out)
    if left_out:
        return f"{count:,} of {count + left_out:,} documents ({left_out:,} left out)"
    return f"{count:,} document{'' if count == 1 else 's'}"


def _closing(comparison: Comparison) -> list[str]:
    signatures = [f"signature of {strategy.name}: {strategy.signature}" for strategy in comparison.strategies]
    return ["", *signatures, _made_by(comparison)]


def _made_by(comparison: Comparison) -> str:
    return f"made by: {comparison.setup.command}"
