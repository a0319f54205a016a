"""Decisions: their types, records, readers and votes."""
