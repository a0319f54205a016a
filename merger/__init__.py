"""Merging of per-part coreference chains: documents, formats, strategies, decisions.

The public surface of the package::

    from merger import make_strategy, merge_document, read_documents

    for document in read_documents("parts.conll"):
        result = merge_document(document, make_strategy("greedy", {"match": "mention"}))
        for decision in result.decisions:
            print(decision.chain, decision.antecedent, decision.evidence)
"""

from __future__ import annotations

from merger.lazy_exports import lazy_exports

# Without the typing module, which takes longer to import than all that short commands need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from merger.decisions.checked import apply_records as apply_records
    from merger.decisions.model import Decision as Decision
    from merger.decisions.model import Evidence as Evidence
    from merger.decisions.model import MentionPair as MentionPair
    from merger.decisions.model import MergedChains as MergedChains
    from merger.decisions.model import apply_decisions as apply_decisions
    from merger.decisions.model import read_decisions as read_decisions
    from merger.decisions.reader import read_decision_records as read_decision_records
    from merger.decisions.records import DecisionRecord as DecisionRecord
    from merger.decisions.records import decision_line as decision_line
    from merger.decisions.voting import Voted as Voted
    from merger.decisions.voting import vote as vote
    from merger.document import Chain as Chain
    from merger.document import ChainRef as ChainRef
    from merger.document import ChainScope as ChainScope
    from merger.document import Document as Document
    from merger.document import Mention as Mention
    from merger.document import Part as Part
    from merger.document import Sentence as Sentence
    from merger.document import chains_by_part as chains_by_part
    from merger.document import make_chain as make_chain
    from merger.document import make_mention as make_mention
    from merger.errors import AlignmentError as AlignmentError
    from merger.errors import AnnotationError as AnnotationError
    from merger.errors import DecisionError as DecisionError
    from merger.errors import FormatError as FormatError
    from merger.errors import InputError as InputError
    from merger.errors import Location as Location
    from merger.errors import MergeBaselineError as MergeBaselineError
    from merger.errors import MissingTagsError as MissingTagsError
    from merger.errors import OptionError as OptionError
    from merger.errors import UnavailableError as UnavailableError
    from merger.errors import UnsupportedError as UnsupportedError
    from merger.formats import FORMATS as FORMATS
    from merger.formats import ReadOptions as ReadOptions
    from merger.formats import read_documents as read_documents
    from merger.formats import write_documents as write_documents
    from merger.merge import MergeResult as MergeResult
    from merger.merge import PartMerger as PartMerger
    from merger.merge import merge_document as merge_document
    from merger.notices import Notice as Notice
    from merger.notices import Notices as Notices
    from merger.notices import Policy as Policy
    from merger.resegment import with_boundaries_of as with_boundaries_of
    from merger.split import Cut as Cut
    from merger.split import MergeTask as MergeTask
    from merger.split import split_document as split_document
    from merger.strategies import STRATEGIES as STRATEGIES
    from merger.strategies import Option as Option
    from merger.strategies import Strategy as Strategy
    from merger.strategies import StrategyInfo as StrategyInfo
    from merger.strategies import list_strategies as list_strategies
    from merger.strategies import make_strategy as make_strategy
    from merger.version import VERSION as VERSION

# Imported when asked for: a script that only reads documents does not pay for the rest.
_MODULES = {
    "merger.resegment": ("with_boundaries_of",),
    "merger.decisions.reader": ("read_decision_records",),
    "merger.decisions.records": ("DecisionRecord", "decision_line"),
    "merger.decisions.checked": ("apply_records",),
    "merger.decisions.model": (
        "Decision",
        "Evidence",
        "MentionPair",
        "MergedChains",
        "apply_decisions",
        "read_decisions",
    ),
    "merger.document": (
        "Chain",
        "ChainRef",
        "ChainScope",
        "Document",
        "Mention",
        "Part",
        "Sentence",
        "chains_by_part",
        "make_chain",
        "make_mention",
    ),
    "merger.errors": (
        "AlignmentError",
        "AnnotationError",
        "DecisionError",
        "FormatError",
        "InputError",
        "Location",
        "MergeBaselineError",
        "MissingTagsError",
        "OptionError",
        "UnavailableError",
        "UnsupportedError",
    ),
    "merger.formats": ("FORMATS", "ReadOptions", "read_documents", "write_documents"),
    "merger.merge": ("MergeResult", "PartMerger", "merge_document"),
    "merger.notices": ("Notice", "Notices", "Policy"),
    "merger.split": ("Cut", "MergeTask", "split_document"),
    "merger.strategies": ("Option", "STRATEGIES", "Strategy", "StrategyInfo", "list_strategies", "make_strategy"),
    "merger.version": ("VERSION",),
    "merger.decisions.voting": ("Voted", "vote"),
}
__getattr__, __dir__ = lazy_exports(__name__, _MODULES)

__all__ = [
    "FORMATS",
    "STRATEGIES",
    "VERSION",
    "AlignmentError",
    "AnnotationError",
    "Chain",
    "ChainRef",
    "ChainScope",
    "Cut",
    "Decision",
    "DecisionError",
    "DecisionRecord",
    "Document",
    "Evidence",
    "FormatError",
    "InputError",
    "Location",
    "Mention",
    "MentionPair",
    "MergeBaselineError",
    "MergeResult",
    "MergeTask",
    "MergedChains",
    "MissingTagsError",
    "Notice",
    "Notices",
    "Option",
    "OptionError",
    "Part",
    "PartMerger",
    "Policy",
    "ReadOptions",
    "Sentence",
    "Strategy",
    "StrategyInfo",
    "UnavailableError",
    "UnsupportedError",
    "Voted",
    "apply_decisions",
    "apply_records",
    "chains_by_part",
    "decision_line",
    "list_strategies",
    "make_chain",
    "make_mention",
    "make_strategy",
    "merge_document",
    "read_decision_records",
    "read_decisions",
    "read_documents",
    "split_document",
    "vote",
    "with_boundaries_of",
    "write_documents",
]
