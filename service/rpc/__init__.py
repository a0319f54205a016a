"""The gRPC service: calls, streams, drain and health."""
