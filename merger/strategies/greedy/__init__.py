"""The greedy strategy: noun string matching, in all its readings."""
