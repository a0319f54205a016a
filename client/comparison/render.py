"""Shows a comparison to people: as text for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from client.comparison.data import Comparison
from client.comparison.tables import sections
from client.text_table import table, text_width
from merger.shown import one_line

_BRIEF = frozenset({"scores", "links", "tests", "failures"})
"""The kinds of sections that the short text has."""
_MORE = "--all also prints agreement, groups, distances and signatures; --report, --markdown and --json have them too"


def as_text(comparison: Comparison, *, everything: bool = True) -> str:
    """The comparison as lines of text, the verdict last; without ``everything`` only the main tables."""
    width = text_width()
    lines = [*_wrapped(what(comparison), width)]
    for section in sections(comparison):
        if section.detail or not (everything or section.kind in _BRIEF):
            continue
        notes = [line for note in section.notes for line in _wrapped(note, width)]
        lines += ["", *_wrapped(section.title, width), *table(section.rows), *notes]
    lines += _closing(comparison) if everything else ["", *_wrapped(_MORE, width), _made_by(comparison)]
    lines += ["", *_wrapped(comparison.verdict.sentence, width)]
    return "".join(f"{one_line(line)}\n" for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


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
