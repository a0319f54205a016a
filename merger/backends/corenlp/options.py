"""Options of everything that uses a CoreNLP server, and what they mean.

Every list of strategies imports this module; the code that runs a server is imported only if a server is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from merger.errors import OptionError, UnavailableError
from merger.options import Option, OptionValue

if TYPE_CHECKING:
    from merger.backends.corenlp.server import ServerConfig
    from merger.backends.corenlp.shared import ServerHandle

SERVER_OPTIONS = (
    Option("timeout", 600.0, "the most seconds for one document, without starting the server", low=0.1, high=86400),
    Option("url", "", "a running CoreNLP server, like http://host:9000; by default one is started"),
    Option("memory", "6G", "the most memory that Java may use for its heap, in the form of -Xmx"),
    Option("home", "", "the folder of CoreNLP's jars; by default CORENLP_HOME, then where `corenlp install` puts them"),
    Option("port", 0, "the port of the server; 0 for a free one", low=0, high=65535),
)
OPERATOR_OPTIONS = frozenset({"url", "memory", "home", "port"})


def server_handle(values: Mapping[str, OptionValue]) -> ServerHandle:
    """A share in the server that parsed options name.

    Raises :class:`~merger.errors.OptionError` for a ``memory`` or ``url`` that is invalid.
    """
    from merger.backends.corenlp.http import parse_url
    from merger.backends.corenlp.server import ServerConfig
    from merger.backends.corenlp.shared import ServerHandle

    memory, url = str(values["memory"]), str(values["url"])
    if not re.fullmatch(r"[1-9]\d*[kKmMgG]?", memory):
        raise OptionError(f"option memory: {memory!r} is not like 6G or 4000M")
    if url:
        parse_url(url)
    return ServerHandle(ServerConfig(url, str(values["home"]), memory, int(values["port"])))


def server_version(place: ServerConfig) -> str:
    """CoreNLP's version with a dash before it; empty where it is not known."""
    from merger.backends.corenlp.install import find_installation

    if place.url:
        return ""
    try:
        version = find_installation(place.home).version
    except UnavailableError:
        return ""
    return f"-{version}" if version else ""


def why_unavailable() -> str | None:
    """Why no server can be started with default options; ``None`` if one can."""
    from merger.backends.corenlp.install import find_installation
    from merger.backends.corenlp.process import find_java

    try:
        find_java()
        find_installation()
    except UnavailableError as error:
        return str(error)
    return None
