"""``merge-baseline strategies``."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import click

from client.cli.options import json_option
from client.cli.output import open_report, write_json
from client.cli.server_options import ServerChoice, server_options
from merger.strategies import Option, StrategyInfo, list_strategies
from merger.taggers.base import TaggerInfo


@click.command(short_help="list the strategies and their options")
@server_options("List the strategies and taggers of a server.")
@json_option
def command(server: ServerChoice, as_json: bool) -> None:
    """List the strategies, their options, and whether they can run here."""
    infos: Sequence[StrategyInfo]
    taggers: Sequence[TaggerInfo] = ()
    if server.address is None:
        infos = list_strategies()
    else:
        with server.connect() as remote:
            infos, taggers = remote.strategies(), remote.taggers()
    if as_json:
        write_json([_data(info) for info in infos])
        return
    with open_report() as stream:
        shown: dict[Option, str] = {}
        for info in infos:
            state = f" (not available: {info.unavailable})" if info.unavailable else ""
            needs = " [needs --key]" if info.needs_key else " [needs PoS tags]" if info.needs_tags else ""
            stream.write(_wrapped(f"{info.name}{needs}{state}", "") + _wrapped(info.summary, "    "))
            known = [option for option in info.options if option in shown]
            if known:
                names = ", ".join(f"{option.name}={option.show(option.default)}" for option in known)
                stream.write(_wrapped(f"{names}: see {shown[known[0]]}", "    "))
            for option in info.options:
                if option in shown:
                    continue
                shown[option] = info.name
                stream.write(f"    {option.name}={option.show(option.default)}\n")
                stream.write(_wrapped(f"{option.help}; takes {option.takes}", "        "))
        for tagger in taggers:
            stream.write(_wrapped(f"tagger {tagger.name} ({tagger.signature})", "") + _wrapped(tagger.summary, "    "))


def _wrapped(text: str, indent: str) -> str:
    width = min(shutil.get_terminal_size().columns, 100)
    return click.wrap_text(text, width, indent, indent) + "\n"


def _data(info: StrategyInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "summary": info.summary,
        "available": info.unavailable is None,
        "unavailable_because": info.unavailable,
        "needs_key": info.needs_key,
        "needs_tags": info.needs_tags,
        "options": [
            {
                "name": option.name,
                "type": option.type_name,
                "default": option.default,
                "choices": list(option.choices),
                "low": option.low,
                "high": option.high,
                "help": option.help,
            }
            for option in info.options
        ],
    }
