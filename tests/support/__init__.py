"""Helpers for tests in several folders."""
