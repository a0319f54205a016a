"""Stanza's coreference system."""
