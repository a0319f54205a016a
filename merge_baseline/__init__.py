"""Merge per-part coreference chains and score the result: every public name of the project, from one place.

::

    from merge_baseline import evaluate, make_strategy, merge_document, read_documents

    greedy = make_strategy("greedy", {"match": "mention"})
    results = [merge_document(document, greedy) for document in read_documents("parts.conll")]
    evaluation = evaluate(read_documents("key.conll"), [result.document for result in results])

The names are those of :mod:`merger` (documents, strategies, decisions) and :mod:`client` (scores, remote merging).
Each is imported on first use. If a module of another project has the place of one of these packages, an ImportError
names its file.
"""

from __future__ import annotations

from merge_baseline.names import require

# Without the typing module, which takes longer to import than all that short commands need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from client import *
    from merger import *
else:
    # Type checkers must not see a function that has an answer to every name.
    _PACKAGES = ("merger", "client")

    def __getattr__(name: str) -> object:
        if name == "__all__":
            return __dir__()
        # Whoever reads __path__ or __wrapped__ imports nothing.
        if not name.startswith("_"):
            for each in _PACKAGES:
                package = _own(each)
                if name in package.__all__:
                    return getattr(package, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(name for each in _PACKAGES for name in _own(each).__all__)

    def _own(name: str) -> object:
        from importlib import import_module

        require(name)
        return import_module(name)
