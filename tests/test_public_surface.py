import ast
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ("client", "merger")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_imported(package: str) -> None:
    module = import_module(package)

    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(dir(module)) == set(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_exactly_the_public_names(package: str) -> None:
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))

    imported = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}

    assert imported == set(module.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        import_module("merger").no_such_name  # noqa: B018  # the access is what is tested
