"""Messages that arrive at a fixed rate: latency from arrival to values, misses, and the time left free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window
from placement_cli.measure.readings.paced import take_paced
from placement_cli.measure.sample import Sample

RATE = 100.0
PERIOD_S = 0.01


def take(stand: Any, count: int, *modes: Mode, read_s: float = 0.0) -> Sample:
    """Take a sample of `count` messages, 100 a second; reading the values of one takes `read_s`."""

    def read(sink: Any) -> None:
        stand.log.append(f"read {sink}")
        stand.clock.advance(read_s)

    return take_paced(stand.rig, list(range(count)), RATE, modes, read, stand.instruments)


def fed_and_read(log: Sequence[str]) -> list[str]:
    """Return only feeding and reading, in order."""
    return ["feed" if entry.startswith("feed") else entry for entry in log if entry.startswith(("feed", "read"))]


def test_slack_of_the_timer_is_no_latency(make_stand: Any, fake_clock: Any) -> None:
    """A source that is woken 3 ms late delivers late; the pipeline is not to blame."""
    sample = take(make_stand(fake_clock(slack_s=0.003)), 5)
    assert sample.latency_s == pytest.approx([0.001] * 5)
    assert sample.missed == 0


def test_slack_does_not_add_up(make_stand: Any, fake_clock: Any) -> None:
    """Messages are due at the rate from the beginning, however late the timer was before."""
    sample = take(make_stand(fake_clock(slack_s=0.003)), 11)
    assert sample.dispatch_s == pytest.approx(10 * PERIOD_S + 0.003 + 0.001)


def test_backlog_is_latency(make_stand: Any) -> None:
    """When messages take longer than a period, each waits for those before it, and all of them are late."""
    sample = take(make_stand(message_s=0.015), 4)
    assert sample.latency_s == pytest.approx([0.015, 0.020, 0.025, 0.030])
    assert sample.missed == 4


def test_missed_counts_messages_later_than_a_period(make_stand: Any) -> None:
    """One long reading makes its message late, and only those that waited for it."""
    stand = make_stand()
    costs = iter([0.0, 0.012, 0.0, 0.0])

    def read(_: Any) -> None:
        stand.clock.advance(next(costs))

    sample = take_paced(stand.rig, list(range(4)), RATE, [ASYNC], read, stand.instruments)
    assert sample.latency_s == pytest.approx([0.001, 0.013, 0.004, 0.001])
    assert sample.missed == 1


@pytest.mark.parametrize("modes", [(), (OFF,), (ASYNC,), (SYNC,), (every(1), SYNC)], ids=str)
def test_values_are_read_at_once(stand: Any, modes: Sequence[Mode]) -> None:
    """Without a window the values of a message are read before the next one is fed."""
    take(stand, 3, *modes)
    assert fed_and_read(stand.log) == ["feed", "read out 0", "feed", "read out 1", "feed", "read out 2"]


def test_a_window_reads_as_many_messages_later(stand: Any) -> None:
    """With window:2 a message is read when the second one after it was fed, and the last two at the end."""
    sample = take(stand, 4, window(2))
    assert fed_and_read(stand.log) == [
        *("feed", "feed", "feed", "read out 0", "feed", "read out 1"),
        *("read out 2", "read out 3"),
    ]
    assert sample.latency_s == pytest.approx([2 * PERIOD_S + 0.001] * 2 + [PERIOD_S + 0.001, 0.001])


def test_every_reads_at_the_kth_message(stand: Any) -> None:
    """With every:3 three messages are read together, and what is left at the end."""
    sample = take(stand, 4, every(3))
    assert fed_and_read(stand.log) == [
        *("feed", "feed", "feed", "read out 0", "read out 1", "read out 2"),
        *("feed", "read out 3"),
    ]
    assert sample.latency_s == pytest.approx([0.021, 0.011, 0.001, 0.001])


def test_sinks_that_differ_are_read_when_the_last_is_offered(stand: Any) -> None:
    """With every:3 at one sink and window:2 at another, a message waits for its third one and for two more."""
    take(stand, 6, every(3), window(2))
    assert fed_and_read(stand.log) == [
        *("feed", "feed", "feed", "read out 0", "feed", "read out 1", "feed", "read out 2", "feed", "read out 3"),
        *("read out 4", "read out 5"),
    ]


def test_every_sink_is_read(stand: Any) -> None:
    """A message is there when the last of its sinks is."""
    stand.rig.run = lambda messages: (f"one {messages[0]}", f"two {messages[0]}")
    sample = take(stand, 1, read_s=0.002)
    assert fed_and_read(stand.log) == ["read one 0", "read two 0"]
    assert sample.latency_s == pytest.approx([0.004])


def test_free_share_is_the_time_between_messages(stand: Any) -> None:
    """A message that keeps the host for 4 of 10 ms leaves it free for 60 %."""
    assert take(stand, 5, read_s=0.003).free_share == pytest.approx(0.6)


def test_a_host_that_falls_behind_has_no_time_left(make_stand: Any) -> None:
    """The free share does not fall below zero."""
    assert take(make_stand(message_s=0.03), 3).free_share == 0.0


def test_complete_ends_with_the_fence(stand: Any) -> None:
    """What is read, evaluated and fenced after the last message counts for complete, not for dispatch."""
    stand.device.costs_s = {"evaluate": 0.5}
    sample = take(stand, 2, window(1), read_s=0.002)
    assert sample.dispatch_s == pytest.approx(PERIOD_S + 0.003)
    assert sample.complete_s == pytest.approx(PERIOD_S + 0.003 + 0.002 + 0.5)
    assert stand.rig.last == ()
