"""Looks for what is wrong with a set-up: Python and packages, Java and models, files, ports and the machine itself.

Each module has the checks of one kind, as functions that look and return findings. None changes anything.
"""
