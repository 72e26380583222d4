"""Watching must not break what is watched."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from placement_cli.tracing.guard import SENTENCES_AT_MOST, guarded


@dataclass
class Noted:
    unseen: set[str] = field(default_factory=set)


@guarded
def divide(recorder: Noted, by: int) -> float:
    """Return a number, or fail."""
    return 1 / by


@guarded
def interrupt(recorder: Noted) -> None:
    """Stand for a Ctrl-C at this moment."""
    raise KeyboardInterrupt


def test_a_fault_is_told_and_goes_no_further() -> None:
    """The sentence says where and what."""
    recorder = Noted()
    assert (divide(recorder, 2), recorder.unseen) == (0.5, set())
    assert divide(recorder, 0) is None
    assert recorder.unseen == {"Recording failed in divide (ZeroDivisionError: division by zero)."}


def test_an_interruption_is_the_programs() -> None:
    """Ctrl-C reaches it wherever it comes."""
    with pytest.raises(KeyboardInterrupt):
        interrupt(Noted())


def test_many_faults_make_a_few_sentences() -> None:
    """A record does not grow without end."""
    recorder = Noted()

    @guarded
    def fail(noted: Noted, number: int) -> None:
        raise ValueError(number)

    for number in range(100):
        fail(recorder, number)
    assert len(recorder.unseen) == SENTENCES_AT_MOST
