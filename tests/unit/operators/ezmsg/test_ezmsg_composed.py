"""Several processors as one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from placement_cli.errors import InternalError
from placement_cli.operators.ezmsg.composed import Chain, Pairing


class Queues:
    """A processor of two inputs that takes them from asyncio queues, as those of ezmsg-sigproc do."""

    def __init__(self) -> None:
        self.a: asyncio.Queue[str] = asyncio.Queue()
        self.b: asyncio.Queue[str] = asyncio.Queue()

    def push_a(self, message: str) -> None:
        """Put a message into the first queue."""
        self.a.put_nowait(message)

    def push_b(self, message: str) -> None:
        """Put a message into the second queue."""
        self.b.put_nowait(message)

    async def __acall__(self) -> str:
        """Write the oldest messages side by side."""
        return f"({await self.a.get()} {await self.b.get()})"


class Slow(Queues):
    """One that gives way to others before it begins."""

    async def __acall__(self) -> str:
        """Wait, if only for a turn."""
        await asyncio.sleep(0)
        return ""


def test_a_chain_hands_the_message_on() -> None:
    """The second processor gets what the first one returns."""
    chain: Any = Chain((lambda message: f"{message} a", lambda message: f"{message} b"))
    assert chain("m") == "m a b"


def test_branches_are_joined_from_the_left() -> None:
    """Each processor joins one more branch to the result so far, message after message."""
    pairing = Pairing([Queues(), Queues()])
    assert [pairing("a", "b", "c"), pairing("d", "e", "f")] == ["((a b) c)", "((d e) f)"]


def test_no_event_loop_is_needed() -> None:
    """The coroutine never waits, so that it runs without a loop, and within one as well."""

    async def within() -> str:
        return str(Pairing([Queues()])("a", "b"))

    assert asyncio.run(within()) == Pairing([Queues()])("a", "b") == "(a b)"


def test_a_processor_that_waits_with_both_inputs_there_is_a_fault() -> None:
    """Stepped by hand it would never go on; the error says what happened."""
    with pytest.raises(InternalError, match="waits although both"):
        Pairing([Slow()])("a", "b")
