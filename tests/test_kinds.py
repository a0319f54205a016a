"""A test gets the markers of what it needs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from tests.support import command_line
from tests.support.command_line import PROGRAM, serving
from tests.support.kinds import HELPERS, KINDS, kinds_of_functions
from tests.support.peers import Restarted


def _itself() -> None:
    with serving():
        pass


def _through_a_function() -> None:
    _itself()


def _through_a_class_of_another_module() -> None:
    Restarted("--workers", "0").kill()


def _through_a_function_inside() -> Callable[[], None]:
    def inside() -> None:
        _itself()

    return inside


def _in_a_comprehension() -> list[Callable[[], None]]:
    return [_itself for _ in range(2)]


def _no_server() -> str:
    return command_line.output_of(PROGRAM)


@pytest.mark.parametrize(
    "function",
    [_itself, _through_a_function, _through_a_class_of_another_module, _through_a_function_inside, _in_a_comprehension],
)
def test_a_function_that_starts_a_server_in_some_way_has_its_kind(function: Callable[[], object]) -> None:
    assert kinds_of_functions([function]) == {"server"}


def test_a_function_that_starts_none_has_none() -> None:
    assert kinds_of_functions([_no_server]) == set()


@pytest.fixture
def server_starter() -> Callable[[], None]:
    return _itself


@pytest.mark.usefixtures("server_starter")
def test_a_test_has_the_markers_of_its_fixtures(request: pytest.FixtureRequest) -> None:
    assert {mark.name for mark in request.node.iter_markers()} & set(KINDS) == {"server"}


@pytest.mark.parametrize("name", HELPERS)
def test_every_helper_with_a_marker_exists(name: str) -> None:
    module, _, helper = name.rpartition(".")

    assert callable(getattr(import_module(module), helper))
    assert HELPERS[name] in KINDS
