"""Signals to the one who traces reach the program."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from placement_cli.diagnose.program.passing_on import PASSED_ON, PassingOn, passing_on


def ignore(_signal: int, _frame: FrameType | None) -> None:
    """Do nothing."""


@pytest.fixture(autouse=True)
def own_handlers() -> Iterator[None]:
    """Puts known handlers in place for a test, so that none ends the test run."""
    before = {number: signal.signal(number, ignore) for number in PASSED_ON}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_each_signal_is_handed_on_once() -> None:
    """Those that came before the program ran reach it as soon as it does."""
    sent: list[int] = []
    with passing_on(lambda: False) as signals:
        signal.raise_signal(signal.SIGINT)
        assert sent == []
        signals.to(sent.append)
        assert sent == [signal.SIGINT]
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.raise_signal(number)
    assert sent == [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


def test_what_a_key_sent_is_not_sent_again() -> None:
    """In the foreground of a terminal the program has it already; who sends another one is believed."""
    sent: list[int] = []
    signals = PassingOn(lambda: True)
    signals.to(sent.append)
    signals.handle(signal.SIGINT, None)
    assert sent == []
    signals.handle(signal.SIGTERM, None)
    signals.handle(signal.SIGINT, None)
    assert sent == [signal.SIGTERM, signal.SIGINT]


def test_what_is_ignored_stays_ignored() -> None:
    """As under nohup, which the program is to inherit; other handlers are put back at the end."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with passing_on(lambda: False):
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is not ignore
    assert signal.getsignal(signal.SIGINT) is ignore
