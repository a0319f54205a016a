"""Merging of per-part coreference chains: documents, formats, strategies."""
