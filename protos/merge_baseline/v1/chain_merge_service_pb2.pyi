import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.rpc import status_pb2 as _status_pb2
from protos.merge_baseline.v1 import decision_pb2 as _decision_pb2
from protos.merge_baseline.v1 import document_pb2 as _document_pb2
from protos.merge_baseline.v1 import notice_pb2 as _notice_pb2
from protos.merge_baseline.v1 import strategy_pb2 as _strategy_pb2
from protos.merge_baseline.v1 import tagger_pb2 as _tagger_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MergeDocumentRequest(_message.Message):
    __slots__ = ("document", "strategy", "keep_singletons", "key", "tagger")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    KEEP_SINGLETONS_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TAGGER_FIELD_NUMBER: _ClassVar[int]
    document: _document_pb2.Document
    strategy: _strategy_pb2.StrategySpec
    keep_singletons: bool
    key: _decision_pb2.HumanMerges
    tagger: _tagger_pb2.TaggerSpec
    def __init__(self, document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ..., strategy: _Optional[_Union[_strategy_pb2.StrategySpec, _Mapping]] = ..., keep_singletons: _Optional[bool] = ..., key: _Optional[_Union[_decision_pb2.HumanMerges, _Mapping]] = ..., tagger: _Optional[_Union[_tagger_pb2.TaggerSpec, _Mapping]] = ...) -> None: ...

class MergeDocumentResponse(_message.Message):
    __slots__ = ("decisions", "chains", "singletons", "signature", "notices")
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    SINGLETONS_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[_decision_pb2.Decision]
    chains: _containers.RepeatedCompositeFieldContainer[_decision_pb2.MergedChain]
    singletons: int
    signature: str
    notices: _containers.RepeatedCompositeFieldContainer[_notice_pb2.Notice]
    def __init__(self, decisions: _Optional[_Iterable[_Union[_decision_pb2.Decision, _Mapping]]] = ..., chains: _Optional[_Iterable[_Union[_decision_pb2.MergedChain, _Mapping]]] = ..., singletons: _Optional[int] = ..., signature: _Optional[str] = ..., notices: _Optional[_Iterable[_Union[_notice_pb2.Notice, _Mapping]]] = ...) -> None: ...

class MergeDocumentsRequest(_message.Message):
    __slots__ = ("id", "request", "timeout")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    request: MergeDocumentRequest
    timeout: _duration_pb2.Duration
    def __init__(self, id: _Optional[str] = ..., request: _Optional[_Union[MergeDocumentRequest, _Mapping]] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class MergeDocumentsResponse(_message.Message):
    __slots__ = ("id", "response", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: str
    response: MergeDocumentResponse
    error: _status_pb2.Status
    def __init__(self, id: _Optional[str] = ..., response: _Optional[_Union[MergeDocumentResponse, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class MergeStreamRequest(_message.Message):
    __slots__ = ("setup", "part", "chunk", "key")
    SETUP_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    setup: MergeStreamSetup
    part: _document_pb2.Part
    chunk: PartChunk
    key: _decision_pb2.HumanMerges
    def __init__(self, setup: _Optional[_Union[MergeStreamSetup, _Mapping]] = ..., part: _Optional[_Union[_document_pb2.Part, _Mapping]] = ..., chunk: _Optional[_Union[PartChunk, _Mapping]] = ..., key: _Optional[_Union[_decision_pb2.HumanMerges, _Mapping]] = ...) -> None: ...

class PartChunk(_message.Message):
    __slots__ = ("piece", "more")
    PIECE_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    piece: _document_pb2.Part
    more: bool
    def __init__(self, piece: _Optional[_Union[_document_pb2.Part, _Mapping]] = ..., more: _Optional[bool] = ...) -> None: ...

class MergeStreamSetup(_message.Message):
    __slots__ = ("document_id", "genre", "strategy", "keep_singletons", "key", "max_answer_bytes", "tagger")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    GENRE_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    KEEP_SINGLETONS_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    MAX_ANSWER_BYTES_FIELD_NUMBER: _ClassVar[int]
    TAGGER_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    genre: str
    strategy: _strategy_pb2.StrategySpec
    keep_singletons: bool
    key: _decision_pb2.HumanMerges
    max_answer_bytes: int
    tagger: _tagger_pb2.TaggerSpec
    def __init__(self, document_id: _Optional[str] = ..., genre: _Optional[str] = ..., strategy: _Optional[_Union[_strategy_pb2.StrategySpec, _Mapping]] = ..., keep_singletons: _Optional[bool] = ..., key: _Optional[_Union[_decision_pb2.HumanMerges, _Mapping]] = ..., max_answer_bytes: _Optional[int] = ..., tagger: _Optional[_Union[_tagger_pb2.TaggerSpec, _Mapping]] = ...) -> None: ...

class MergeStreamResponse(_message.Message):
    __slots__ = ("part", "summary", "progress")
    PART_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    part: PartDecisions
    summary: MergeStreamSummary
    progress: Progress
    def __init__(self, part: _Optional[_Union[PartDecisions, _Mapping]] = ..., summary: _Optional[_Union[MergeStreamSummary, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("stage", "done", "total")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    stage: str
    done: int
    total: int
    def __init__(self, stage: _Optional[str] = ..., done: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...

class PartDecisions(_message.Message):
    __slots__ = ("part", "decisions", "more")
    PART_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    part: int
    decisions: _containers.RepeatedCompositeFieldContainer[_decision_pb2.Decision]
    more: bool
    def __init__(self, part: _Optional[int] = ..., decisions: _Optional[_Iterable[_Union[_decision_pb2.Decision, _Mapping]]] = ..., more: _Optional[bool] = ...) -> None: ...

class MergeStreamSummary(_message.Message):
    __slots__ = ("chains", "singletons", "signature", "notices", "more")
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    SINGLETONS_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    chains: _containers.RepeatedCompositeFieldContainer[_decision_pb2.MergedChain]
    singletons: int
    signature: str
    notices: _containers.RepeatedCompositeFieldContainer[_notice_pb2.Notice]
    more: bool
    def __init__(self, chains: _Optional[_Iterable[_Union[_decision_pb2.MergedChain, _Mapping]]] = ..., singletons: _Optional[int] = ..., signature: _Optional[str] = ..., notices: _Optional[_Iterable[_Union[_notice_pb2.Notice, _Mapping]]] = ..., more: _Optional[bool] = ...) -> None: ...

class ListStrategiesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListStrategiesResponse(_message.Message):
    __slots__ = ("strategies", "taggers")
    STRATEGIES_FIELD_NUMBER: _ClassVar[int]
    TAGGERS_FIELD_NUMBER: _ClassVar[int]
    strategies: _containers.RepeatedCompositeFieldContainer[_strategy_pb2.Strategy]
    taggers: _containers.RepeatedCompositeFieldContainer[_tagger_pb2.Tagger]
    def __init__(self, strategies: _Optional[_Iterable[_Union[_strategy_pb2.Strategy, _Mapping]]] = ..., taggers: _Optional[_Iterable[_Union[_tagger_pb2.Tagger, _Mapping]]] = ...) -> None: ...
