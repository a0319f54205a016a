"""Client of the merger: scoring, remote access and the command line."""
