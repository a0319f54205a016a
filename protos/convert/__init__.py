"""The messages of the wire to the types of merger, and back."""
