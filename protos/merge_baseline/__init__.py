"""The protocol package ``merge_baseline``, by version."""
