"""Memory over time, sampled by a thread that the program does not see among its own."""

from __future__ import annotations

import _thread
import os
import resource
import sys
from collections.abc import Callable
from time import perf_counter_ns, thread_time_ns
from typing import Any

from placement_cli.tracing.collecting import PAUSES
from placement_cli.tracing.guard import admit, guarded
from placement_cli.tracing.raw import RawMemory
from placement_cli.tracing.recorder import Recorder

PAUSE_S = 0.01
STOPS_WITHIN_S = 10.0
"""A process whose thread has vanished, as in a child that C code forked, must come to its end all the same."""
SAMPLES_AT_MOST = 400
"""When so many are there, every second one is dropped and the pause doubled."""
WRITE_FIRST_S, WRITE_LATER, WRITE_AT_MOST_S = 0.25, 2, 1.0
"""A record is written as soon as there is something to tell, for processes that are soon killed, then after twice as
long each time, and every second in the end."""
WRITE_SHARE = 100
"""It is written again when at least this many times as long has passed as writing it took."""


class Sampler:
    """Takes samples, and calls `write` now and then, in a thread of its own."""

    def __init__(self, recorder: Recorder, write: Callable[[], None]) -> None:
        self._recorder, self._write = recorder, write
        self._pause_s = PAUSE_S
        self._awake = self._done = _thread.allocate_lock()
        self._stopping = False
        self._running = False
        self.samples: list[RawMemory] = []
        self.spent_ns = 0

    def start(self) -> None:
        """Begin to sample; nothing where it has begun."""
        if not self._running:
            self._stopping = False
            self._awake, self._done = _thread.allocate_lock(), _thread.allocate_lock()
            self._awake.acquire()
            self._done.acquire()
            # Set before: the thread may ask. Where there can be no thread, as when Python ends, nothing is sampled.
            self._running = True
            try:
                _thread.start_new_thread(self._run, ())
            except RuntimeError as error:
                self._running = False
                admit(self._recorder, "starting to sample", error)

    def forked(self) -> None:
        """Begin anew in a child process, where the thread is not."""
        running, self._running = self._running, False
        self.samples, self.spent_ns, self._pause_s = [], 0, PAUSE_S
        if running:
            self.start()

    def stop(self) -> None:
        """End the thread, and take a last sample."""
        if self._running:
            self._stopping = True
            self._awake.release()
            self._done.acquire(timeout=STOPS_WITHIN_S)
            self._running = False
            sample(self._recorder, self)

    def _run(self) -> None:
        """Sample and write until told to stop; whatever goes wrong, whoever waits for the end does not wait in vain."""
        done = self._done
        try:
            self._sample_and_write()
        except Exception as error:  # noqa: BLE001 - as in `guarded`
            admit(self._recorder, "sampling", error)
        finally:
            done.release()

    def _sample_and_write(self) -> None:
        next_sample, next_write, pause_s = 0, 0, WRITE_FIRST_S
        while not self._stopping:
            # What waits for the program's threads costs them nothing.
            start, ran = perf_counter_ns(), thread_time_ns()
            PAUSES.begin()
            try:
                if start >= next_sample:
                    sample(self._recorder, self)
                    next_sample = start + int(1e9 * self._pause_s)
                if start >= next_write and self._recorder.points:
                    self._write()
                    took_s = (thread_time_ns() - ran) / 1e9
                    next_write = start + int(1e9 * max(pause_s, WRITE_SHARE * took_s))
                    pause_s = min(WRITE_LATER * pause_s, WRITE_AT_MOST_S)
                self.spent_ns += thread_time_ns() - ran
                wait_s = min(self._pause_s, WRITE_AT_MOST_S)
            finally:
                PAUSES.end()
            # Not a sleep: whoever ends this does not wait for it. And no keyword: that would make an object.
            self._awake.acquire(True, wait_s)

    def sample(self) -> None:
        """Take one sample."""
        core = self._recorder.core
        if core is None or not self._recorder.is_used():
            return
        at = (perf_counter_ns() - self._recorder.origin) / 1e9
        active, cache, peak = core.get_active_memory(), core.get_cache_memory(), core.get_peak_memory()
        self.samples.append(RawMemory(at, active, cache, peak, resident_bytes(), self._recorder.pending_ops()))
        if len(self.samples) >= SAMPLES_AT_MOST:
            self.samples = self.samples[::2]
            self._pause_s *= 2


@guarded
def sample(_recorder: Recorder, sampler: Sampler) -> None:
    """Take one sample; a counter that a build does not have is no reason to stop."""
    sampler.sample()


PAGE: Any = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
STATM = "/proc/self/statm"


def resident_bytes() -> int:
    """Return the resident memory of this process; where the system does not tell, the most it ever was."""
    try:
        with open(STATM, "rb") as file:  # noqa: PTH123 - every sample counts
            return int(file.read().split()[1]) * int(PAGE)
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
