"""Checks of Python, the package's requirements, and its extras."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version

from client.doctor.findings import FEATURES, Finding, Level

_NAME = "merge-baseline"
_OLDEST = (3, 11)
_REQUIREMENT = re.compile(r"([\w.-]+)\s*([^;]*)(?:;.*extra == ['\"]([\w-]+)['\"])?")
_CLAUSE = re.compile(r"(==|>=|<)\s*([\d.]+)")


def check_packages(wanted: Collection[str]) -> list[Finding]:
    """Check Python and packages. What a feature in ``wanted`` lacks is a failure."""
    needs = requires_by_extra()
    return [_python(), _core(needs.get("", ())), _generated(), *_extras(needs, wanted)]


def requires_by_extra() -> dict[str, list[tuple[str, str]]]:
    """The package's requirements as pairs of name and version clauses, by extra; ``""`` for the core."""
    needs: dict[str, list[tuple[str, str]]] = {}
    try:
        lines = requires(_NAME) or []
    except PackageNotFoundError:
        lines = []
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found is not None:
            needs.setdefault(found[3] or "", []).append((found[1], found[2].strip()))
    return needs


def problems(needs: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The packages that are not installed, and those whose version does not match."""
    missing: list[str] = []
    unfit: list[str] = []
    for name, clauses in needs:
        try:
            installed = version(name)
        except PackageNotFoundError:
            missing.append(name)
            continue
        if not fits(installed, clauses):
            unfit.append(f"{name} {installed} (needed: {clauses})")
    return missing, unfit


def fits(installed: str, clauses: str) -> bool:
    """Whether a version matches clauses with ``>=``, ``<`` and ``==``. Only release numbers are compared."""
    numbers = _numbers(installed)
    for relation, limit in _CLAUSE.findall(clauses):
        other = _numbers(limit)
        size = max(len(numbers), len(other))
        left, right = (_padded(each, size) for each in (numbers, other))
        if not {"==": left == right, ">=": left >= right, "<": left < right}[relation]:
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def _padded(numbers: tuple[int, ...], size: int) -> tuple[int, ...]:
    return numbers + (0,) * (size - len(numbers))


def _python() -> Finding:
    found = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sys.version_info < _OLDEST:
        return Finding("Python", Level.FAIL, found, "use Python 3.11 or newer")
    return Finding("Python", Level.OK, found)


def _core(needs: Sequence[tuple[str, str]]) -> Finding:
    if not needs:
        return Finding(
            "package", Level.WARN, f"{_NAME} is not installed, but runs from a folder", f"pip install {_NAME}, or -e ."
        )
    missing, unfit = problems(needs)
    if missing or unfit:
        what = "; ".join([f"missing: {', '.join(missing)}"] * bool(missing) + unfit)
        return Finding("package", Level.FAIL, what, f"pip install --upgrade {_NAME}")
    return Finding("package", Level.OK, f"{_NAME} {version(_NAME)} with all its requirements")


def _generated() -> Finding:
    """Generated code refuses versions of protobuf and grpcio that are older than those that generated it."""
    try:
        import_module("protos.merge_baseline.v1.chain_merge_service_pb2_grpc")
    except Exception as error:  # noqa: BLE001  # these libraries raise various errors for a wrong version
        return Finding("gRPC", Level.FAIL, f"{type(error).__name__}: {error}", f"pip install --upgrade {_NAME}")
    return Finding("gRPC", Level.OK, f"grpcio {version('grpcio')}, protobuf {version('protobuf')}")


def _extras(needs: dict[str, list[tuple[str, str]]], wanted: Collection[str]) -> Iterable[Finding]:
    for extra in FEATURES:
        if extra not in needs:
            continue
        missing, unfit = problems(needs[extra])
        check, advice = f"extra {extra}", f"pip install '{_NAME}[{extra}]'"
        if unfit:
            yield Finding(check, Level.FAIL, "; ".join(unfit), advice)
        elif missing:
            level = Level.FAIL if extra in wanted else Level.WARN
            yield Finding(check, level, f"not installed: {', '.join(missing)}", f"{advice}, if you need it")
        else:
            yield Finding(check, Level.OK, ", ".join(f"{name} {version(name)}" for name, _ in needs[extra]))
