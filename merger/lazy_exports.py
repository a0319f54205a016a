"""Public names of a package that are imported when they are asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_exports(
    package: str, modules: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__`` (PEP 562), given the names that each module has to offer."""
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        try:
            module = home[name]
        except KeyError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        from importlib import import_module

        return getattr(import_module(module), name)

    return get, lambda: list(home)
