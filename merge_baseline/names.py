"""Checks that this project's top-level names lead to its own files.

``client``, ``merger``, ``protos``, ``server`` and ``service`` are common names. Python imports the first one on
``sys.path``, and a script's own folder comes first there. A package that imports another one of them checks it first.
"""

from __future__ import annotations

import os.path
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

NAMES = ("client", "merger", "protos", "server", "service")
HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  # pathlib is slow to import
"""The folder of all of them: ``site-packages``, or a checkout."""

_own: set[str] = set()


def require(*names: str) -> None:
    """Raise an ImportError that names the file if Python imports another module under one of these names."""
    for name in names:
        if name in _own:
            continue
        path = file_in_the_way(name)
        if path is not None:
            raise ImportError(_message(name, path), name=name, path=path)
        _own.add(name)


def file_in_the_way(name: str) -> str | None:
    """The file or folder that Python imports under a name of :data:`NAMES`, if it is not this project's."""
    module = sys.modules.get(name)
    spec = _find(name) if module is None else module.__spec__
    if spec is None:
        return None
    path = spec.origin
    if path is None:
        # A folder without __init__.py.
        path = next(iter(spec.submodule_search_locations or ()), name)
    elif spec.submodule_search_locations is not None:
        path = os.path.dirname(path)  # noqa: PTH120
    return None if _is_home(os.path.dirname(path)) else path  # noqa: PTH120


def modules_in(folder: str, names: tuple[str, ...] = NAMES) -> list[str]:
    """The modules of other projects in a folder that Python imports under these names if it looks there first."""
    if _is_home(folder):
        return []
    # Python prefers any regular module to a folder without __init__.py.
    paths = [os.path.join(folder, name) for name in names]  # noqa: PTH118
    packages = [path for path in paths if os.path.isfile(os.path.join(path, "__init__.py"))]  # noqa: PTH113, PTH118
    return packages + [f"{path}.py" for path in paths if os.path.isfile(f"{path}.py")]  # noqa: PTH113


def _find(name: str) -> ModuleSpec | None:
    """As ``importlib.util.find_spec``, without the time that its import takes."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None)
        if spec is not None:
            return spec
    return None


def _is_home(folder: str) -> bool:
    if folder == HOME:
        return True
    try:
        # The same folder can be on the path by a link.
        return os.path.samefile(folder or ".", HOME)  # noqa: PTH121
    except OSError:
        return False


def _message(name: str, path: str) -> str:
    if {"site-packages", "dist-packages"} & set(path.split(os.sep)):  # noqa: PTH206  # as above
        advice = "Install merge-baseline in an environment of its own, or uninstall the package that brought it."
    else:
        advice = "Rename it, or run your program where it is not on sys.path."
    return f"{path} is in the way: merge-baseline has a module {name!r} of its own, and Python finds this one. {advice}"
