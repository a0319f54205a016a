"""The server's inside: where work is done, what is let in, and what callers are told.

``server.py`` wires it up. Everything that is asyncio here belongs to one event loop, so nothing needs a lock.

::

    handlers      the methods of the service
    ├── admission     how much may wait, be in work and stay open
    ├── routing       which strategy a message asks for, without decoding it
    ├── documents     whole documents: a bounded queue before a crew
    ├── streams       open streams, each with its state in one worker
    ├── patience      how long work may take, and a stream be idle
    └── calls         one call from begin to end: its status, its record for an Observer
    crew              keeps a number of workers alive
    ├── processes     a worker in a process of its own (worker_main is its inside, frames what goes between)
    └── threads       a worker on threads of the server
    desk              what a worker does with a message

    supervision   finds out which backends have failed, and starts them again
    health        what load balancers are told, for the service and for each strategy
    observability what operators see
    ├── identity      what names a call in logs and traces
    ├── logs          lines of text or JSON
    ├── metrics       Prometheus, with the server's state as of now
    └── tracing       OpenTelemetry
"""

from merge_baseline.names import require

require("merger", "protos")
