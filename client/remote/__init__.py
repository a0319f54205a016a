"""The client of the gRPC service, synchronous and asynchronous."""

from merge_baseline.names import require

require("protos")
