"""What is fuzzed: from bytes to whether they are fine. What comes out but errors of the project's own is a bug."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from merger.backends.precomputed import PrecomputedBackend
from merger.document import Chain, Document, Part
from merger.errors import InputError, MergeBaselineError, UnavailableError
from merger.formats import ReadOptions, read_documents, write_document
from merger.notices import Notices, Policy
from merger.progress import WorkContext
from protos.convert.chunks import key_pieces, part_chunks
from protos.convert.decisions import key_to_message
from protos.convert.documents import document_to_message
from protos.merge_baseline import v1
from service.answers import StreamAnswers, merge_document_answer
from service.rpc.envelopes import pack_error, pack_response, unpack_request
from service.rpc.strategy_peek import strategy_of_document, strategy_of_stream
from service.strategies import ServedStrategies

EXAMPLES = Path(__file__).parents[2] / "examples"

_SENTENCES = 2
_SECOND = Duration(seconds=1)
_CHUNK_BYTES = 300
_LENGTH_BYTES = 2
"""Messages of a stream stand one after the other here, each after its length, big-endian."""


@dataclass(frozen=True)
class Target:
    """``run`` says whether the input was fine. ``seeds`` are such inputs, ``words`` what is worth putting into them."""

    run: Callable[[bytes], bool]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...]


@cache
def _scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="merge-baseline-fuzz-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def _file(data: bytes) -> str:
    path = _scratch() / "input"
    path.write_bytes(data)
    return str(path)


def _read(data: bytes, format_name: str | None) -> bool:
    """Read under every policy, and write what was read: layouts that no writer can follow are bugs of readers too."""
    path = _file(data)
    # A list: all of them are tried.
    return min([_is_read(path, format_name, policy) for policy in Policy])


def _is_read(path: str, format_name: str | None, policy: Policy) -> bool:
    try:
        for document in read_documents(path, format_name, ReadOptions(Notices(policy))):
            for _ in write_document(document, format_name or "jsonlines", Notices(policy)):
                pass
    except InputError:
        return False
    return True


def _find_clusters(data: bytes) -> bool:
    return min([_are_found(_file(data), lenient=lenient) for lenient in (False, True)])


def _are_found(path: str, *, lenient: bool) -> bool:
    backend = PrecomputedBackend({"path": path, "lenient": lenient})
    try:
        backend.predict(_example(), WorkContext())
    except (InputError, UnavailableError):
        return False
    return True


def answer_document(data: bytes) -> bool:
    """Whether an encoded MergeDocumentRequest is answered."""
    try:
        merge_document_answer(_strategies(), data, WorkContext())
    except MergeBaselineError:
        return False
    return True


def answer_stream(messages: Iterable[bytes]) -> bool:
    """Whether the encoded messages of a MergeStream are answered."""
    answers = StreamAnswers(_strategies(), WorkContext())
    try:
        for message in messages:
            answers.take(message)
        answers.finish()
    except MergeBaselineError:
        return False
    return True


def _route(data: bytes) -> bool:
    """What the server's own process reads of a message: never anything else than who decodes all of it."""
    routed = strategy_of_document(data), strategy_of_stream(data)
    try:
        named = v1.MergeDocumentRequest.FromString(data).strategy.name
    except DecodeError:
        return False
    if routed[0] not in {named, ""}:
        raise AssertionError(f"{routed[0]!r} instead of {named!r}")
    return True


def _open_envelope(data: bytes) -> bool:
    try:
        document = unpack_request(data)
    except MergeBaselineError:
        return False
    return pack_response(document.id, document.request) != pack_error(document.id, document.request)


@cache
def _strategies() -> ServedStrategies:
    return ServedStrategies()


def _messages(data: bytes) -> Iterator[bytes]:
    while data:
        end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "big")
        yield data[_LENGTH_BYTES:end]
        data = data[end:]


def _joined(messages: Iterable[v1.MergeStreamRequest]) -> bytes:
    encoded = [message.SerializeToString() for message in messages]
    return b"".join(len(each).to_bytes(_LENGTH_BYTES, "big") + each for each in encoded)


@cache
def _example() -> Document:
    return _small(next(read_documents(str(EXAMPLES / "parts" / "wells.conll"))))


def _small(document: Document) -> Document:
    """The first sentences of the first parts, so that a change hits something that matters."""
    parts = tuple(Part(part.sentences[:_SENTENCES], part.number) for part in document.parts[:3])
    kept = (
        (chain.id, tuple(each for each in chain.mentions if each.part < len(parts) and each.sentence < _SENTENCES))
        for chain in document.chains
    )
    return Document(document.id, parts, tuple(Chain(name, mentions) for name, mentions in kept if mentions))


def document_requests() -> tuple[v1.MergeDocumentRequest, ...]:
    """Requests that are answered, one a kind of strategy."""
    document = document_to_message(_example())
    key = key_to_message(_example())
    options = [v1.OptionSetting(name=each, value=v1.OptionValue(text=text)) for each, text in _GREEDY.items()]
    return (
        v1.MergeDocumentRequest(document=document, strategy=v1.StrategySpec(name="none")),
        v1.MergeDocumentRequest(document=document, strategy=v1.StrategySpec(name="greedy", options=options)),
        v1.MergeDocumentRequest(document=document, strategy=v1.StrategySpec(name="oracle"), key=key),
    )


_GREEDY = {"match": "fuzzy", "tie": "overlap"}


def stream_requests() -> tuple[tuple[v1.MergeStreamRequest, ...], ...]:
    """The same as streams, of whole parts and of chunks."""
    return tuple(
        stream for request in document_requests() for stream in (_stream_of_parts(request), _stream_of_chunks(request))
    )


def _stream_of_parts(request: v1.MergeDocumentRequest) -> tuple[v1.MergeStreamRequest, ...]:
    setup = v1.MergeStreamSetup(document_id="d", strategy=request.strategy, key=request.key)
    parts = (v1.MergeStreamRequest(part=part) for part in request.document.parts)
    return (v1.MergeStreamRequest(setup=setup), *parts)


def _stream_of_chunks(request: v1.MergeDocumentRequest) -> tuple[v1.MergeStreamRequest, ...]:
    first, *more = key_pieces(request.key, _CHUNK_BYTES)
    setup = v1.MergeStreamSetup(
        document_id="d", strategy=request.strategy, key=first, max_answer_bytes=_CHUNK_BYTES, keep_singletons=True
    )
    chunks = (chunk for part in request.document.parts for chunk in part_chunks(part, _CHUNK_BYTES))
    return (
        v1.MergeStreamRequest(setup=setup),
        *(v1.MergeStreamRequest(key=piece) for piece in more),
        *(v1.MergeStreamRequest(chunk=chunk) for chunk in chunks),
    )


def _heads(folder: str, lines: int) -> tuple[bytes, ...]:
    """The first lines of every example, whole sentences."""
    found = []
    for path in sorted((EXAMPLES / folder).iterdir()):
        text = path.read_bytes().splitlines(keepends=True)
        blank = next((index for index in range(lines, len(text)) if not text[index].strip()), len(text))
        end = b"#end document\n" if text[0].startswith(b"#begin") else b""
        found.append(b"".join([*text[: blank + 1], end]))
    return tuple(found)


def _jsonlines() -> tuple[bytes, ...]:
    lines = "".join(write_document(_example(), "jsonlines", Notices())).encode()
    record = {
        "doc_key": "nw/d_0",
        "sentences": [["York", "sleeps", "."], ["It", "wakes"]],
        "speakers": [["a", "a", "a"], ["b", "b"]],
        "clusters": [[[0, 0], [3, 3]]],
        "predicted_clusters": [[[0, 0], [3, 4]]],
        "pos": [["NNP", "VBZ", "."], ["PRP", "VBZ"]],
    }
    return (lines, json.dumps(record).encode() + b"\n")


_TEXT_WORDS = (
    b"\n",
    b"\t",
    b" ",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"_",
    b"-",
    b"0",
)
_CONLL_WORDS = (
    *_TEXT_WORDS,
    *(b"#begin document (d); part 000\n", b"#end document\n", b"part"),
    *(b"(0)", b"(0|(1", b"0)", b"(", b")", b"|", b"*", b"99999999999999999999"),
)
_CONLLU_WORDS = (
    *_TEXT_WORDS,
    *(
        b"# newdoc id = d\n",
        b"# global.Entity = eid-etype-head-other\n",
        b"# sent_id = 1\n",
        b"# newpar\n",
        b"# text = a\n",
    ),
    *(
        b"Entity=",
        b"(e1-person-1-",
        b"(e1[1/2]-person-1-)",
        b"e1[2/2])",
        b"e1)",
        b"(e1)",
        b"Bridge=e1<e2",
        b"SplitAnte=e1<e2",
    ),
    *(b"1-2", b"1.1", b"8.99999999", b"[", b"]", b"/", b"|", b"%2C", b","),
)
_JSON_WORDS = (
    *_TEXT_WORDS,
    *(b"[", b"]", b"{", b"}", b",", b":", b'"', b"[[[0,0],[0,0]]]", b"[" * 200, b"\\ud800"),
    *(b"null", b"true", b"-1", b"1e400", b"NaN", b"0.5", b"9" * 30),
    *(b'"clusters"', b'"sentences"', b'"subtokens"', b'"doc_key"', b'"speakers"'),
)
_WIRE_WORDS = (
    *(b"\x00", b"\x08", b"\x0a", b"\x12", b"\x1a", b"\x80", b"\x0a\x00", b"\x10\x07"),
    *(b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01"),
)


def targets() -> dict[str, Target]:
    """All targets by name."""
    conll = (*_heads("parts", 12), *_heads("key", 12))
    conllu = (*_heads("corefud", 15), *_heads("corefud-key", 15))
    clusters = tuple(
        "".join(write_document(_example(), name, Notices())).encode() for name in ("conll2012", "jsonlines")
    )
    documents = tuple(request.SerializeToString() for request in document_requests())
    streams = tuple(_joined(messages) for messages in stream_requests())
    return {
        "conll2012": Target(partial(_read, format_name="conll2012"), conll, _CONLL_WORDS),
        "conllu": Target(partial(_read, format_name="conllu"), conllu, _CONLLU_WORDS),
        "jsonlines": Target(partial(_read, format_name="jsonlines"), _jsonlines(), _JSON_WORDS),
        "any-format": Target(
            partial(_read, format_name=None),
            tuple(islice(conll, 1)) + tuple(islice(conllu, 1)) + _jsonlines(),
            (*_CONLL_WORDS, *_CONLLU_WORDS, *_JSON_WORDS, b"\x1f\x8b"),
        ),
        "clusters": Target(_find_clusters, clusters, (*_CONLL_WORDS, *_JSON_WORDS)),
        "document-request": Target(answer_document, documents, _WIRE_WORDS),
        "routing": Target(_route, documents, _WIRE_WORDS),
        "envelope": Target(
            _open_envelope,
            (v1.MergeDocumentsRequest(id="d", request=document_requests()[0], timeout=_SECOND).SerializeToString(),),
            _WIRE_WORDS,
        ),
        "stream-request": Target(lambda data: answer_stream(_messages(data)), streams, _WIRE_WORDS),
    }
