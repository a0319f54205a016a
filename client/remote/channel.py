"""Options and credentials of channels, for both clients. Importing it imports grpc."""

from __future__ import annotations

from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2

from client.remote.target import Target, Tls
from protos.merge_baseline.v1 import chain_merge_service_pb2

SERVICE: Final = chain_merge_service_pb2.DESCRIPTOR.services_by_name["ChainMergeService"].full_name
HEALTH_METHOD: Final = "/grpc.health.v1.Health/Check"
HEALTH_REQUEST: Final = health_pb2.HealthCheckRequest(service=SERVICE)
SERVING: Final = health_pb2.HealthCheckResponse.SERVING
REASON_SECONDS: Final = 0.5
"""Time limit of a call that only asks why there is no connection."""
CLOSE_SECONDS: Final = 1.0
"""How long to wait for the server to end a call that has all its answers."""

Metadata = tuple[tuple[str, str], ...]


def channel_options(target: Target) -> list[tuple[str, Any]]:
    """The options of a channel to a server."""
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", target.max_message_bytes),
        ("grpc.max_send_message_length", target.max_message_bytes),
        # By default gRPC tries to reconnect only every two minutes after a long absence.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 2000),
        # A server that vanished without closing the connection is noticed within 80 seconds. Our servers allow a ping
        # every ten seconds; other servers can close connections that ping more than once in five minutes.
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        # This client retries. gRPC's own retries end after five attempts and ignore the time that the server names.
        ("grpc.enable_retries", 0),
    ]
    if target.is_loopback:
        # A proxy from the environment can't reach this machine's loopback.
        options.append(("grpc.enable_http_proxy", 0))
    if target.tls is not None and target.tls.server_name is not None:
        options.append(("grpc.ssl_target_name_override", target.tls.server_name))
    return options


def credentials(tls: Tls) -> grpc.ChannelCredentials:
    """Credentials of a channel with TLS. Raises what :meth:`~client.remote.target.Tls.read` raises."""
    ca, key, cert = tls.read()
    return grpc.ssl_channel_credentials(ca, key, cert)


def metadata(target: Target) -> Metadata:
    """The metadata of every call."""
    return () if target.token is None else (("authorization", f"Bearer {target.token}"),)
