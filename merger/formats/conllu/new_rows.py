"""CoNLL-U rows for sentences that were not read from CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from merger.document import Sentence
from merger.errors import Location
from merger.formats.conll2012.rows import lemmas as conll2012_lemmas
from merger.formats.conllu.misc import set_attribute
from merger.notices import Notices

_BREAKS = re.compile(r"[\t\n\r]+")
_BLANKS = re.compile(r"\s+")
# A slash begins the name of a zone in the sentence ids of parallel treebanks.
_NOT_IN_IDS = re.compile(r"\s+|/")
_SPEAKER_BREAKS = re.compile(r"[\t\n\r|]")


def new_sentence(
    sentence: Sentence, sentence_id: str, entities: Mapping[int, str], notices: Notices, place: Location
) -> list[str]:
    """The lines of a sentence, comments first and an empty line last, without line ends.

    ``entities`` are the ``Entity`` values by token. Text that a cell cannot hold is changed, with a notice.
    """
    forms = [_form(form, notices, place) for form in sentence.forms]
    empty = frozenset(sentence.empty)
    ids = _ids(len(forms), empty)
    lines = [
        f"# sent_id = {_NOT_IN_IDS.sub('_', sentence_id)}",
        f"# text = {' '.join(form for index, form in enumerate(forms) if index not in empty)}",
    ]
    speakers = [_BREAKS.sub(" ", speaker).strip() for speaker in sentence.speakers or ()]
    one_speaker = bool(speakers) and all(speaker == speakers[0] != "" for speaker in speakers)
    if one_speaker:
        lines.insert(1, f"# speaker = {speakers[0]}")
    heads = _heads(sentence, ids, empty)
    source = sentence.source
    lemmas = conll2012_lemmas(source) if source is not None and source.format == "conll2012" else ()
    for index, form in enumerate(forms):
        misc = set_attribute("_", "Entity", entities.get(index, ""))
        if speakers and not one_speaker:
            misc = set_attribute(misc, "Speaker", _speaker(speakers[index], notices, place))
        columns = [
            ids[index],
            form,
            _tag(lemmas or None, index, notices, place),
            _tag(sentence.upos, index, notices, place),
            _tag(sentence.xpos, index, notices, place),
            "_",
            *heads[index],
            misc,
        ]
        lines.append("\t".join(columns))
    lines.append("")
    return lines


def _form(form: str, notices: Notices, place: Location) -> str:
    written = _BREAKS.sub(" ", form).strip(" ")
    if not written:
        notices.add("form without characters", "CoNLL-U has no empty forms: written as _", place)
        return "_"
    if written != form:
        notices.add("blanks in a form", f"form {form!r} is written as {written!r}", place)
    return written


def _tag(tags: Sequence[str] | None, index: int, notices: Notices, place: Location) -> str:
    tag = tags[index] if tags else ""
    written = _BLANKS.sub("_", tag)
    if written != tag:
        notices.add("blanks in a tag", f"tag {tag!r} is written as {written!r}", place)
    return written or "_"


def _speaker(speaker: str, notices: Notices, place: Location) -> str:
    written = _SPEAKER_BREAKS.sub("_", speaker)
    if written != speaker:
        notices.add("bar in a speaker's name", f"speaker {speaker!r} is written as {written!r} in MISC", place)
    return written


def _ids(count: int, empty: frozenset[int]) -> list[str]:
    ids = []
    word = node = 0
    for index in range(count):
        if index in empty:
            node += 1
            ids.append(f"{word}.{node}")
        else:
            word, node = word + 1, 0
            ids.append(str(word))
    return ids


def _heads(sentence: Sentence, ids: Sequence[str], empty: frozenset[int]) -> list[tuple[str, str, str]]:
    """HEAD, DEPREL and DEPS. A word without a head is the root if it is the only one."""
    heads = sentence.heads
    if heads is None:
        return [("_", "_", "_")] * len(ids)
    rootless = sum(head < 0 for index, head in enumerate(heads) if index not in empty) != 1
    cells = []
    for index, head in enumerate(heads):
        if index in empty:
            cells.append(("_", "_", f"{ids[head]}:dep" if head >= 0 else "_"))
        elif head < 0:
            cells.append(("_", "_", "_") if rootless else ("0", "root", "_"))
        elif head in empty:
            cells.append(("_", "_", f"{ids[head]}:dep"))
        else:
            cells.append((ids[head], "dep", "_"))
    return cells
