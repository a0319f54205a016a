"""The version of this distribution, in one place."""

VERSION = "0.1.0"
"""It follows semantic versioning, and stands in the signatures of scores."""
