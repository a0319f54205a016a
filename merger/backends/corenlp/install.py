"""Finds and installs CoreNLP's jars."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from merger.backends.corenlp.models import ALGORITHM_MODELS, EXTRAS, INSTALL_COMMAND, PARSER_MODELS, VERSION
from merger.errors import UnavailableError

_TAGGER_MODEL = "edu/stanford/nlp/models/pos-tagger/english-left3words-distsim.tagger"
_SERVER_CLASS = "edu/stanford/nlp/pipeline/StanfordCoreNLPServer.class"
_WANTED = frozenset({*PARSER_MODELS.values(), *ALGORITHM_MODELS.values(), _TAGGER_MODEL, _SERVER_CLASS})


@dataclass(frozen=True, slots=True)
class Installation:
    """A folder with CoreNLP's jars. ``version`` is empty if the jar's name does not contain it."""

    home: Path
    version: str
    algorithms: tuple[str, ...]
    parsers: tuple[str, ...]


def cache_folder() -> Path:
    """Where :func:`install` puts the jars by default (XDG base directories)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return root / "merge-baseline" / f"corenlp-{VERSION}"


def home_folder(home: str = "") -> Path:
    """The folder to look in: ``home`` if given, else ``CORENLP_HOME``, else :func:`cache_folder`."""
    chosen = home or os.environ.get("CORENLP_HOME", "")
    return Path(chosen).expanduser().absolute() if chosen else cache_folder()


def find_installation(home: str = "") -> Installation:
    """The installation in :func:`home_folder`.

    Raises :class:`~merger.errors.UnavailableError` if that is not CoreNLP with its English models.
    """
    folder = home_folder(home)
    source = "option home" if home else "CORENLP_HOME" if os.environ.get("CORENLP_HOME") else ""
    if not source and not folder.is_dir():
        raise UnavailableError(
            f"CoreNLP is not installed; run `{INSTALL_COMMAND}`, or set CORENLP_HOME to a folder that has it"
        )
    named = f"{source}: " if source else ""
    if not folder.is_dir():
        raise UnavailableError(f"{named}there is no folder {folder}")
    return _inspect(folder, named)


def _inspect(folder: Path, named: str) -> Installation:
    found: set[str] = set()
    version = ""
    # CoreNLP's own class path is the folder without its subfolders, too.
    for jar in sorted(folder.glob("*.jar")):
        try:
            with zipfile.ZipFile(jar) as entries:
                inside = _WANTED.intersection(entries.namelist())
        except (OSError, zipfile.BadZipFile):
            raise UnavailableError(
                f"{named}{jar} is damaged; remove {folder} and run `{INSTALL_COMMAND}` again"
            ) from None
        found |= inside
        if _SERVER_CLASS in inside and (match := re.search(r"-(\d+(?:\.\d+)+)\.jar$", jar.name)):
            version = match[1]
    for entry, what in ((_SERVER_CLASS, "CoreNLP"), (_TAGGER_MODEL, "CoreNLP's English models")):
        if entry not in found:
            raise UnavailableError(f"{named}{folder} does not hold {what}; `{INSTALL_COMMAND}` fetches all")
    return Installation(
        folder,
        version,
        tuple(name for name, model in ALGORITHM_MODELS.items() if model in found),
        tuple(name for name, model in PARSER_MODELS.items() if model in found),
    )


def install(
    extras: tuple[str, ...] = (), folder: Path | None = None, progress: Callable[[str], None] = lambda _line: None
) -> Installation:
    """Fetch what is missing in ``folder`` (default :func:`cache_folder`) by Maven, and check that it is complete.

    Maven's settings (mirrors, proxies, offline) are the user's own; it checks the checksums. The folder appears whole
    or not at all; ``progress`` gets a line per file. Raises :class:`~merger.errors.UnavailableError` if it fails.
    """
    target = (cache_folder() if folder is None else folder).absolute()
    present = _present(target)
    missing = [extra for extra in extras if present is None or extra not in present.parsers]
    if present is not None and not missing:
        return present
    maven = shutil.which("mvn")
    if maven is None:
        raise UnavailableError(
            "fetching CoreNLP takes Maven, and there is no mvn on the PATH; or unpack CoreNLP's own distribution "
            "somewhere and set CORENLP_HOME to that folder"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as scratch:
            jars = Path(scratch, "jars")
            base = [] if present is not None else ["", "models"]
            _run_maven(maven, Path(scratch), jars, [*base, *(EXTRAS[extra] for extra in missing)], progress)
            if present is None:
                _inspect(jars, "")
                _move_folder(jars, target)
            else:
                for jar in jars.glob("*.jar"):
                    jar.replace(target / jar.name)
    except OSError as error:
        raise UnavailableError(f"cannot write to {error.filename or target}: {error.strerror}") from None
    done = _inspect(target, "")
    lacking = [extra for extra in extras if extra not in done.parsers]
    if lacking:
        raise UnavailableError(f"{target} still lacks {', '.join(lacking)}")
    return done


def _present(target: Path) -> Installation | None:
    """The installation that the folder already has; ``None`` if it has none. Raises if the folder has other files."""
    if not target.exists():
        return None
    if target.is_dir() and not any(target.iterdir()):
        return None
    return _inspect(target, "")


def _move_folder(jars: Path, target: Path) -> None:
    # With the permissions of the user's other folders: the temporary folder was private.
    mask = os.umask(0)
    os.umask(mask)
    jars.chmod(0o777 & ~mask)
    try:
        jars.replace(target)
    except OSError:
        # Another installation finished first.
        if _present(target) is None:
            raise


def _pom(classifiers: list[str]) -> str:
    dependencies = "".join(
        "<dependency><groupId>edu.stanford.nlp</groupId><artifactId>stanford-corenlp</artifactId>"
        f"<version>{VERSION}</version>{f'<classifier>{name}</classifier>' if name else ''}</dependency>"
        for name in classifiers
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>merge-baseline</groupId><artifactId>corenlp</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )


def _run_maven(maven: str, scratch: Path, jars: Path, classifiers: list[str], progress: Callable[[str], None]) -> None:
    pom = scratch / "pom.xml"
    pom.write_text(_pom(classifiers), encoding="utf-8")
    command = [maven, "-B", "-C", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
    if "" not in classifiers:
        # The folder has everything else.
        command.append("-DexcludeTransitive=true")
    problem = ""
    with subprocess.Popen(  # noqa: S603  # the user's Maven with our arguments, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=scratch,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                if match := re.search(r"(Downloading|Downloaded) from \S+: \S+/(\S+\.jar)(.*)", line):
                    progress(f"{match[1].lower()} {match[2]}{match[3].rstrip()}")
                elif line.startswith("[ERROR]") and not problem:
                    problem = line.removeprefix("[ERROR]").split("-> [Help")[0].strip()
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise UnavailableError(f"Maven could not fetch CoreNLP: {problem or f'exit code {process.returncode}'}")
