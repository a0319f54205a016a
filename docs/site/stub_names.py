"""Griffe extension: the names that the stub of a package imports are its public names."""

import griffe


class StubNames(griffe.Extension):
    """Griffe itself expects a list ``__all__``."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Export the names that only the stub has."""
        names: list[str | griffe.ExprName] = [
            name for name, member in pkg.members.items() if member.is_alias and not member.runtime
        ]
        if names:
            pkg.exports = names
