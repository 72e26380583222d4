"""Bytes in flight: the messages that are outstanding, times what each keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placement_cli.timeline.costs import Costs, QueueRule
from placement_cli.timeline.memory import in_flight_bytes, messages_ahead
from placement_cli.timeline.play import play
from placement_cli.timeline.program import Program
from placement_cli.timeline.schedule import Batch

MakeChain = Callable[..., Program]
MakeBatch = Callable[..., Batch]

COSTS = Costs(submit_call_s=4e-6, submit_op_s=2e-6, round_trip_s=30e-6, queue=QueueRule(calls=110.0, ops=55.0))
CAPACITY = 110 / 5
"""Messages of one call and two ops that fill the queue."""


def ahead(program: Program, placements: Batch, messages: int | None = None, costs: Costs = COSTS) -> list[float]:
    """Return how many messages are outstanding, by placement."""
    return list(messages_ahead(program, placements, play(program, placements, costs), messages))


def test_a_slow_device_lets_the_host_run_ahead_until_the_queue_is_full(chain: MakeChain, batch: MakeBatch) -> None:
    """A long stream that the device cannot follow has as many messages outstanding as the queue holds."""
    assert ahead(chain(boundary=False), batch(["off", "async"])) == pytest.approx([CAPACITY])


def test_a_short_run_does_not_get_that_far(chain: MakeChain, batch: MakeBatch) -> None:
    """In ten messages the host gets ahead by what it is faster in each of them."""
    host, device = 28e-6, 200e-6

    assert ahead(chain(boundary=False), batch(["off", "async"]), 10) == pytest.approx([1 + 10 * (1 - host / device)])


@pytest.mark.parametrize("placement", [["off", "sync"], ["sync", "sync"]])
def test_waiting_for_each_message_keeps_one_outstanding(
    chain: MakeChain, batch: MakeBatch, placement: list[str]
) -> None:
    """Under SYNC there is only the message that is being worked on."""
    assert ahead(chain(boundary=False), batch(placement)) == [1.0]


def test_a_host_that_is_slower_keeps_one_outstanding(chain: MakeChain, batch: MakeBatch) -> None:
    """Where the device waits for the host there is only the message that is being worked on."""
    assert ahead(chain(work_s=1e-3, boundary=False), batch(["off", "async"])) == [1.0]


def test_a_window_allows_one_more_than_its_depth(chain: MakeChain, batch: MakeBatch) -> None:
    """The message that is being submitted comes on top of those that the window lets pass."""
    assert ahead(chain(boundary=False), batch(["off", "window:3"])) == [4.0]


def test_a_queue_too_small_for_a_message_still_holds_one(chain: MakeChain, batch: MakeBatch) -> None:
    """A message that fills the queue more than once is outstanding itself."""
    costs = replace(COSTS, queue=QueueRule(ops=1.0))

    assert ahead(chain(boundary=False), batch(["off", "async"]), costs=costs) == [1.0]


def test_each_outstanding_message_keeps_its_source_and_all_its_values(chain: MakeChain, batch: MakeBatch) -> None:
    """Bytes are messages times source and nodes, and what the reader still has of the message before."""
    program, placements = chain(boundary=False), batch(["off", "async"], ["off", "sync"])
    played = play(program, placements, COSTS)

    found = in_flight_bytes(program, placements, played, source_bytes=500.0, kept_bytes=1000.0)

    assert found == pytest.approx([CAPACITY * 2500.0 + 1000.0, 3500.0])


def test_evaluation_where_it_is_read_keeps_only_fresh_buffers(chain: MakeChain, batch: MakeBatch) -> None:
    """Without a point in the code values are written into buffers of others, down to source and output at least."""
    program, placements = chain(nodes=4), batch(["off"] * 4, ["off", "off", "off", "sync"])
    played = play(program, placements, COSTS)

    few, least = (
        in_flight_bytes(program, placements, played, source_bytes=500.0, kept_bytes=1000.0, fresh_bytes=fresh)
        for fresh in (2500.0, 500.0)
    )

    assert list(few) == [2500.0, 5500.0]
    assert list(least) == [1500.0, 5500.0]
