"""Coreference systems that run over a whole document, and what their clusters say about part chains."""
