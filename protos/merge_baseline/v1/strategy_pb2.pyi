from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OptionType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPTION_TYPE_UNSPECIFIED: _ClassVar[OptionType]
    OPTION_TYPE_STRING: _ClassVar[OptionType]
    OPTION_TYPE_INTEGER: _ClassVar[OptionType]
    OPTION_TYPE_NUMBER: _ClassVar[OptionType]
    OPTION_TYPE_BOOLEAN: _ClassVar[OptionType]
OPTION_TYPE_UNSPECIFIED: OptionType
OPTION_TYPE_STRING: OptionType
OPTION_TYPE_INTEGER: OptionType
OPTION_TYPE_NUMBER: OptionType
OPTION_TYPE_BOOLEAN: OptionType

class StrategySpec(_message.Message):
    __slots__ = ("name", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    options: _containers.RepeatedCompositeFieldContainer[OptionSetting]
    def __init__(self, name: _Optional[str] = ..., options: _Optional[_Iterable[_Union[OptionSetting, _Mapping]]] = ...) -> None: ...

class OptionSetting(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: OptionValue
    def __init__(self, name: _Optional[str] = ..., value: _Optional[_Union[OptionValue, _Mapping]] = ...) -> None: ...

class OptionValue(_message.Message):
    __slots__ = ("text", "integer", "number", "flag")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    text: str
    integer: int
    number: float
    flag: bool
    def __init__(self, text: _Optional[str] = ..., integer: _Optional[int] = ..., number: _Optional[float] = ..., flag: _Optional[bool] = ...) -> None: ...

class Strategy(_message.Message):
    __slots__ = ("name", "summary", "options", "needs_key", "needs_tags", "unavailable_reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    NEEDS_KEY_FIELD_NUMBER: _ClassVar[int]
    NEEDS_TAGS_FIELD_NUMBER: _ClassVar[int]
    UNAVAILABLE_REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    summary: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    needs_key: bool
    needs_tags: bool
    unavailable_reason: str
    def __init__(self, name: _Optional[str] = ..., summary: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ..., needs_key: _Optional[bool] = ..., needs_tags: _Optional[bool] = ..., unavailable_reason: _Optional[str] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("name", "type", "default_value", "help", "choices", "low", "high", "optional_in_signature")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    OPTIONAL_IN_SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: OptionType
    default_value: OptionValue
    help: str
    choices: _containers.RepeatedScalarFieldContainer[str]
    low: float
    high: float
    optional_in_signature: bool
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[OptionType, str]] = ..., default_value: _Optional[_Union[OptionValue, _Mapping]] = ..., help: _Optional[str] = ..., choices: _Optional[_Iterable[str]] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., optional_in_signature: _Optional[bool] = ...) -> None: ...
