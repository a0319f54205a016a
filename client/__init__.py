"""Client of the merger: scoring and merging on a server; the command line lives in ``client.cli``.

The public surface of the package::

    from client import RemoteMerger, evaluate

    with RemoteMerger("localhost:50051") as remote:
        result = remote.merge(document, "greedy", {"match": "mention"})
    evaluation = evaluate([key], [result.document], parts=[document])
    print(evaluation.total.conll_f1, evaluation.signature)
"""

from __future__ import annotations

from merge_baseline.names import require

require("merger")

from merger.lazy_exports import lazy_exports

# Without the typing module, which takes longer to import than all that short commands need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from client.evaluation.scoring import METRICS as METRICS
    from client.evaluation.scoring import Clustering as Clustering
    from client.evaluation.scoring import Counts as Counts
    from client.evaluation.scoring import Scores as Scores
    from client.evaluation.scoring import conll_f1 as conll_f1
    from client.evaluation.scoring import score_document as score_document
    from client.evaluation.scoring import score_documents as score_documents
    from client.evaluation.scoring.evaluate import DocumentResult as DocumentResult
    from client.evaluation.scoring.evaluate import Evaluation as Evaluation
    from client.evaluation.scoring.evaluate import Result as Result
    from client.evaluation.scoring.evaluate import evaluate as evaluate
    from client.evaluation.scoring.links import LinkCounts as LinkCounts
    from client.evaluation.scoring.links import count_links as count_links
    from client.evaluation.scoring.signature import Signature as Signature
    from client.remote.aio import AsyncRemoteMerger as AsyncRemoteMerger
    from client.remote.aio import AsyncRemoteStream as AsyncRemoteStream
    from client.remote.document_window import Outcome as Outcome
    from client.remote.errors import RemoteError as RemoteError
    from client.remote.messages import StreamResult as StreamResult
    from client.remote.retries import RetryPolicy as RetryPolicy
    from client.remote.sync import RemoteMerger as RemoteMerger
    from client.remote.sync import RemoteStream as RemoteStream
    from client.remote.target import Tls as Tls

# Imported when asked for: a script that only reads documents does not pay for the rest.
_MODULES = {
    "client.remote.aio": ("AsyncRemoteMerger", "AsyncRemoteStream"),
    "client.remote.document_window": ("Outcome",),
    "client.remote.errors": ("RemoteError",),
    "client.remote.messages": ("StreamResult",),
    "client.remote.sync": ("RemoteMerger", "RemoteStream"),
    "client.remote.retries": ("RetryPolicy",),
    "client.evaluation.scoring": (
        "Clustering",
        "Counts",
        "METRICS",
        "Scores",
        "conll_f1",
        "score_document",
        "score_documents",
    ),
    "client.evaluation.scoring.evaluate": ("DocumentResult", "Evaluation", "Result", "evaluate"),
    "client.evaluation.scoring.links": ("LinkCounts", "count_links"),
    "client.evaluation.scoring.signature": ("Signature",),
    "client.remote.target": ("Tls",),
}
__getattr__, __dir__ = lazy_exports(__name__, _MODULES)

__all__ = [
    "METRICS",
    "AsyncRemoteMerger",
    "AsyncRemoteStream",
    "Clustering",
    "Counts",
    "DocumentResult",
    "Evaluation",
    "LinkCounts",
    "Outcome",
    "RemoteError",
    "RemoteMerger",
    "RemoteStream",
    "Result",
    "RetryPolicy",
    "Scores",
    "Signature",
    "StreamResult",
    "Tls",
    "conll_f1",
    "count_links",
    "evaluate",
    "score_document",
    "score_documents",
]
