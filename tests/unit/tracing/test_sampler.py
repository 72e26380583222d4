"""Memory is sampled by a thread that the program does not see among its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from placement_cli.tracing.sampler import PAUSE_S, SAMPLES_AT_MOST, Sampler, resident_bytes


class Core:
    """Counts like MLX, and notes who asks."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def get_active_memory(self) -> int:
        """Return bytes."""
        self.asked.append(threading.get_ident())
        return 1

    def get_cache_memory(self) -> int:
        """Return bytes."""
        return 2

    def get_peak_memory(self) -> int:
        """Return bytes."""
        return 3


@dataclass
class Recorded:
    """Stands for the recorder."""

    core: Any = field(default_factory=Core)
    used: bool = True
    points: tuple[int, ...] = (1,)
    origin: int = 0

    def is_used(self) -> bool:
        """Tell whether this process did anything with MLX."""
        return self.used

    def pending_ops(self) -> int:
        """Return how many operations wait."""
        return 4


class Written:
    """Notes when a record is written, and lets a test wait for that."""

    def __init__(self) -> None:
        self.times = 0
        self.first = threading.Event()

    def __call__(self) -> None:
        """Write once more."""
        self.times += 1
        self.first.set()


@pytest.fixture
def running() -> Iterator[tuple[Sampler, Recorded, Written]]:
    """A sampler that runs, what it asks, and what it writes."""
    recorded, written = Recorded(), Written()
    sampler = Sampler(recorded, written)  # type: ignore[arg-type] # It stands for the recorder.
    sampler.start()
    yield sampler, recorded, written
    sampler.stop()


def test_the_thread_is_not_among_those_of_the_program(running: tuple[Sampler, Recorded, Written]) -> None:
    """Neither listed nor counted, so that programs that wait for all others end."""
    _, recorded, written = running
    assert written.first.wait(30)
    assert set(recorded.core.asked) - {each.ident for each in threading.enumerate()}
    assert threading.active_count() == len(threading.enumerate())
    assert not any(each.ident in recorded.core.asked for each in threading.enumerate())


def test_a_sample_is_what_the_counters_say(running: tuple[Sampler, Recorded, Written]) -> None:
    """The last one is taken when it stops."""
    sampler, _, written = running
    assert written.first.wait(30)
    sampler.stop()
    last = sampler.samples[-1]
    assert (last.active, last.cache, last.peak, last.pending_ops) == (1, 2, 3, 4)
    assert last.resident > 1 << 20
    assert sampler.spent_ns > 0


def test_it_stops_at_once_however_long_it_pauses() -> None:
    """A program that ran for hours does not wait at its end."""
    sampler = Sampler(Recorded(), Written())  # type: ignore[arg-type] # It stands for the recorder.
    sampler._pause_s = 1e6
    sampler.start()
    sampler.stop()
    sampler.stop()
    sampler.start()
    sampler.stop()


def test_samples_are_thinned_out_evenly() -> None:
    """Twice as long between those to come."""
    sampler = Sampler(Recorded(), Written())  # type: ignore[arg-type] # It stands for the recorder.
    for _ in range(SAMPLES_AT_MOST + 50):
        sampler.sample()
    assert len(sampler.samples) == SAMPLES_AT_MOST // 2 + 50
    assert sampler._pause_s == 2 * PAUSE_S
    moments = [each.at_s for each in sampler.samples]
    assert moments == sorted(moments)


@pytest.mark.parametrize("recorded", [Recorded(core=None), Recorded(used=False)], ids=["no MLX", "not used"])
def test_mlx_is_left_alone_where_the_process_does(recorded: Recorded) -> None:
    """A forked process may hang when it asks: another thread of its parent may have held a lock."""
    sampler = Sampler(recorded, Written())  # type: ignore[arg-type] # It stands for the recorder.
    sampler.sample()
    assert sampler.samples == []
    assert recorded.core is None or recorded.core.asked == []


def test_nothing_is_written_while_there_is_nothing_to_tell() -> None:
    """Records of processes without points would be in the way."""
    recorded, written = Recorded(points=()), Written()
    sampler = Sampler(recorded, written)  # type: ignore[arg-type] # It stands for the recorder.
    sampler.start()
    while len(sampler.samples) < 3:
        pass
    sampler.stop()
    assert written.times == 0


def test_a_child_process_samples_for_itself(running: tuple[Sampler, Recorded, Written]) -> None:
    """The thread is not there after a fork; another one begins, with no samples."""
    sampler, _, written = running
    assert written.first.wait(30)
    sampler.stop()
    sampler._running = True
    written.first.clear()
    sampler.forked()
    assert written.first.wait(30)


def test_resident_memory_is_known() -> None:
    """Where the system does not list it, the most it ever was stands for it."""
    held = bytearray(1 << 20)
    assert resident_bytes() > len(held)
