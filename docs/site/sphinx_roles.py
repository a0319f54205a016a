"""Griffe extension: docstrings as Sphinx reads them, turned into Markdown for mkdocstrings.

Editors and ``help()`` show the docstrings as they are. No published extension converts roles.
"""

import re

import griffe

_ROLE = re.compile(r":(?:class|meth|func|attr|data|mod):`(~?)([^`]+)`")
_LITERAL = re.compile(r"::(?=\n\n +\S)")
_DOCTEST = re.compile(r"(?:^>>> .*\n?(?:^(?:\.\.\. .*|[^>\n].*)\n?)*)+", re.MULTILINE)


class SphinxRoles(griffe.Extension):
    """Roles become links where the site has their target, and code elsewhere."""

    def on_instance(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring is not None:
            text = _DOCTEST.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value)
            text = _LITERAL.sub(":", text)
            obj.docstring.value = _ROLE.sub(lambda found: _link(found, obj), text)


def _link(role: re.Match[str], obj: griffe.Object) -> str:
    short, name = role.groups()
    shown = name.rpartition(".")[2] if short else name
    return f'<autoref identifier="{_target(name, obj)}" optional><code>{shown}</code></autoref>'


def _target(name: str, obj: griffe.Object) -> str:
    """The full path of a name that may be relative to the class or the module it is used in."""
    first, dot, rest = name.partition(".")
    try:
        return f"{obj.resolve(first)}{dot}{rest}"
    except griffe.NameResolutionError:
        return name
