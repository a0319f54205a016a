"""Markers for what a test needs beside this process, worked out from the helpers and fixtures that it uses.

So nobody has to think of them. Only what no helper shows is marked by hand, such as a program that a test fetches. A
marker can carry the reason why the test cannot run on this machine: ``pytest.mark.java("no java")``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import pytest

KINDS = {
    "browser": "opens pages in Chromium",
    "java": "runs Java: CoreNLP, or Maven",
    "large": "works on so much that it takes many seconds",
    "network": "may fetch something from the network",
    "ray": "starts a Ray cluster",
    "server": "starts server processes, or worker processes",
    "torch": "imports torch",
}
"""What each marker says of a test."""

HELPERS = {
    "tests.engines.disturbed.run_limited": "server",
    "tests.engines.disturbed.started": "server",
    "tests.engines.test_local._both": "server",
    "tests.report.conftest.chromium": "browser",
    "tests.service.conftest.by_processes": "server",
    "tests.support.command_line.serving": "server",
    "tests.service.test_served_taggers.address": "server",
    "tests.taggers.conftest._train": "torch",
}
"""Functions of tests, and the marker of whatever calls them."""


def skip_if_missing(item: pytest.Item) -> None:
    """Skip a test with a marker that says why it cannot run here."""
    for mark in item.iter_markers():
        if mark.name in KINDS and any(mark.args):
            pytest.skip(str(mark.args[0]))


def kinds_of(item: pytest.Item) -> set[str]:
    """The markers that a collected test gets from what it, its fixtures, and the helpers of both call."""
    if not isinstance(item, pytest.Function):
        return set()
    fixtures = [each.func for found in item._fixtureinfo.name2fixturedefs.values() for each in found]
    return kinds_of_functions([item.function, *fixtures])


def kinds_of_functions(functions: Iterable[Callable[..., Any]]) -> set[str]:
    """The markers of what these functions of tests call, directly or through other functions and classes of tests."""
    kinds: set[str] = set()
    seen: set[FunctionType] = set()
    pending = list(_own(functions))
    while pending:
        function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        kind = HELPERS.get(f"{function.__module__}.{function.__qualname__}")
        if kind is not None:
            kinds.add(kind)
        names = _names(function.__code__)
        pending += _own(value for name, value in function.__globals__.items() if name in names)
    return kinds


def _own(values: Iterable[Any]) -> Iterable[FunctionType]:
    """The functions among these values that tests define, and the methods of their classes."""
    for value in values:
        methods = vars(value).values() if inspect.isclass(value) and _is_own(value) else (value,)
        for each in methods:
            function = inspect.unwrap(each) if callable(each) else getattr(each, "fget", None)
            if isinstance(function, FunctionType) and _is_own(function):
                yield function


def _is_own(value: type | FunctionType) -> bool:
    return f"{value.__module__}".startswith("tests.")


def _names(code: Any) -> set[str]:  # noqa: ANN401  # a code object, whose type has another name in every checker
    """The names that a function's code uses, with those of the functions inside it."""
    inside = (each for each in code.co_consts if inspect.iscode(each))
    return set(code.co_names).union(*map(_names, inside))
