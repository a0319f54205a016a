"""The options that choose a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from merger.strategies import STRATEGIES, OptionValue, parse_spec
from merger.strategies.greedy import GreedyStrategy


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
    kind: click.ParamType[Any] = click.Choice(option.choices) if option.choices else click.FLOAT
    return click.option(f"--{name}", type=kind, default=None, help=f"{text}. Default: {option.show(option.default)}.")


def chosen_strategy(
    spec: str, pairs: tuple[str, ...], flags: dict[str, OptionValue | None]
) -> tuple[str, dict[str, OptionValue]]:
    """The strategy's name and the options given for it, by whatever way.

    ``flags`` are the greedy flags by parameter name. Raises ``click.UsageError`` for a pair without ``=``.
    """
    name, options = parse_spec(spec)
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--option {pair}: NAME=VALUE is expected")
        _set(options, option, value)
    for flag, setting in flags.items():
        if setting is not None:
            _set(options, flag.replace("_", "-"), setting)
    return name, options


def _set(options: dict[str, OptionValue], name: str, value: OptionValue) -> None:
    if name in options and options[name] != value:
        raise click.UsageError(f"option {name} is given twice: {options[name]} and {value}")
    options[name] = value
