"""The budget of bytes, and which strategy a message asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protos.merge_baseline import v1
from service.errors import OverloadedError
from service.rpc.strategy_peek import strategy_of_document, strategy_of_stream
from service.work.budget import Budget, Share
from tests.support.running_server import request
from tests.support.samples import long_document


async def settle() -> None:
    """Let tasks run as far as they get."""
    for _ in range(5):
        await asyncio.sleep(0)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_a_message_larger_than_the_budget_fits_when_nothing_else_is_held() -> None:
    budget = Budget(10)
    assert budget.fits(11)
    budget.hold(11)
    assert not budget.fits(1)
    budget.free(11)
    assert budget.fits(10)


def test_those_who_wait_get_room_in_their_order_and_nobody_gets_before_them() -> None:
    async def test() -> None:
        budget = Budget(10)
        budget.hold(8)
        large = asyncio.create_task(budget.hold_in_turn(9))
        await settle()
        small = asyncio.create_task(budget.hold_in_turn(1))
        await settle()
        # There would be room for the small one, but then the large one might wait for ever.
        assert not budget.fits(1)
        assert not small.done()
        budget.free(8)
        await settle()
        assert large.done()
        assert small.done()
        assert budget.held == 10

    run(test())


def test_who_gives_up_waiting_holds_nothing_and_lets_the_next_one_in() -> None:
    async def test() -> None:
        budget = Budget(10)
        budget.hold(8)
        large, small = (asyncio.create_task(budget.hold_in_turn(count)) for count in (9, 1))
        await settle()
        large.cancel()
        await settle()
        assert small.done()
        assert budget.held == 9
        assert budget.waiting_bytes == 0

    run(test())


def test_once_as_much_waits_as_may_be_held_the_next_is_refused() -> None:
    async def test() -> None:
        budget = Budget(10)
        budget.hold(10)
        waiting = asyncio.create_task(budget.hold_in_turn(8))
        await settle()
        with pytest.raises(OverloadedError, match="8 bytes wait"):
            await budget.hold_in_turn(3)
        fits = asyncio.create_task(budget.hold_in_turn(2))
        await settle()
        budget.free(10)
        await settle()
        assert waiting.done()
        assert fits.done()

    run(test())


def test_what_is_being_received_counts_before_more_is_let_in() -> None:
    budget = Budget(10)
    budget.hold(4)
    budget.receiving = 6
    assert not budget.is_full
    budget.receiving = 7
    assert budget.is_full


def test_who_is_cancelled_just_as_there_is_room_gives_it_back() -> None:
    async def test() -> None:
        budget = Budget(10)
        budget.hold(8)
        waiting = asyncio.create_task(budget.hold_in_turn(5))
        await settle()
        budget.free(8)
        waiting.cancel()
        await settle()
        assert waiting.cancelled()
        assert budget.held == 0

    run(test())


@given(counts=st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=20))
def test_a_share_gives_back_all_that_it_holds(counts: list[tuple[int, bool]]) -> None:
    budget = Budget(100)
    share = Share(budget)
    held = 0
    for count, frees in counts:
        if frees:
            share.free(count)
            held = max(0, held - count)
        else:
            share.hold(count)
            held += count
        assert budget.held == held
    share.free()
    assert budget.held == 0


@given(name=st.text(max_size=20), parts=st.integers(0, 3), keep=st.booleans())
def test_the_strategy_is_found_beside_a_document(*, name: str, parts: int, keep: bool) -> None:
    message = request(long_document(parts), name)
    message.keep_singletons = keep
    assert strategy_of_document(message.SerializeToString()) == name


@given(name=st.text(max_size=20), document_id=st.text(max_size=20))
def test_the_strategy_is_found_in_a_setup(name: str, document_id: str) -> None:
    setup = v1.MergeStreamSetup(document_id=document_id, strategy=v1.StrategySpec(name=name))
    assert strategy_of_stream(v1.MergeStreamRequest(setup=setup).SerializeToString()) == name


def test_of_a_strategy_that_comes_twice_the_last_name_counts_as_when_it_is_decoded() -> None:
    data = (
        request(long_document(1), "greedy").SerializeToString() + request(long_document(1), "none").SerializeToString()
    )
    assert v1.MergeDocumentRequest.FromString(data).strategy.name == "none"
    assert strategy_of_document(data) == "none"


@given(data=st.binary(max_size=200))
def test_damaged_messages_ask_for_something_or_nothing(data: bytes) -> None:
    assert isinstance(strategy_of_document(data), str)
    assert isinstance(strategy_of_stream(data), str)


def test_a_message_made_to_be_slow_to_look_at_is_given_up() -> None:
    # Ten million fields of two bytes, before the strategy.
    data = b"\x18\x01" * 10_000_000 + request(long_document(1)).SerializeToString()
    assert strategy_of_document(data) == ""
