"""A server of the same gRPC library that does nothing: it answers with bytes that it was taught beforehand.

    python -m benchmarks.echo_server

A caller teaches it, by ``Teach`` with a request's length in the metadata, what to answer requests of that length.
"""

from __future__ import annotations

import asyncio
import signal

import grpc
import grpc.aio

from benchmarks.service_load import SERVICE


async def _serve() -> None:
    answers: dict[int, bytes] = {}

    async def echo(request: bytes, _: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        return answers[len(request)]

    async def teach(answer: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        metadata = dict(context.invocation_metadata() or ())
        answers[int(metadata["length"])] = answer
        return b""

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    unary = grpc.unary_unary_rpc_method_handler
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {"MergeDocument": unary(echo), "Teach": unary(teach)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE.strip("/"), handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print(f"serving on 127.0.0.1:{port}", flush=True)
    await stop.wait()
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(_serve())
