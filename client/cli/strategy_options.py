"""The options that choose a strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from merger.strategies import STRATEGIES, Option, OptionValue, parse_spec

_TYPES: Final[dict[type, click.ParamType[Any]]] = {str: click.STRING, int: click.INT, float: click.FLOAT}


def strategy_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--strategy``, ``--option`` and a flag for each option that a strategy marks with ``flag``.

    Strategies that have an option of the same name share the flag.
    """
    decorators: list[Callable[[Callable[..., object]], Callable[..., object]]] = [
        click.option(
            "-s",
            "--strategy",
            "spec",
            default="greedy",
            show_default=True,
            metavar="NAME[:OPTION=VALUE,...]",
            shell_complete=complete_spec,
            help=f"One of {', '.join(STRATEGIES)}. `merge-baseline strategies` describes them.",
        ),
        click.option(
            "--option",
            "pairs",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the strategy. Can be given several times.",
        ),
        *(_flag(name, owners) for name, owners in _flags().items()),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _flags() -> dict[str, dict[str, Option]]:
    """The options that are flags, by option name and strategy name."""
    flags: dict[str, dict[str, Option]] = {}
    for strategy in STRATEGIES.values():
        for option in strategy.options:
            if option.flag:
                flags.setdefault(option.name, {})[strategy.name] = option
    return flags


def _flag(name: str, owners: Mapping[str, Option]) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """The flag for an option. Where strategies differ in the values that they take, the strategy checks the value."""
    texts = []
    for strategy, option in owners.items():
        plain = option.default == "" or isinstance(option.default, bool)
        texts.append(f"{strategy}: {option.help}{'.' if plain else f'. Default: {option.show(option.default)}.'}")
    first, *others = owners.values()
    if isinstance(first.default, bool):
        return click.option(f"--{name}", is_flag=True, default=None, help=" ".join(texts))
    kind: click.ParamType[Any] = click.STRING
    if all((type(each.default), each.choices) == (type(first.default), first.choices) for each in others):
        kind = click.Choice(first.choices) if first.choices else _TYPES[type(first.default)]
    return click.option(f"--{name}", type=kind, default=None, help=" ".join(texts))


def chosen_strategy(
    spec: str, pairs: tuple[str, ...], flags: dict[str, OptionValue | None]
) -> tuple[str, dict[str, OptionValue]]:
    """The strategy's name, and its options from ``--strategy``, ``--option`` and flags.

    ``flags`` are the values of flags by parameter name. Raises ``click.UsageError`` for a pair without ``=`` and for an
    option with two values.
    """
    name, options = checked_spec(spec)
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--option {pair}: expected NAME=VALUE")
        _set(options, option, value)
    for flag, setting in flags.items():
        if setting is not None:
            _set(options, flag.replace("_", "-"), setting)
    return name, options


def checked_spec(spec: str) -> tuple[str, dict[str, OptionValue]]:
    """``NAME[:OPTION=VALUE,...]`` taken apart. Raises ``click.UsageError`` for an option with two values."""
    name, colon, tail = spec.partition(":")
    options: dict[str, OptionValue] = {}
    for item in tail.split(",") if colon else ():
        for option, value in parse_spec(f"{name}:{item}")[1].items():
            _set(options, option, value)
    return parse_spec(name)[0], options


def complete_spec(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001  # click's signature
    """Complete ``NAME[:OPTION=VALUE,...]``: names, options after the colon, and their values after ``=``."""
    name, colon, tail = incomplete.partition(":")
    if not colon:
        found = [each for each in STRATEGIES.values() if each.name.startswith(name)]
        return [CompletionItem(each.name, help=each.summary) for each in found]
    if name not in STRATEGIES:
        return []
    before, comma, last = tail.rpartition(",")
    given = {item.partition("=")[0] for item in before.split(",")}
    front = f"{name}:{before}{comma}"
    option_name, equals, value = last.partition("=")
    options = [option for option in STRATEGIES[name].options if option.name not in given]
    if not equals:
        names = [f"{each.name}{'' if isinstance(each.default, bool) else '='}" for each in options]
        return [CompletionItem(front + each) for each in names if each.startswith(option_name)]
    choices = next((_choices(option) for option in options if option.name == option_name), ())
    return [CompletionItem(f"{front}{option_name}={each}") for each in choices if each.startswith(value)]


def _choices(option: Option) -> tuple[str, ...]:
    return ("yes", "no") if isinstance(option.default, bool) else option.choices


def _set(options: dict[str, OptionValue], name: str, value: OptionValue) -> None:
    if name in options and options[name] != value:
        raise click.UsageError(f"option {name} is given twice: {options[name]} and {value}")
    options[name] = value
