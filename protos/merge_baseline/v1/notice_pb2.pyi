from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Notice(_message.Message):
    __slots__ = ("kind", "message", "location", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: str
    location: Location
    count: int
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[str] = ..., location: _Optional[_Union[Location, _Mapping]] = ..., count: _Optional[int] = ...) -> None: ...

class Location(_message.Message):
    __slots__ = ("document", "part", "sentence", "token")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    document: str
    part: int
    sentence: int
    token: int
    def __init__(self, document: _Optional[str] = ..., part: _Optional[int] = ..., sentence: _Optional[int] = ..., token: _Optional[int] = ...) -> None: ...
