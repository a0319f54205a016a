"""``merge-baseline corenlp``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from client.cli.messages import print_status
from client.cli.options import json_option
from client.cli.output import open_report, write_json
from merger.backends.corenlp.install import find_installation, home_folder, install
from merger.backends.corenlp.models import EXTRAS, INSTALL_COMMAND, VERSION
from merger.backends.corenlp.process import find_java, java_version
from merger.errors import UnavailableError


@click.group(short_help="install Stanford CoreNLP, or show what is installed")
def command() -> None:
    """Stanford CoreNLP: needed for the strategy corenlp and the tagger corenlp.

    \b
    Example:
      merge-baseline corenlp install --with shift-reduce
      merge-baseline corenlp status
    """


@command.command("install", short_help=f"download CoreNLP {VERSION} with Maven")
@click.option(
    "--with",
    "extras",
    multiple=True,
    type=click.Choice(list(EXTRAS)),
    help="Download this, too. shift-reduce is the default parser of the strategy.",
)
@click.option("--to", "folder", metavar="DIR", help="The folder to install to. Default: a folder in your cache.")
def install_command(extras: tuple[str, ...], folder: str | None) -> None:
    """Download CoreNLP's jars: 475 MB, and 445 MB more with the shift-reduce parser.

    Maven (mvn) downloads them with your own settings for mirrors and proxies. Existing files are not downloaded again.
    """
    target = None if folder is None else Path(folder)

    def show(line: str) -> None:
        print_status(f"  {line}")

    size = "920 MB" if extras else "475 MB"
    print_status(f"downloading the missing files of CoreNLP {VERSION}: up to {size}, some minutes")
    found = install(extras, target, show)
    print_status(f"CoreNLP {found.version} is in {found.home}; parsers: {', '.join(found.parsers)}")
    if home_folder() != found.home:
        print_status(f"to use it: export CORENLP_HOME={found.home}")


@command.command("status", short_help="show Java, the folder, and its algorithms and parsers")
@json_option
def status_command(as_json: bool) -> None:
    """Show which Java and which CoreNLP are used. Exits with 3 if CoreNLP cannot run."""
    data = _status()
    if as_json:
        write_json(data)
    else:
        with open_report() as stream:
            for label, value in data.items():
                shown = ", ".join(value) if isinstance(value, list) else value
                if label not in {"ready", "problem"}:
                    stream.write(f"{label}: {shown or 'none'}\n")
            if data["ready"] and "shift-reduce" not in data["parsers"]:
                stream.write(f"note: the default parser is missing; run `{INSTALL_COMMAND}`\n")
    if data["problem"]:
        raise UnavailableError(str(data["problem"]))


def _status() -> dict[str, Any]:
    problems = []
    java = java_text = version = ""
    algorithms: list[str] = []
    parsers: list[str] = []
    try:
        java = find_java()
        java_text = java_version(java)
    except UnavailableError as error:
        problems.append(str(error))
    try:
        found = find_installation()
        version, algorithms, parsers = found.version, list(found.algorithms), list(found.parsers)
    except UnavailableError as error:
        problems.append(str(error))
    return {
        "java": java,
        "java_version": java_text,
        "home": str(home_folder()),
        "corenlp_version": version,
        "algorithms": algorithms,
        "parsers": parsers,
        "ready": not problems,
        "problem": "; ".join(problems) or None,
    }
