from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Document(_message.Message):
    __slots__ = ("id", "genre", "parts")
    ID_FIELD_NUMBER: _ClassVar[int]
    GENRE_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    genre: str
    parts: _containers.RepeatedCompositeFieldContainer[Part]
    def __init__(self, id: _Optional[str] = ..., genre: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[Part, _Mapping]]] = ...) -> None: ...

class Part(_message.Message):
    __slots__ = ("number", "sentences", "chains")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    number: int
    sentences: _containers.RepeatedCompositeFieldContainer[Sentence]
    chains: _containers.RepeatedCompositeFieldContainer[Chain]
    def __init__(self, number: _Optional[int] = ..., sentences: _Optional[_Iterable[_Union[Sentence, _Mapping]]] = ..., chains: _Optional[_Iterable[_Union[Chain, _Mapping]]] = ...) -> None: ...

class Sentence(_message.Message):
    __slots__ = ("forms", "xpos", "upos", "speakers", "heads", "empty_nodes")
    FORMS_FIELD_NUMBER: _ClassVar[int]
    XPOS_FIELD_NUMBER: _ClassVar[int]
    UPOS_FIELD_NUMBER: _ClassVar[int]
    SPEAKERS_FIELD_NUMBER: _ClassVar[int]
    HEADS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_NODES_FIELD_NUMBER: _ClassVar[int]
    forms: _containers.RepeatedScalarFieldContainer[str]
    xpos: _containers.RepeatedScalarFieldContainer[str]
    upos: _containers.RepeatedScalarFieldContainer[str]
    speakers: _containers.RepeatedScalarFieldContainer[str]
    heads: _containers.RepeatedScalarFieldContainer[int]
    empty_nodes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, forms: _Optional[_Iterable[str]] = ..., xpos: _Optional[_Iterable[str]] = ..., upos: _Optional[_Iterable[str]] = ..., speakers: _Optional[_Iterable[str]] = ..., heads: _Optional[_Iterable[int]] = ..., empty_nodes: _Optional[_Iterable[int]] = ...) -> None: ...

class Chain(_message.Message):
    __slots__ = ("id", "mentions")
    ID_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    mentions: _containers.RepeatedCompositeFieldContainer[Mention]
    def __init__(self, id: _Optional[str] = ..., mentions: _Optional[_Iterable[_Union[Mention, _Mapping]]] = ...) -> None: ...

class Mention(_message.Message):
    __slots__ = ("sentence", "first", "last", "pieces")
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    sentence: int
    first: int
    last: int
    pieces: _containers.RepeatedCompositeFieldContainer[Span]
    def __init__(self, sentence: _Optional[int] = ..., first: _Optional[int] = ..., last: _Optional[int] = ..., pieces: _Optional[_Iterable[_Union[Span, _Mapping]]] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("first", "last")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ...) -> None: ...

class PlacedMention(_message.Message):
    __slots__ = ("part", "mention")
    PART_FIELD_NUMBER: _ClassVar[int]
    MENTION_FIELD_NUMBER: _ClassVar[int]
    part: int
    mention: Mention
    def __init__(self, part: _Optional[int] = ..., mention: _Optional[_Union[Mention, _Mapping]] = ...) -> None: ...

class ChainRef(_message.Message):
    __slots__ = ("part", "chain")
    PART_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    part: int
    chain: str
    def __init__(self, part: _Optional[int] = ..., chain: _Optional[str] = ...) -> None: ...
