"""The command line, ``merge-baseline``."""
