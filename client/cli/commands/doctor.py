"""``merge-baseline doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import click

from client.cli.option_names import with_flags
from client.cli.options import json_option
from client.cli.output import counted, open_report, write_json
from client.cli.server_options import ServerChoice, server_options
from client.doctor.findings import FEATURES, Finding, Level
from service.options import DEFAULT_PORT, ServerOptions

_SERVER_SECONDS = 10.0
_WIDTH = 100


@click.command(short_help="check the set-up for problems")
@click.option(
    "--for",
    "wanted",
    multiple=True,
    type=click.Choice(FEATURES),
    help="Something that must work: what is missing for it is a failure, not a warning. Can be given several times.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address on which a server will listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="The port of that server.",
)
@click.option("--check-cert", metavar="PEM", help="A server certificate to check, with --check-key.")
@click.option("--check-key", metavar="PEM", help="The key of --check-cert.")
@click.option("--check-client-ca", metavar="PEM", help="A CA for callers' certificates to check.")
@server_options("Check whether this server answers.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    wanted: tuple[str, ...],
    host: str,
    port: int,
    check_cert: str | None,
    check_key: str | None,
    check_client_ca: str | None,
    server: ServerChoice,
    as_json: bool,
) -> None:
    """Check Python, packages, Java, models, files, ports and the machine, and advise on problems.

    Exits with 1 if a check fails. Changes nothing.

    \b
    Examples:
      merge-baseline doctor --for corenlp
      merge-baseline doctor --for serve --host 0.0.0.0 --check-cert server.pem --check-key server.key
      merge-baseline doctor --server merge.example.org:50051 --tls
    """
    from client.doctor.backends import check_backends
    from client.doctor.machine import check_machine
    from client.doctor.names import check_names
    from client.doctor.packages import check_packages
    from client.doctor.service import check_memory, check_port, check_reach, check_server, check_tls
    from service.listen_address import check_host, plain_host
    from service.options import TlsFiles

    check_host("host", host)
    host = plain_host(host)
    findings = [*check_packages(wanted), *check_names(), *check_backends(wanted), *check_machine(wanted)]
    findings.append(check_port(host, port, needed="serve" in wanted))
    if (check_cert is None) != (check_key is None):
        raise click.UsageError("--check-cert and --check-key go together: a certificate and its key")
    if check_client_ca is not None and check_cert is None:
        raise click.UsageError("--check-client-ca is for a server with TLS: --check-cert and --check-key are missing")
    files = TlsFiles.of(check_cert, check_key, check_client_ca)
    if "serve" in wanted:
        findings.append(check_memory(ServerOptions()))
        findings.append(check_reach(host, tls=files is not None))
    if files is not None:
        findings.extend(check_tls(files))
    if server.address is not None:
        findings.extend(check_server(server.address, lambda: server.connect(timeout=_SERVER_SECONDS)))
    findings = [replace(each, found=with_flags(each.found), advice=with_flags(each.advice)) for each in findings]
    if as_json:
        write_json({"findings": [asdict(finding) for finding in findings], "ok": not _fails(findings)})
    else:
        _show(findings)
    if _fails(findings):
        context.exit(1)


def _fails(findings: Sequence[Finding]) -> int:
    return sum(finding.level is Level.FAIL for finding in findings)


def _show(findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colors = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "bold red"}
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("level")
    table.add_column("check")
    table.add_column("found", overflow="fold")
    for finding in findings:
        found = Text(finding.found)
        if finding.advice and finding.level is not Level.OK:
            found.append(f"\n→ {finding.advice}", style="italic")
        table.add_row(Text(finding.level, style=colors[finding.level]), Text(finding.check), found)
    warns = sum(finding.level is Level.WARN for finding in findings)
    with open_report() as stream:
        console = Console(file=stream, width=None if stream.isatty() else _WIDTH)
        with console.capture() as captured:
            console.print(table)
        lines = "\n".join(line.rstrip() for line in captured.get().splitlines())
        stream.write(f"{lines}\n\n{counted(_fails(findings), 'fail')}, {counted(warns, 'warning')}\n")
