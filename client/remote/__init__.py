"""The client of the gRPC service, synchronous and asynchronous."""
