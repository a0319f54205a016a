"""Where documents are merged: queues, workers and backends."""
