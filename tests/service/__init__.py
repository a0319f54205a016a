"""Tests of the gRPC service and its client, against the real server."""
