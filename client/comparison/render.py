"""Shows a comparison to people: as text for a terminal of 100 columns, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from client.comparison.data import Comparison
from client.comparison.tables import sections
from client.text_table import WIDTH, table
from merger.shown import one_line


def as_text(comparison: Comparison) -> str:
    """The comparison as lines of text."""
    lines = [what(comparison), "", *wrap(comparison.verdict.sentence, WIDTH, break_long_words=False)]
    for section in sections(comparison):
        if section.detail:
            continue
        lines += ["", section.title, *table(section.rows), *section.notes]
    lines += _closing(comparison)
    return "".join(f"{one_line(line)}\n" for line in lines)


def as_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown."""
    lines = [
        "# Comparison of merging strategies",
        "",
        _escaped(what(comparison)),
        "",
        f"**{_escaped(comparison.verdict.sentence)}**",
    ]
    for section in sections(comparison):
        head, *rows = section.rows
        lines += ["", f"## {section.title[0].upper()}{section.title[1:]}", ""]
        lines += [_markdown_row(head), "|---" + "|---:" * (len(head) - 1) + "|", *map(_markdown_row, rows)]
        for note in section.notes:
            lines += ["", _escaped(note)]
    lines += ["", "## How it was made", "", *(f"    {one_line(line)}" for line in _closing(comparison)[1:])]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    """Text that says itself in Markdown, whatever names stand in it."""
    text = one_line(text)
    for sign in "\\`*_[]<>|#&":
        text = text.replace(sign, f"\\{sign}")
    return text


def what(comparison: Comparison) -> str:
    """What was compared on, in half a sentence."""
    documents = comparison.documents
    return (
        f"{len(documents):,} document{'' if len(documents) == 1 else 's'}, "
        f"{sum(facts.tokens for facts in documents):,} tokens, {sum(facts.parts for facts in documents):,} parts "
        f"({comparison.setup.split})"
    )


def _closing(comparison: Comparison) -> list[str]:
    signatures = [f"signature of {strategy.name}: {strategy.signature}" for strategy in comparison.strategies]
    return ["", *signatures, f"made by: {comparison.setup.command}"]
