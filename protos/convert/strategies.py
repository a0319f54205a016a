"""Strategy specs and descriptions: merger's types to messages and back."""

from __future__ import annotations

from collections.abc import Mapping

from merger.strategies import Option, OptionValue, StrategyInfo
from merger.taggers.base import TaggerInfo
from protos.merge_baseline import v1

_TYPES: dict[str, v1.OptionType] = {
    "string": v1.OptionType.OPTION_TYPE_STRING,
    "integer": v1.OptionType.OPTION_TYPE_INTEGER,
    "number": v1.OptionType.OPTION_TYPE_NUMBER,
    "boolean": v1.OptionType.OPTION_TYPE_BOOLEAN,
}

_INT64 = 2**63


def spec_to_message(name: str, options: Mapping[str, OptionValue]) -> v1.StrategySpec:
    """A strategy's name and the options to set, in their order."""
    settings = [v1.OptionSetting(name=option, value=value_to_message(value)) for option, value in options.items()]
    return v1.StrategySpec(name=name, options=settings)


def spec_from_message(message: v1.StrategySpec) -> tuple[str, dict[str, OptionValue]]:
    """A strategy's name and the options to set, in their order."""
    return message.name, {setting.name: value_from_message(setting.value) for setting in message.options}


def tagger_to_message(tagger: TaggerInfo) -> v1.Tagger:
    """The description of a tagger."""
    return v1.Tagger(name=tagger.name, summary=tagger.summary, signature=tagger.signature)


def tagger_from_message(message: v1.Tagger) -> TaggerInfo:
    """The description of a tagger."""
    return TaggerInfo(message.name, message.summary, message.signature)


def value_to_message(value: OptionValue) -> v1.OptionValue:
    """A value by its type. A whole number of more than 64 bits becomes text."""
    if isinstance(value, bool):
        return v1.OptionValue(flag=value)
    if isinstance(value, int):
        return v1.OptionValue(integer=value) if -_INT64 <= value < _INT64 else v1.OptionValue(text=str(value))
    if isinstance(value, float):
        return v1.OptionValue(number=value)
    return v1.OptionValue(text=value)


def value_from_message(message: v1.OptionValue) -> OptionValue:
    """A value by its type. Raises ``ValueError`` if there is none."""
    match message.WhichOneof("kind"):
        case "text":
            return message.text
        case "integer":
            return message.integer
        case "number":
            return message.number
        case "flag":
            return message.flag
        case _:
            raise ValueError("no value")


def info_to_message(strategy: StrategyInfo) -> v1.Strategy:
    """The description of a strategy."""
    return v1.Strategy(
        name=strategy.name,
        summary=strategy.summary,
        options=[_option_to_message(option) for option in strategy.options],
        needs_key=strategy.needs_key,
        needs_tags=strategy.needs_tags,
        unavailable_reason=strategy.unavailable,
    )


def info_from_message(message: v1.Strategy) -> StrategyInfo:
    """The description of a strategy."""
    return StrategyInfo(
        name=message.name,
        summary=message.summary,
        options=tuple(_option_from_message(option) for option in message.options),
        needs_key=message.needs_key,
        needs_tags=message.needs_tags,
        unavailable=message.unavailable_reason if message.HasField("unavailable_reason") else None,
    )


def _option_to_message(option: Option) -> v1.Option:
    return v1.Option(
        name=option.name,
        type=_TYPES[option.type_name],
        default_value=value_to_message(option.default),
        help=option.help,
        choices=option.choices,
        low=option.low,
        high=option.high,
        optional_in_signature=option.optional,
    )


def _option_from_message(message: v1.Option) -> Option:
    return Option(
        name=message.name,
        default=value_from_message(message.default_value),
        help=message.help,
        choices=tuple(message.choices),
        low=message.low if message.HasField("low") else None,
        high=message.high if message.HasField("high") else None,
        optional=message.optional_in_signature,
    )
