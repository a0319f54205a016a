"""Messages that are well encoded and still wrong: changed in a few fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

_M = TypeVar("_M", bound=Message)

_TEXTS = (
    "",
    "d",
    "0",
    "1",
    "greedy",
    "oracle",
    "none",
    "match",
    "head",
    "threshold",
    "yes",
    "nan",
    "NN",
    "York",
    "\x00",
    "é" * 9,
)
_INTEGERS = (0, 1, 2, 3, 7, 100, 2**31 - 1)
_NUMBERS = (0.0, -1.0, 1e308, float("inf"), float("nan"), 90.0)

_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    FieldDescriptor.CPPTYPE_STRING: st.sampled_from(_TEXTS) | st.text(max_size=3),
    FieldDescriptor.CPPTYPE_UINT32: st.sampled_from((*_INTEGERS, 2**32 - 1)),
    FieldDescriptor.CPPTYPE_INT32: st.sampled_from((*_INTEGERS, -1, -2, -(2**31))),
    FieldDescriptor.CPPTYPE_INT64: st.sampled_from((*_INTEGERS, -1, -(2**63), 2**63 - 1)),
    FieldDescriptor.CPPTYPE_DOUBLE: st.sampled_from(_NUMBERS),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
}


@st.composite
def changed(draw: st.DrawFn, seeds: Sequence[_M]) -> _M:
    """A seed with up to five changes, each somewhere in the tree of its fields."""
    seed = draw(st.sampled_from(seeds))
    message = type(seed)()
    message.CopyFrom(seed)
    for _ in range(draw(st.integers(1, 5))):
        _change(draw, message)
    return message


@st.composite
def changed_list(draw: st.DrawFn, seeds: Sequence[Sequence[_M]]) -> list[_M]:
    """The messages of a stream, one of them perhaps changed, in an order that is perhaps another."""
    messages = list(draw(st.sampled_from(seeds)))
    at = draw(st.integers(0, len(messages) - 1))
    kind = draw(st.sampled_from(("change", "repeat", "take out", "none")))
    if kind == "change":
        messages[at] = draw(changed([messages[at]]))
    elif kind == "repeat":
        messages.insert(draw(st.integers(0, len(messages))), messages[at])
    elif kind == "take out":
        del messages[at]
    return messages


def _change(draw: Callable[[st.SearchStrategy[Any]], Any], message: Message) -> None:
    field = draw(st.sampled_from(tuple(message.DESCRIPTOR.fields)))
    name = field.name
    if field.is_repeated:
        _change_list(draw, getattr(message, name), field)
    elif field.message_type is None:
        setattr(message, name, draw(_SCALARS[field.cpp_type]))
    elif message.HasField(name) and draw(st.integers(0, 9)) == 0:
        message.ClearField(name)
    else:
        _change(draw, getattr(message, name))


def _change_list(draw: Callable[[st.SearchStrategy[Any]], Any], entries: Any, field: FieldDescriptor) -> None:  # noqa: ANN401  # a list of protobuf's own
    kind = draw(st.sampled_from(("change", "change", "add", "repeat", "take out", "empty")))
    if not entries or kind == "add":
        if field.message_type is None:
            entries.append(draw(_SCALARS[field.cpp_type]))
        else:
            entries.add()
        return
    at = draw(st.integers(0, len(entries) - 1))
    if kind == "repeat":
        entries.append(entries[at])
    elif kind == "take out":
        del entries[at]
    elif kind == "empty":
        del entries[:]
    elif field.message_type is None:
        entries[at] = draw(_SCALARS[field.cpp_type])
    else:
        _change(draw, entries[at])
