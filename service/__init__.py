"""The server's inside: who may call, where work is done, and what operators see.

``server.py`` wires it up. All asyncio objects here belong to one event loop, so they need no locks.

::

    rpc                   the gRPC service
    ├── servicer          the methods
    ├── call              one call from start to end: status, record, clean-up
    ├── document_stream   the documents of one MergeDocuments stream
    ├── envelopes         its messages, without the documents inside
    ├── strategy_peek     which strategy a message names, without decoding it
    ├── timeouts          limits on work and on idle callers
    ├── drain             answers arrive before a connection closes
    └── health            health checks, for the service and for each strategy
    security              TLS, tokens, rate limits; the first interceptor
    work
    ├── reception         reads messages within the memory that they may take
    ├── budget            bytes and streams that the server holds
    ├── queue             whole documents, before a worker pool
    ├── sessions          open streams, each with its state in one worker
    ├── backend_pools     which pools there are
    ├── pool              keeps a number of workers alive
    ├── process_worker    a worker in its own process (worker_process is its inside, ipc the messages between)
    ├── thread_worker     a worker on threads of the server
    ├── executor          what a worker does with a message
    └── backend_supervisor  finds failed backends and restarts them
    telemetry             logs, metrics, traces
    answers               from the bytes of a request to the bytes of its answer
    strategies, taggers   which ones callers can use
"""

from merge_baseline.names import require

require("merger", "protos")
