from protos.merge_baseline.v1 import document_pb2 as _document_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Decision(_message.Message):
    __slots__ = ("chain", "antecedent", "evidence", "also")
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    ANTECEDENT_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    chain: _document_pb2.ChainRef
    antecedent: _document_pb2.ChainRef
    evidence: Evidence
    also: _containers.RepeatedCompositeFieldContainer[_document_pb2.ChainRef]
    def __init__(self, chain: _Optional[_Union[_document_pb2.ChainRef, _Mapping]] = ..., antecedent: _Optional[_Union[_document_pb2.ChainRef, _Mapping]] = ..., evidence: _Optional[_Union[Evidence, _Mapping]] = ..., also: _Optional[_Iterable[_Union[_document_pb2.ChainRef, _Mapping]]] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("rule", "text", "pairs", "score")
    RULE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    text: str
    pairs: _containers.RepeatedCompositeFieldContainer[MentionPair]
    score: float
    def __init__(self, rule: _Optional[str] = ..., text: _Optional[str] = ..., pairs: _Optional[_Iterable[_Union[MentionPair, _Mapping]]] = ..., score: _Optional[float] = ...) -> None: ...

class MentionPair(_message.Message):
    __slots__ = ("mention", "antecedent")
    MENTION_FIELD_NUMBER: _ClassVar[int]
    ANTECEDENT_FIELD_NUMBER: _ClassVar[int]
    mention: _document_pb2.PlacedMention
    antecedent: _document_pb2.PlacedMention
    def __init__(self, mention: _Optional[_Union[_document_pb2.PlacedMention, _Mapping]] = ..., antecedent: _Optional[_Union[_document_pb2.PlacedMention, _Mapping]] = ...) -> None: ...

class MergedChain(_message.Message):
    __slots__ = ("id", "members")
    ID_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    id: str
    members: _containers.RepeatedCompositeFieldContainer[_document_pb2.ChainRef]
    def __init__(self, id: _Optional[str] = ..., members: _Optional[_Iterable[_Union[_document_pb2.ChainRef, _Mapping]]] = ...) -> None: ...

class HumanMerges(_message.Message):
    __slots__ = ("chains",)
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    chains: _containers.RepeatedCompositeFieldContainer[HumanChain]
    def __init__(self, chains: _Optional[_Iterable[_Union[HumanChain, _Mapping]]] = ...) -> None: ...

class HumanChain(_message.Message):
    __slots__ = ("id", "mentions")
    ID_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    mentions: _containers.RepeatedCompositeFieldContainer[_document_pb2.PlacedMention]
    def __init__(self, id: _Optional[str] = ..., mentions: _Optional[_Iterable[_Union[_document_pb2.PlacedMention, _Mapping]]] = ...) -> None: ...
