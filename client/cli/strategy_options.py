"""The options that choose a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from merger.strategies import STRATEGIES, Option, OptionValue, parse_spec
from merger.strategies.greedy.strategy import GreedyStrategy


def strategy_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--strategy``, ``--option`` and one flag for each option of the greedy rule."""
    decorators: list[Callable[[Callable[..., object]], Callable[..., object]]] = [
        click.option(
            "-s",
            "--strategy",
            "spec",
            default="greedy",
            show_default=True,
            metavar="NAME[:OPTION=VALUE,...]",
            shell_complete=complete_spec,
            help=f"One of {', '.join(STRATEGIES)}; see `merge-baseline strategies`.",
        ),
        click.option(
            "--option",
            "pairs",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the strategy; may be repeated.",
        ),
        *(_flag(option.name) for option in GreedyStrategy.options),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _flag(name: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    option = next(each for each in GreedyStrategy.options if each.name == name)
    text = f"greedy: {option.help}"
    if isinstance(option.default, bool):
        return click.option(f"--{name}", is_flag=True, default=None, help=text)
    kind: click.ParamType[Any] = click.FLOAT
    if isinstance(option.default, str):
        kind = click.Choice(option.choices) if option.choices else click.STRING
    default = f" Default: {option.show(option.default)}." if option.default != "" else ""
    return click.option(f"--{name}", type=kind, default=None, help=f"{text}.{default}")


def chosen_strategy(
    spec: str, pairs: tuple[str, ...], flags: dict[str, OptionValue | None]
) -> tuple[str, dict[str, OptionValue]]:
    """The strategy's name and the options given for it, by whatever way.

    ``flags`` are the greedy flags by parameter name. Raises ``click.UsageError`` for a pair without ``=`` and for an
    option with two values.
    """
    name, options = checked_spec(spec)
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--option {pair}: NAME=VALUE is expected")
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
    """What ``NAME[:OPTION=VALUE,...]`` may go on with: names, behind the colon options, behind ``=`` their values."""
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
