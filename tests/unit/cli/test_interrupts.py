"""Ctrl-C: the first one lets the block in hand finish, the second one ends at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from placement_cli.cli.interrupts import Interrupt, graceful_interrupts

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def ignore(_signal: int, _frame: FrameType | None) -> None:
    """Do nothing."""


@pytest.fixture(autouse=True)
def own_handlers() -> Iterator[None]:
    """Puts known handlers in place for a test, so that none ends the test run."""
    before = {number: signal.signal(number, ignore) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_noted_and_told(number: signal.Signals) -> None:
    """Nothing is interrupted; the user reads what happens now and what a second Ctrl-C does."""
    told: list[str] = []
    with graceful_interrupts(told.append) as interrupt:
        assert not interrupt.requested
        signal.raise_signal(number)
        assert interrupt.requested
    assert told == ["Stopping after this block; its results are kept. Ctrl-C again ends at once."]


@pytest.mark.parametrize("second", SIGNALS)
def test_the_second_signal_ends_at_once(second: signal.Signals) -> None:
    """Whichever two they are, the second raises; it is told only once."""
    told: list[str] = []
    with graceful_interrupts(told.append):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(second)
    assert len(told) == 1


def test_handlers_are_put_back() -> None:
    """After the run signals do what they did before, also when it ended in an error."""
    with graceful_interrupts(print):
        assert signal.getsignal(signal.SIGINT) is not ignore
    assert [signal.getsignal(number) for number in SIGNALS] == [ignore, ignore]
    with pytest.raises(ZeroDivisionError), graceful_interrupts(print):
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in SIGNALS] == [ignore, ignore]


def test_a_message_that_cannot_be_written_now_does_no_harm() -> None:
    """A signal in the middle of a write to the same stream is noted all the same."""

    def busy(_: str) -> None:
        raise RuntimeError("reentrant call")

    interrupt = Interrupt(busy)
    interrupt.handle(signal.SIGINT, None)
    assert interrupt.requested
