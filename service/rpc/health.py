"""Health checks whose watches do not delay the server's stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final, cast

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2

SERVICE: Final = health.SERVICE_NAME

_Context = grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]
_Status = health_pb2.HealthCheckResponse


class Health:
    """The service ``grpc.health.v1.Health``, by its specification.

    grpcio-health-checking has one whose watches last until the caller ends them, so a server that stops would wait for
    its whole grace time. Here a watch ends once it has sent that nothing is served any more.
    """

    def __init__(self) -> None:
        self._statuses: dict[str, int] = {"": _Status.SERVING}
        self._stopping = False
        self._changed = asyncio.Event()

    def set(self, service: str, *, serving: bool) -> None:
        """Set whether a service can be used; ``""`` is the whole server. Has no effect once the server is stopping."""
        if not self._stopping:
            self._set(service, _Status.SERVING if serving else _Status.NOT_SERVING)

    def stop(self) -> None:
        """Report NOT_SERVING for all services from now on."""
        self._stopping = True
        for service in self._statuses:
            self._set(service, _Status.NOT_SERVING)

    def for_grpc(self) -> grpc.GenericRpcHandler:
        """The handler to add to a server."""
        read, write = health_pb2.HealthCheckRequest.FromString, health_pb2.HealthCheckResponse.SerializeToString
        # The stubs know only the synchronous signatures.
        check, watch = cast("Any", self._check), cast("Any", self._watch)
        methods: dict[str, grpc.RpcMethodHandler[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]] = {
            "Check": grpc.unary_unary_rpc_method_handler(check, read, write),
            "Watch": grpc.unary_stream_rpc_method_handler(watch, read, write),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _check(self, request: health_pb2.HealthCheckRequest, context: _Context) -> _Status:
        status = self._statuses.get(request.service)
        if status is None:
            context.set_details("no service of this name")
            context.set_code(grpc.StatusCode.NOT_FOUND)
            return _Status()
        return _Status(status=status)

    async def _watch(self, request: health_pb2.HealthCheckRequest, _: _Context) -> AsyncIterator[_Status]:
        sent: int | None = None
        while True:
            changed = self._changed
            status = self._statuses.get(request.service, _Status.SERVICE_UNKNOWN)
            if status != sent:
                sent = status
                yield _Status(status=status)
                # It can have changed while the status was being sent.
                continue
            if self._stopping:
                return
            if changed is self._changed:
                await changed.wait()

    def _set(self, service: str, status: int) -> None:
        self._statuses[service] = status
        # One event for each change: a watch that wakes up finds the next event here.
        self._changed.set()
        self._changed = asyncio.Event()
