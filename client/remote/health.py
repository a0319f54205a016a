"""Asks a server whether it is ready, as a whole or for one strategy."""

from __future__ import annotations

from client.remote.errors import UnreachableError
from client.remote.target import Target
from merger.errors import UnavailableError
from merger.message_text import plain_number


def service_name(strategy: str | None = None) -> str:
    """The name of the service, or of one strategy, in health checks."""
    from client.remote.channel import SERVICE

    return SERVICE if strategy is None else f"{SERVICE}/{strategy}"


def health_of(target: Target, service: str, seconds: float) -> str:
    """``SERVING``, ``NOT_SERVING``, or another status of the health protocol; ``service`` ``""`` is the whole server.

    Raises :class:`~client.remote.errors.UnreachableError` if the server does not answer in time,
    :class:`~client.remote.errors.IncompatibleError` if only one side speaks TLS, and
    :class:`~merger.errors.UnavailableError` if it has no such service. Does not retry.
    """
    import grpc
    from grpc_health.v1 import health_pb2

    from client.remote.error_mapping import other_protocol
    from client.remote.sync_transport import health_check, open_channel

    with open_channel(target) as channel:
        unknown = UnavailableError(f"the server at {target.address} has no service {service}")
        try:
            request = health_pb2.HealthCheckRequest(service=service)
        except UnicodeError:
            raise unknown from None
        try:
            answer = health_check(channel)(request, timeout=seconds)
        except grpc.RpcError as error:
            code = error.code()
            if code is grpc.StatusCode.NOT_FOUND:
                raise unknown from None
            unlike = other_protocol(target) if code is grpc.StatusCode.UNAVAILABLE else None
            if unlike is not None:
                raise unlike from None
            message = (
                f"no health check at {target.address} within {plain_number(seconds)} s: {code.name}: {error.details()}"
            )
            raise UnreachableError(message, target.address) from None
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
