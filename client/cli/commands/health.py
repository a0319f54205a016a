"""``merge-baseline health``."""

from __future__ import annotations

import click

from client.cli.options import Seconds
from client.cli.output import open_report
from client.remote.target import Target, Tls
from merger.errors import UnavailableError


@click.command(short_help="ask a server whether it is ready")
@click.argument("server", metavar="HOST:PORT")
@click.option("--strategy", metavar="NAME", help="Ask about one strategy. Default: the service as a whole.")
@click.option("--timeout", type=Seconds(), default=3, show_default=True, help="Seconds to wait for the answer.")
@click.option("--tls", "talk_tls", is_flag=True, help="Use TLS. The other TLS options imply it.")
@click.option("--tls-ca", metavar="PEM", help="The CA of the server's certificate. Default: the system's CAs.")
@click.option("--tls-cert", metavar="PEM", help="Your certificate, if the server needs one (mTLS).")
@click.option("--tls-key", metavar="PEM", help="The key of --tls-cert.")
@click.option("--tls-server-name", metavar="NAME", help="The name in the server's certificate, if not HOST.")
def command(
    server: str,
    strategy: str | None,
    timeout: float,
    talk_tls: bool,
    tls_ca: str | None,
    tls_cert: str | None,
    tls_key: str | None,
    tls_server_name: str | None,
) -> None:
    """Print the health of a server. For health checks of containers; needs no token.

    Exits with 0 if the server is SERVING; with 3 if it is not, has no such strategy or does not answer in time; with 2
    for bad options or PEM files; and with 1 for files that cannot be read.

    \b
    Examples:
      merge-baseline health 127.0.0.1:50051
      merge-baseline health 127.0.0.1:50051 --strategy corenlp
      merge-baseline health 127.0.0.1:50051 --tls-ca ca.pem --tls-server-name merge.example.org
    """
    from client.remote.health import health_of, service_name

    tls = Tls(tls_ca, tls_cert, tls_key, tls_server_name)
    target = Target(address=server, tls=tls if talk_tls or tls != Tls() else None)
    status = health_of(target, service_name(strategy), timeout)
    with open_report() as stream:
        stream.write(f"{status}\n")
    if status != "SERVING":
        raise UnavailableError(f"{strategy or 'the service'} at {server} is not ready: {status}")
