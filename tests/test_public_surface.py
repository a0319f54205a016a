import ast
import subprocess
import sys
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
    assert module.__all__


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_exactly_the_public_names(package: str) -> None:
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8"))

    imported = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]

    assert imported == list(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_star_import_has_every_public_name(package: str) -> None:
    code = f"from {package} import *; import {package}; print(set({package}.__all__) - set(globals()))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "set()\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        import_module("merger").no_such_name  # noqa: B018  # the access is what is tested
