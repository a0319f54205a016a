"""What operators see: logs, metrics, traces and a snapshot."""
