"""Checks for coreference systems: Java and CoreNLP's jars, Stanza's models."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from client.doctor.findings import Finding, Level
from merger.backends.corenlp.install import Installation, find_installation
from merger.backends.corenlp.models import INSTALL_COMMAND
from merger.backends.corenlp.process import find_java, java_version
from merger.backends.stanza.library import missing_packages
from merger.errors import UnavailableError

_OLDEST_JAVA = 8
_GET_JAVA = "install Java 8 or newer (a JRE is enough), or set JAVA_HOME"


def check_backends(wanted: Collection[str]) -> list[Finding]:
    """Check Java, CoreNLP and Stanza. What a feature in ``wanted`` lacks is a failure."""
    installation, jars = _corenlp(needed="corenlp" in wanted)
    # Jars without Java are a failure, as somebody installed them.
    java = _java(needed="corenlp" in wanted or installation is not None)
    return [java, jars, _stanza(needed="stanza" in wanted)]


def _java(*, needed: bool) -> Finding:
    level = Level.FAIL if needed else Level.WARN
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(Path(home, "bin", "java"), os.X_OK):
        return Finding("Java", Level.FAIL, f"JAVA_HOME is {home}, which has no bin/java", _GET_JAVA)
    try:
        java = find_java()
        reported = java_version(java)
    except UnavailableError as error:
        return Finding("Java", level, str(error), _GET_JAVA)
    found = re.search(r'version "(\d+)(?:\.(\d+))?', reported)
    # Versions up to Java 8 start with 1.
    major = 0 if found is None else int(found[2] or 0) if found[1] == "1" else int(found[1])
    shown = f"{java}: {reported or 'reports no version'}"
    if major < _OLDEST_JAVA:
        return Finding("Java", level, shown, _GET_JAVA)
    return Finding("Java", Level.OK, shown)


def _corenlp(*, needed: bool) -> tuple[Installation | None, Finding]:
    chosen = os.environ.get("CORENLP_HOME")
    try:
        found = find_installation()
    except UnavailableError as error:
        # If somebody set CORENLP_HOME, it must work.
        level = Level.FAIL if needed or chosen else Level.WARN
        return None, Finding("CoreNLP", level, str(error), f"`{INSTALL_COMMAND}`, if you need it")
    shown = f"{found.version or 'unknown version'} in {found.home}; parsers: {', '.join(found.parsers)}"
    if "shift-reduce" not in found.parsers:
        advice = f"`{INSTALL_COMMAND}`, or use parser=pcfg, which takes four times as long"
        return found, Finding("CoreNLP", Level.WARN, f"{shown}; the default parser, shift-reduce, is missing", advice)
    return found, Finding("CoreNLP", Level.OK, shown)


def _stanza(*, needed: bool) -> Finding:
    level = Level.FAIL if needed else Level.WARN
    missing = missing_packages()
    if missing is not None:
        return Finding(
            "Stanza", level, missing.partition(":")[0], "pip install 'merge-baseline[stanza]', if you need it"
        )
    folder = Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")
    models = sorted(f"{path.parent.parent.name}/{path.stem}" for path in folder.glob("*/coref/*.pt"))
    if not models:
        advice = "they are downloaded on first use; without a network, set model=PATH and encoder=PATH"
        return Finding("Stanza", Level.WARN, f"no coreference models in {folder}", advice)
    return Finding("Stanza", Level.OK, f"models in {folder}: {', '.join(models)}")
