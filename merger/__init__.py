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

# Imported on first use: a script that only reads documents does not pay for the rest.
__getattr__, __dir__ = lazy_exports(__name__, __file__)
