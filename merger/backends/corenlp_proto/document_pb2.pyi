from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Document(_message.Message):
    __slots__ = ("text", "sentences", "chains")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    text: str
    sentences: _containers.RepeatedCompositeFieldContainer[Sentence]
    chains: _containers.RepeatedCompositeFieldContainer[Chain]
    def __init__(self, text: _Optional[str] = ..., sentences: _Optional[_Iterable[_Union[Sentence, _Mapping]]] = ..., chains: _Optional[_Iterable[_Union[Chain, _Mapping]]] = ...) -> None: ...

class Sentence(_message.Message):
    __slots__ = ("tokens", "first_token", "end_token", "index", "begin_char", "end_char", "text")
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    FIRST_TOKEN_FIELD_NUMBER: _ClassVar[int]
    END_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    BEGIN_CHAR_FIELD_NUMBER: _ClassVar[int]
    END_CHAR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    first_token: int
    end_token: int
    index: int
    begin_char: int
    end_char: int
    text: str
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ..., first_token: _Optional[int] = ..., end_token: _Optional[int] = ..., index: _Optional[int] = ..., begin_char: _Optional[int] = ..., end_char: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("word", "tag", "value", "before", "after", "original_text", "begin_char", "end_char", "utterance", "speaker", "number")
    WORD_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_TEXT_FIELD_NUMBER: _ClassVar[int]
    BEGIN_CHAR_FIELD_NUMBER: _ClassVar[int]
    END_CHAR_FIELD_NUMBER: _ClassVar[int]
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    word: str
    tag: str
    value: str
    before: str
    after: str
    original_text: str
    begin_char: int
    end_char: int
    utterance: int
    speaker: str
    number: int
    def __init__(self, word: _Optional[str] = ..., tag: _Optional[str] = ..., value: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., original_text: _Optional[str] = ..., begin_char: _Optional[int] = ..., end_char: _Optional[int] = ..., utterance: _Optional[int] = ..., speaker: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class Chain(_message.Message):
    __slots__ = ("mentions",)
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    mentions: _containers.RepeatedCompositeFieldContainer[ChainMention]
    def __init__(self, mentions: _Optional[_Iterable[_Union[ChainMention, _Mapping]]] = ...) -> None: ...

class ChainMention(_message.Message):
    __slots__ = ("begin", "end", "sentence")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    begin: int
    end: int
    sentence: int
    def __init__(self, begin: _Optional[int] = ..., end: _Optional[int] = ..., sentence: _Optional[int] = ...) -> None: ...
