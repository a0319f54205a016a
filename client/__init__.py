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

# Imported when asked for: a script that only reads documents does not pay for the rest.
__getattr__, __dir__ = lazy_exports(__name__, __file__)
