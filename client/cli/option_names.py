"""The command line's flags for parameters of the Python interface and of requests."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_OTHERS: Final = {
    "drop_singletons": "--singletons drop",
    "enable_taggers": "--enable-tagger",
    "format_name": "--format",
    "grace_seconds": "--grace",
    "keep_singletons": "--singletons keep",
    "max_connection_age_seconds": "--max-connection-age",
    "tls": "--tls, or --tls-ca for its CA",
    "token": "--token-file, or the environment variable MERGE_BASELINE_TOKEN",
    "stream_bytes": "--max-stream-mib",
}

_NAMED: Final = (
    "baseline",
    "clusters_field",
    "columns",
    "drop_singletons",
    "enable",
    "format_name",
    "insecure_listen_anywhere",
    "keep_singletons",
    "key",
    "max_call_seconds",
    "overwrite",
    "part_pattern",
    "parts",
    "resamples",
    "resume",
    "retag",
    "tagger",
    "tls",
    "tls_cert",
    "tls_client_ca",
    "tls_key",
    "token",
    "token_file",
)
"""Parameters that messages name as ``option NAME``. Options of strategies keep their names, as in
``--strategy NAME:OPTION=VALUE``."""
_OF_SERVERS: Final = ("enable", "enable_taggers", "idle_stream_seconds", "max_call_seconds", "tls_cert", "tls_key")
"""Parameters of the server that a client calls, which messages name as ``server option NAME``."""

# Compiled for the first message: many runs have none.
_PHRASE: Final = (
    rf"\bserver option (?P<server>{'|'.join(_OF_SERVERS)})\b"
    rf"|\boption (?P<option>{'|'.join(_NAMED)})\b(?!-)"
    r"|\bwith policy (?P<policy>strict|lenient)\b"
)


def option_of(parameter: str) -> str:
    """The flag that sets a parameter."""
    if parameter in _OTHERS:
        return _OTHERS[parameter]
    flag = parameter.replace("_", "-")
    return f"--max-{flag}" if parameter in _limits() else f"--{flag}"


@cache
def _limits() -> frozenset[str]:
    """The names of a server's limits. Imported on first use: few messages are about them."""
    from dataclasses import fields

    from protos.limits import Limits

    return frozenset(each.name for each in fields(Limits))


def with_flags(text: str) -> str:
    """A message of the library with flags instead of option names."""
    return re.sub(_PHRASE, _flag, text)


def _flag(found: re.Match[str]) -> str:
    if found["policy"]:
        return f"with --{found['policy']}"
    if found["option"] == "parts":
        # A limit of servers has this name too.
        return "--parts"
    return f"serve {option_of(found['server'])}" if found["server"] else option_of(found["option"])
