from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class TaggerSpec(_message.Message):
    __slots__ = ("name", "retag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RETAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    retag: bool
    def __init__(self, name: _Optional[str] = ..., retag: _Optional[bool] = ...) -> None: ...

class Tagger(_message.Message):
    __slots__ = ("name", "summary", "signature")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    name: str
    summary: str
    signature: str
    def __init__(self, name: _Optional[str] = ..., summary: _Optional[str] = ..., signature: _Optional[str] = ...) -> None: ...
