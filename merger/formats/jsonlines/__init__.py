"""JSON lines: reader and writer."""
