"""Scores, agreement, comparison and statistics of merges."""
