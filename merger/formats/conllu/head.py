"""The comments at the top of a CoNLL-U document and of its parts: kept, changed, inserted or removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from merger.formats.conllu.comments import Comment, parse_comment, part_number

_OTHER_FORMAT = re.compile(r"^#(begin|end) document", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Head:
    """The required content of a sentence's comments.

    ``document`` is the document's id if the sentence begins a ``# newdoc``, else ``None``; with ``nameless`` the id may
    be missing, as it was made from the file's name. ``part`` is the number of the part that the sentence lies in;
    ``states_part`` says that a ``# part`` comment is needed here. ``fields`` is the ``global.Entity`` that applies here
    (at a ``# newdoc`` empty if none is needed), and ``genre`` the genre for a new top, if any.
    """

    document: str | None
    nameless: bool
    part: int
    states_part: bool
    fields: str
    genre: str


def is_top_comment(comment: Comment) -> bool:
    """Whether a comment belongs to the document and not to a sentence."""
    return comment.name in {"newdoc", "global.Entity"} or comment.name.startswith("meta::")


def may_need_change(text: str) -> bool:
    """Whether a sentence's text may hold comments about its document or part (a quick test)."""
    return "newdoc" in text or "global.Entity" in text or "meta::" in text or "part" in text


def begins_document(text: str) -> bool:
    """Whether a sentence's text has a ``# newdoc`` comment."""
    if "newdoc" not in text:
        return False
    return any(comment.name == "newdoc" for _, comment in _comments(text.split("\n")))


def is_conllu_head(text: str) -> bool:
    """Whether a part's head was read from CoNLL-U: heads of other formats are not comments."""
    return begins_document(text) and not _OTHER_FORMAT.search(text)


def states_id(text: str, name: str) -> bool:
    """Whether a ``# newdoc`` comment in a sentence's text has exactly this id."""
    if "newdoc" not in text:
        return False
    return any(comment == ("newdoc", name) for _, comment in _comments(text.split("\n")))


def top_lines(text: str) -> list[str]:
    """The comments about the document in a sentence's text, without the ``# newdoc`` line, stripped."""
    lines = text.split("\n")
    return [
        lines[index].strip()
        for index, comment in _comments(lines)
        if is_top_comment(comment) and comment.name != "newdoc"
    ]


def _comments(lines: Sequence[str]) -> list[tuple[int, Comment]]:
    """The comments before the first row, by line."""
    found = []
    for index, line in enumerate(lines):
        if line.startswith("#"):
            comment = parse_comment(line)
            if comment is not None:
                found.append((index, comment))
        elif line and not line.isspace():
            break
    return found


def set_head(lines: list[str], head: Head, lost: Callable[[str], None]) -> None:
    """Change a sentence's comments to the content of ``head``.

    ``lines`` are the sentence's lines without LF (a CR stays), changed in place. Removed comments about another
    document go to ``lost``.
    """
    ending = "\r" if any(line.endswith("\r") for line in lines) else ""
    comments = _comments(lines)
    taken: set[int] = set()
    above: list[str] = []
    part_line = _part_line(lines, comments, head, taken, ending)
    if head.document is None:
        # Without a newdoc the sentence was not a top: it keeps the comments that it repeats.
        was_top = any(comment.name == "newdoc" for _, comment in comments)
        for index, comment in comments:
            misleads = comment.name == "global.Entity" and comment.value != head.fields
            if misleads or (was_top and is_top_comment(comment)):
                taken.add(index)
                if comment.name != "newdoc":
                    lost(lines[index].strip())
        above = [part_line] if part_line else []
        after = -1
    else:
        after, above = _begin(lines, comments, head, ending)
        if part_line:
            above.insert(0 if after >= 0 else min(1, len(above)), part_line)
    if after < 0:
        after = next((index for index, line in enumerate(lines) if line and not line.isspace()), 0) - 1
    changed = [
        *(line for index, line in enumerate(lines[: after + 1]) if index not in taken),
        *above,
        *(line for index, line in enumerate(lines[after + 1 :], after + 1) if index not in taken),
    ]
    lines[:] = changed


def _part_line(
    lines: list[str], comments: Sequence[tuple[int, Comment]], head: Head, taken: set[int], ending: str
) -> str:
    """Keep, change or remove the part comments; return the line to insert, if any."""
    stated = False
    for index, comment in comments:
        number = part_number(comment)
        if number is None:
            continue
        if stated or (number != head.part and not head.states_part):
            taken.add(index)
        else:
            stated = True
            if number != head.part:
                lines[index] = f"# part = {head.part}{ending}"
    return "" if stated or not head.states_part else f"# part = {head.part}{ending}"


def _begin(lines: list[str], comments: Sequence[tuple[int, Comment]], head: Head, ending: str) -> tuple[int, list[str]]:
    """Correct the top of a document; return the index of its ``# newdoc`` (or -1) and the lines to insert after it."""
    at = {comment.name: (index, comment.value) for index, comment in reversed(comments)}
    above: list[str] = []
    newdoc, name = at.get("newdoc", (-1, ""))
    if name != head.document and not (head.nameless and not name):
        line = f"# newdoc id = {head.document}{ending}"
        if newdoc >= 0:
            lines[newdoc] = line
        else:
            above.append(line)
    if head.fields:
        fields, value = at.get("global.Entity", (-1, ""))
        if fields < 0:
            above.append(f"# global.Entity = {head.fields}{ending}")
        elif value != head.fields:
            lines[fields] = f"# global.Entity = {head.fields}{ending}"
    if newdoc < 0 and above and head.genre and "meta::genre" not in at:
        above.append(f"# meta::genre = {head.genre}{ending}")
    return newdoc, above


def new_head(head: Head) -> list[str]:
    """The comments of a sentence that had none."""
    lines: list[str] = []
    set_head(lines, head, lambda _: None)
    return lines
