"""Client of the merger: scoring and merging on a server; the command line lives in ``client.cli``.

The public surface of the package::

    from client import RemoteMerger, evaluate

    with RemoteMerger("localhost:50051") as remote:
        result = remote.merge(document, "greedy", {"match": "mention"})
    evaluation = evaluate([key], [result.document], parts=[document])
    print(evaluation.total.conll_f1, evaluation.signature)
"""

from __future__ import annotations

from merger.lazy_exports import lazy_exports

# Without the typing module, which takes longer to import than all that short commands need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from client.aio import AsyncRemoteMerger as AsyncRemoteMerger
    from client.aio import AsyncRemoteStream as AsyncRemoteStream
    from client.batches import Outcome as Outcome
    from client.errors import RemoteError as RemoteError
    from client.exchanges import StreamResult as StreamResult
    from client.remote import RemoteMerger as RemoteMerger
    from client.remote import RemoteStream as RemoteStream
    from client.retries import RetryPolicy as RetryPolicy
    from client.scoring import METRICS as METRICS
    from client.scoring import Clustering as Clustering
    from client.scoring import Counts as Counts
    from client.scoring import Scores as Scores
    from client.scoring import conll_f1 as conll_f1
    from client.scoring import score_document as score_document
    from client.scoring import score_documents as score_documents
    from client.scoring.evaluation import DocumentResult as DocumentResult
    from client.scoring.evaluation import Evaluation as Evaluation
    from client.scoring.evaluation import Result as Result
    from client.scoring.evaluation import evaluate as evaluate
    from client.scoring.links import LinkCounts as LinkCounts
    from client.scoring.links import count_links as count_links
    from client.scoring.signature import Signature as Signature
    from client.target import Tls as Tls

# Imported when asked for: a script that only reads documents does not pay for the rest.
_MODULES = {
    "client.aio": ("AsyncRemoteMerger", "AsyncRemoteStream"),
    "client.batches": ("Outcome",),
    "client.errors": ("RemoteError",),
    "client.exchanges": ("StreamResult",),
    "client.remote": ("RemoteMerger", "RemoteStream"),
    "client.retries": ("RetryPolicy",),
    "client.scoring": ("Clustering", "Counts", "METRICS", "Scores", "conll_f1", "score_document", "score_documents"),
    "client.scoring.evaluation": ("DocumentResult", "Evaluation", "Result", "evaluate"),
    "client.scoring.links": ("LinkCounts", "count_links"),
    "client.scoring.signature": ("Signature",),
    "client.target": ("Tls",),
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
