"""Checks a set-up for problems: Python and packages, Java and models, files, ports and the machine itself.

Each module has checks of one kind, as functions that return findings. They change nothing.
"""
