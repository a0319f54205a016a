"""Protocol definitions, their generated code, and conversion from and to merger's types."""

from merge_baseline.names import require

require("merger")
