"""The version of this distribution, in one place."""

VERSION = "0.1.0"
"""It follows semantic versioning and is part of the signatures of scores."""
