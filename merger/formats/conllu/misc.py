"""The MISC column: attributes ``Name=Value`` separated by bars, ``_`` if there are none."""

from __future__ import annotations

COLUMNS = 10
"""The number of columns of a row; MISC is the last."""

_CELLS_KEPT = 1 << 14


def split_end(cell: str) -> tuple[str, str]:
    """A cell, and the blanks and line end after it."""
    text = cell.rstrip()
    return text, cell[len(text) :]


def get_attribute(cell: str, name: str) -> str:
    """The value of an attribute, empty if there is none."""
    key = f"{name}="
    start = 0 if cell.startswith(key) else cell.find(f"|{key}") + 1
    if start == 0 and not cell.startswith(key):
        return ""
    return cell[start + len(key) :].partition("|")[0].strip()


class Values(dict[str, str]):
    """A cache from a cell to the value of one attribute. Keeps some thousands."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, cell: str) -> str:
        if len(self) >= _CELLS_KEPT:
            self.clear()
        value = self[cell] = get_attribute(cell, self._name)
        return value


def set_attribute(cell: str, name: str, value: str) -> str:
    """The cell with an attribute changed, removed (empty value), or added at its place in the alphabet.

    If it is there twice, one is left. Text after the cell on its line stays.
    """
    text, end = split_end(cell)
    attributes = [] if text == "_" else text.split("|")
    indexes = [index for index, attribute in enumerate(attributes) if attribute.startswith(f"{name}=")]
    if indexes:
        for index in reversed(indexes[1:]):
            del attributes[index]
        attributes[indexes[0] : indexes[0] + 1] = [f"{name}={value}"] if value else []
    elif value:
        names = [attribute.partition("=")[0] for attribute in attributes]
        later = (index for index, other in enumerate(names) if other.casefold() > name.casefold())
        attributes.insert(next(later, len(attributes)), f"{name}={value}")
    return ("|".join(attributes) or "_") + end
