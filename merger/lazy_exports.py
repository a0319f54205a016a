"""Imports the public names of a package on first use."""

from __future__ import annotations

# Without the typing module, which takes longer to import than all that short commands need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def lazy_exports(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__`` (PEP 562).

    The public names are those that the package's stub, ``__init__.pyi``, imports. Type checkers and editors read the
    same file. Each of its imports is on a line of its own, as ruff writes them: ``from module import name as name``.

    Args:
        package: the package's ``__name__``.
        file: the package's ``__file__``.
    """
    modules: dict[str, str] = {}

    def public() -> dict[str, str]:
        """The module of every public name."""
        if not modules:
            # pathlib takes longer to import than all that short commands need.
            with open(file.rpartition("__init__")[0] + "__init__.pyi", encoding="utf-8") as stub:  # noqa: PTH123
                lines = [line.split() for line in stub if line.startswith("from ")]
            modules.update({name: module for _, module, _, name, _, _ in lines})
        return modules

    def get(name: str) -> object:
        if name == "__all__":
            return list(public())
        if name not in public():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(public()[name]), name)

    return get, lambda: list(public())
