"""Processors of ezmsg-sigproc put together where one operator takes several of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from placement_cli.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence


@dataclass(frozen=True, slots=True)
class Chain:
    """Processors that hand the message on to one another."""

    processors: Sequence[Any]

    def __call__(self, message: Any) -> Any:
        """Return what the last processor makes of `message`."""
        for processor in self.processors:
            message = processor(message)
        return message


@dataclass(frozen=True, slots=True)
class Pairing:
    """Processors of two inputs, one fewer than there are branches: each joins one more branch to the result.

    They take their inputs from asyncio queues. In a graph the event loop runs them when both are there; their
    synchronous call starts a loop of its own for each message, which costs a hundred times the work. So the
    coroutine is stepped by hand: with both messages in the queues it never waits.
    """

    processors: Sequence[Any]

    def __call__(self, *messages: Any) -> Any:
        """Return the joined message."""
        first, *others = messages
        return reduce(_joined, zip(self.processors, others, strict=True), first)


def _joined(result: Any, pair: tuple[Any, Any]) -> Any:
    processor, message = pair
    processor.push_a(result)
    processor.push_b(message)
    return _finish(processor.__acall__())


def _finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise InternalError("a processor of ezmsg-sigproc waits although both of its inputs are there")
