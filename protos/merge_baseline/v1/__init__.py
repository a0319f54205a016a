"""Messages of ``merge_baseline.v1``, re-exported from the generated modules.

The service stub needs grpc and is imported from ``chain_merge_service_pb2_grpc`` where it is used.
"""

from protos.merge_baseline.v1.chain_merge_service_pb2 import (
    ListStrategiesRequest,
    ListStrategiesResponse,
    MergeDocumentRequest,
    MergeDocumentResponse,
    MergeDocumentsRequest,
    MergeDocumentsResponse,
    MergeStreamRequest,
    MergeStreamResponse,
    MergeStreamSetup,
    MergeStreamSummary,
    PartChunk,
    PartDecisions,
    Progress,
)
from protos.merge_baseline.v1.decision_pb2 import (
    Decision,
    Evidence,
    HumanChain,
    HumanMerges,
    MentionPair,
    MergedChain,
)
from protos.merge_baseline.v1.document_pb2 import (
    Chain,
    ChainRef,
    Document,
    Mention,
    Part,
    PlacedMention,
    Sentence,
    Span,
)
from protos.merge_baseline.v1.notice_pb2 import (
    Location,
    Notice,
)
from protos.merge_baseline.v1.strategy_pb2 import (
    Option,
    OptionSetting,
    OptionType,
    OptionValue,
    Strategy,
    StrategySpec,
)
from protos.merge_baseline.v1.tagger_pb2 import (
    Tagger,
    TaggerSpec,
)

__all__ = [
    "Chain",
    "ChainRef",
    "Decision",
    "Document",
    "Evidence",
    "HumanChain",
    "HumanMerges",
    "ListStrategiesRequest",
    "ListStrategiesResponse",
    "Location",
    "Mention",
    "MentionPair",
    "MergeDocumentRequest",
    "MergeDocumentResponse",
    "MergeDocumentsRequest",
    "MergeDocumentsResponse",
    "MergeStreamRequest",
    "MergeStreamResponse",
    "MergeStreamSetup",
    "MergeStreamSummary",
    "MergedChain",
    "Notice",
    "Option",
    "OptionSetting",
    "OptionType",
    "OptionValue",
    "Part",
    "PartChunk",
    "PartDecisions",
    "PlacedMention",
    "Progress",
    "Sentence",
    "Span",
    "Strategy",
    "StrategySpec",
    "Tagger",
    "TaggerSpec",
]
