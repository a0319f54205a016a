"""Annotation formats: read any of them from anywhere, one document at a time, and write them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merger.document import Document
from merger.errors import FormatError, InputError, Location, OptionError
from merger.formats.base import Format, Lines, ReadOptions, Unreadable
from merger.formats.conll2012.format import Conll2012Format
from merger.formats.conllu.format import ConlluFormat
from merger.formats.grouping import group_parts
from merger.formats.jsonlines.format import JsonlinesFormat
from merger.formats.open_inputs import display_name, find_files, open_bytes, read_texts, take_head
from merger.formats.word_checks import check_words
from merger.notices import Notices

DECISION_RECORD = b'{"document": '
"""The first bytes of the decision records that `split` and `merge` write beside documents."""

FORMATS: dict[str, Format] = {each.name: each for each in (Conll2012Format(), ConlluFormat(), JsonlinesFormat())}
"""The formats by name, in the order in which they are recognised."""

__all__ = [
    "FORMATS",
    "Format",
    "Lines",
    "ReadOptions",
    "detect_format",
    "find_inputs",
    "format_of",
    "get_format",
    "read_documents",
    "write_document",
    "write_documents",
]


def get_format(name: str) -> Format:
    """The format of that name. Raises :class:`~merger.errors.OptionError` for an unknown one."""
    try:
        return FORMATS[name]
    except KeyError:
        raise OptionError(f"no format {name!r}; there are {', '.join(FORMATS)}") from None


def detect_format(head: str, name: str) -> Format:
    """Recognise a format by the first lines of an input called ``name``.

    Raises :class:`~merger.errors.FormatError` if the input is empty or no format fits.
    """
    if not head.strip():
        raise FormatError("the file is empty", Location(name), expected="at least one document")
    if head.startswith(DECISION_RECORD.decode()):
        raise FormatError(
            "this is a file of decisions, not of documents",
            Location(name, 1),
            expected="annotated documents",
            hint="`merge-baseline apply` makes the merged documents from the parts and these decisions",
        )
    for candidate in FORMATS.values():
        if candidate.recognises(head):
            return candidate
    titles = ", ".join(each.title for each in FORMATS.values())
    raise FormatError(
        "the format is not recognised", Location(name, 1), expected=titles, hint="name it: option format_name"
    )


def read_documents(
    paths: str | Sequence[str], format_name: str | None = None, options: ReadOptions | None = None
) -> Iterator[Document]:
    """Yield the documents of files, directories, ``.gz`` files or standard input (``-``), one at a time.

    The format is recognised for each file unless it is named. Raises :class:`~merger.errors.InputError` (or one of its
    kinds) with file, line, document and part. With a list as ``options.failures`` the errors go there instead, and what
    cannot be read is left out::

        failures = []
        for document in read_documents("corpus/", options=ReadOptions(failures=failures)):
            ...
        for error in failures:
            print(error.location.document, error)
    """
    options = options or ReadOptions()
    paths = [paths] if isinstance(paths, str) else paths
    return group_parts(_blocks(paths, format_name, options), options.notices, options.failures)


def find_inputs(path: str, passed_over: list[str] | None = None) -> list[str]:
    """The files that a path stands for: itself, or the annotation files below a directory without files of decisions.

    Pipes, sockets and devices below a directory go into ``passed_over``. Raises :class:`~merger.errors.InputError` if a
    directory has no files.
    """
    suffixes = tuple(suffix for each in FORMATS.values() for suffix in each.suffixes)
    files = find_files(path, suffixes, passed_over)
    return [file for file in files if file == path or not _is_of_decisions(file)]


def _is_of_decisions(file: str) -> bool:
    if ".jsonl" not in file:
        return False
    with open_bytes(file) as stream:
        return stream.read(len(DECISION_RECORD)) == DECISION_RECORD


def format_of(document: Document) -> str:
    """The name of the format a document was read from; CoNLL-2012 for one that was not read."""
    if document.extra:
        return JsonlinesFormat.name
    for part in document.parts:
        for sentence in part.sentences:
            return sentence.source.format if sentence.source is not None else Conll2012Format.name
    return Conll2012Format.name


def _blocks(paths: Sequence[str], format_name: str | None, options: ReadOptions) -> Iterator[Document | Unreadable]:
    for path in paths:
        special: list[str] = []
        files = find_inputs(path, special)
        for each in special:
            message = "a pipe, a socket or a device below a directory is passed over; name it to have it read"
            options.notices.add("no file", message, Location(display_name(each)))
        for file in files:
            try:
                yield from _blocks_of(file, format_name, options)
            except InputError as error:
                yield options.unreadable(error)


def _blocks_of(file: str, format_name: str | None, options: ReadOptions) -> Iterator[Document | Unreadable]:
    name = display_name(file)
    faults: list[InputError] = []
    with open_bytes(file) as stream:
        head, texts = take_head(read_texts(stream, name, None if options.failures is None else faults))
        if faults and not head.strip():
            # Nothing could be read, which is not the same as an empty file.
            raise faults[0]
        chosen = detect_format(head, name) if format_name is None else get_format(format_name)
        for block in chosen.read(Lines(name, texts, faults), options):
            yield block if isinstance(block, Unreadable) else _checked(block, options)


def _checked(block: Document, options: ReadOptions) -> Document | Unreadable:
    try:
        check_words(block, options.notices)
    except InputError as error:
        return options.unreadable(error, block.id)
    return block


def write_documents(documents: Iterable[Document], format_name: str, notices: Notices) -> Iterator[str]:
    """Yield the text of documents in a format.

    What it cannot carry is recorded in ``notices``; raises :class:`~merger.errors.UnsupportedError` where the chains
    themselves cannot be written.
    """
    for document in documents:
        yield from write_document(document, format_name, notices)


def write_document(document: Document, format_name: str, notices: Notices) -> Iterator[str]:
    """Yield the text of one document; as :func:`write_documents`."""
    writer = get_format(format_name)
    source = FORMATS[format_of(document)]
    if source is not writer and (document.extra or _has_source(document)):
        lost = source.lost_in(writer.name)
        message = f"{writer.title} cannot hold these parts of {source.title}, which are left out where present: {lost}"
        notices.add(f"what {source.title} has besides", message, Location(document.file, document=document.id))
    yield from writer.write(document, notices)


def _has_source(document: Document) -> bool:
    return any(sentence.source is not None for part in document.parts for sentence in part.sentences[:1])
