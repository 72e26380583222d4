"""Plays a program message by message, for many placements at once: the host clock, and the device behind it.

A discrete-event model of one host thread and one device that works in order (after Lumos and LogP: CPU thread,
device queue, dependencies; equations in docs/advise.md):

    build     t += build
    submit    t += submit_call + ops * submit_op (+ submit_asleep when the device has long had nothing to do)
              f  = max(t, f) (+ wake when it was idle) + device time
              when the queue is full: t = the moment when enough of it is done
    sync      t  = f + round_trip, if that is later than t; t += sync_call
    window:K  likewise, with the moment when the message K back was done for f
    work      t += w, longer for the time that the device works beside it, and the device likewise
    read      submits what is left, then as sync, and t += handing over

`t` is the host's clock and `f` the moment when the device is done with all it has. What is outstanding is counted in
device time, which says the same as counting messages where messages are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from placement_cli.timeline.costs import Costs
from placement_cli.timeline.program import Flags, Program, Step, Vector
from placement_cli.timeline.schedule import EVERY, SYNC, WINDOW, Batch, Event, Schedule, schedule

WARM_UP = 6
"""Messages before the counted ones: with at most `PLAYED_AHEAD` outstanding, the long run is reached by then."""
COUNTED = 6
PLAYED_AHEAD = 3.0
"""The queue is played at most this many messages deep: depth changes memory and latency, not the long run."""
SAME = 1e-9
"""States of two cycles that differ by less, as a share, are the same: all that follows repeats."""
REMEMBERED = 8
"""Messages back that a window looks; a deeper one waits for the oldest of these: nothing changes once it is full."""
LONGEST_CYCLE = 64
"""Messages after which patterns that repeat later are cut off."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came out, by placement: seconds a message in the long run unless said otherwise.

    `latency_s` has one row a counted message. `blocked_s` is the part of `held_s` in which a full queue held the host,
    `waited_s` the part in which it waited for values. `capacity` is how many messages may be outstanding before
    submitting blocks, `ahead` how many were (capacity where it blocked). `longest_s` is the device time of the longest
    single submission.
    """

    period_s: Vector
    held_s: Vector
    busy_s: Vector
    device_s: Vector
    latency_s: Vector
    blocked_s: Vector
    waited_s: Vector
    capacity: Vector
    ahead: Vector
    longest_s: Vector
    plan: Schedule


def play(program: Program, batch: Batch, costs: Costs) -> Played:
    """Play every placement of `batch` until messages repeat, and return what one takes in the long run."""
    plan = schedule(program, batch, costs.held_byte_s, costs.queue.buffer_ops)
    return _Player(program, batch, costs, plan).run()


class _Player:
    def __init__(self, program: Program, batch: Batch, costs: Costs, plan: Schedule) -> None:
        self.program, self.batch, self.costs, self.plan = program, batch, costs, plan
        rows = len(batch)
        self.t, self.f = np.zeros(rows), np.zeros(rows)
        self.busy, self.held, self.device = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self.blocked, self.waited = np.zeros(rows), np.zeros(rows)
        self.done: dict[int, Vector] = {}
        self.history: list[Vector] = [np.zeros(rows)]
        windows = batch.codes == WINDOW
        deepest = max([int(batch.depths[windows].max(initial=0)), *(step.lag for step in program.steps)])
        self.looks_back = min(REMEMBERED, deepest) + 1
        self.events = {event.step: event for event in plan.events}
        self.per_message_s = self._per_message("device_s")
        self.capacity = self._capacity()
        kinds = [step.contention for step in program.steps if step.kind == "work"]
        self.lingering = next((kind for kind in kinds if kind in costs.lingering), "")
        self.acts = _compressed(program, frozenset(self.events), merging=not self.lingering)

    def run(self) -> Played:
        """Play the warm-up, then whole cycles, and return the averages of the latter."""
        cycle = self._cycle()
        begun, settled = self._warm_up(cycle)
        counted = cycle if settled else cycle * -(-COUNTED // cycle)
        begin, state = self.t.copy(), [x.copy() for x in (self.held, self.busy, self.device, self.blocked, self.waited)]
        done_before = np.maximum(self.t, self.f)
        latencies = [self._message(begun + number) for number in range(counted)]
        done_after = np.maximum(self.t, self.f)
        held, busy, device, blocked, waited = (
            (now - before) / counted
            for now, before in zip((self.held, self.busy, self.device, self.blocked, self.waited), state, strict=True)
        )
        period = np.maximum(self.t - begin, done_after - done_before) / counted
        if self.program.source_period_s is not None:  # a cycle cut short begins and ends at messages of unlike length
            period = np.maximum(self.program.source_period_s, np.maximum(held, device))
        ahead = np.where(blocked > 0.0, self.capacity, np.maximum(1.0, self._outstanding()))
        longest = np.max([event.device_s for event in self.plan.events], axis=0) if self.plan.events else held * 0.0
        return Played(
            period, held, busy, device, np.array(latencies), blocked, waited, self.capacity, ahead, longest, self.plan
        )

    def _warm_up(self, cycle: int) -> tuple[int, bool]:
        """Play until two cycles end in the same state, at most `WARM_UP` messages; return how many, and whether so."""
        before: Vector | None = None
        for number in range(WARM_UP):
            self._message(number)
            if (number + 1) % cycle or len(self.history) <= self.looks_back:
                continue
            now = self._state(number)
            if before is not None and np.allclose(now, before, rtol=SAME, atol=1e-15):
                return number + 1, True
            before = now
        return WARM_UP, False

    def _state(self, number: int) -> Vector:
        """Return all that the next message depends on: the device's moments, and the arrival, from the host's clock."""
        moments = self.history[-self.looks_back :]
        if self.program.source_period_s is not None:
            moments = [*moments, np.full(len(self.batch), (number + 1) * self.program.source_period_s)]
        return np.array(moments) - self.t

    def _cycle(self) -> int:
        periods = {int(period) for event in self.plan.events for period in np.unique(event.period[event.active])}
        return min(LONGEST_CYCLE, lcm(*periods, *(step.period for step in self.program.steps)))

    def _per_message(self, name: str) -> Vector:
        total = np.zeros(len(self.batch))
        for event in self.plan.events:
            total += np.where(event.active, getattr(event, name) / event.period, 0.0)
        return total

    def _capacity(self) -> Vector:
        queue = self.costs.queue
        used = self._per_message("calls") / queue.calls + self._per_message("ops") / queue.ops
        used = used + self._per_message("parts") / (queue.buffer_tasks + 1.0)
        with np.errstate(divide="ignore"):
            return np.where(used > 0, 1.0 / np.maximum(used, 1e-300), np.inf)

    def _outstanding(self) -> Vector:
        """Return how many messages the device still has when the host is through with one, at least the newest."""
        left = np.maximum(self.f - self.t, 0.0)
        return np.where(self.per_message_s > 0, 1.0 + left / np.maximum(self.per_message_s, 1e-300), 1.0)

    def _message(self, number: int) -> Vector:
        arrival = self.t.copy()
        if self.program.source_period_s is not None:
            arrival = np.full(len(self.batch), number * self.program.source_period_s)
            self.t = np.maximum(self.t, arrival)
        begin = self.t.copy()
        self.done.clear()
        read = False
        for place, step in self.acts:
            if (number + 1) % step.period:
                continue
            self._step(place, step, number)
            read = read or (step.kind == "read" and not step.lag)
        self.held += self.t - begin
        self.history.append(self.f.copy())
        finished = self.t if read else np.maximum(self.t, self.f)
        return finished - arrival

    def _step(self, place: int, step: Step, number: int) -> None:
        if step.kind == "work":
            self._spend(step.seconds + self.costs.starting_s.get(step.contention, 0.0), step.contention)
        elif step.kind == "read":
            self._read(place, step, number)
        else:
            self._spend(step.seconds)
            if place in self.events:
                self._point(self.events[place], step, number)

    def _spend(self, seconds: float | Vector, kind: str = "") -> None:
        """Let the host work for `seconds` alone, longer while the device works beside it, and the device likewise."""
        kind = kind or self.lingering
        if kind:
            beside = np.maximum(self.f - self.t, 0.0)
            seconds = seconds + self.costs.host_slowing.get(kind, 0.0) * np.minimum(seconds, beside)
            self.f = self.f + self.costs.device_slowing.get(kind, 0.0) * np.minimum(beside, seconds)
        self.t = self.t + seconds
        self.busy += seconds

    def _point(self, event: Event, step: Step, number: int) -> None:
        now = event.active & ((number + 1) % event.period == 0)
        self._submit(event, now, step.submit_s)
        codes, depths = self.batch.codes[:, step.node], self.batch.depths[:, step.node]
        every = now & ((codes == SYNC) | (codes == EVERY))
        self._wait(every, self.f)
        self._spend(np.where(every, self.costs.sync_call_s, 0.0))
        behind = now & (codes == WINDOW)
        if behind.any():
            self._wait(behind, self._done_back(depths))

    def _done_back(self, depths: NDArray[np.signedinteger]) -> Vector:
        """Return when the device was done with the message `depths` messages back, as far back as is remembered."""
        known = np.array(self.history[-REMEMBERED:])
        back = np.minimum(depths, len(known))
        return np.asarray(known[-back, np.arange(len(self.batch))])

    def _submit(self, event: Event, now: Flags, stated_s: float | None = None) -> None:
        """Hand the event's work to the device, where there is any, and wait while the queue is full.

        `stated_s` is how long the host takes for it, None for what the constants say.
        """
        costs = self.costs
        work = now & (event.calls > 0)
        if not work.any():
            return
        asleep, before = self._asleep(), self.f
        call = costs.submit_call_s + asleep * costs.submit_asleep_s
        first, whole = (call + ops * costs.submit_op_s for ops in (np.minimum(event.ops, 1.0), event.ops))
        if stated_s is not None:
            first, whole = first * stated_s / np.maximum(whole, 1e-300), np.full(len(work), stated_s)
        begin = self.t + first
        self._spend(np.where(work, whole, 0.0))
        start = np.maximum(begin if costs.streams else self.t, self.f)
        idle = start - self.f
        device = self._device_time(event, idle)
        end = start + (idle > 0) * costs.wake_s + device
        if costs.streams:
            end = np.maximum(end, self.t + event.last_s)
        self.f = np.where(work, end, self.f)
        self.device += np.where(work, device, 0.0)
        self.done[event.step] = self.f.copy()
        full = self.f - np.minimum(self.capacity, PLAYED_AHEAD) * self.per_message_s
        full = np.where(self.capacity >= 1.0, np.minimum(full, before), full)
        held = work & (full > self.t)
        self.blocked += np.where(held, full - self.t, 0.0)
        self.t = np.where(held, full, self.t)

    def _asleep(self) -> Vector:
        """Return how far asleep the device is, from 0 while it works to 1 when it has long been idle."""
        idle = np.maximum(self.t - self.f, 0.0)
        if self.lingering:
            return np.zeros(len(idle))
        if self.costs.asleep_after_s <= 0:
            return (idle > 0).astype(np.float64)
        return np.asarray(1.0 - np.exp(-np.square(idle / self.costs.asleep_after_s)))

    def _device_time(self, event: Event, idle: Vector) -> Vector:
        """Return the device time of a submission: the longer of what is stated after idling and what idling slows."""
        base, later = event.device_s, event.idle_device_s
        if not self.costs.idle:
            return np.where(idle > 0, later, base)
        times, ratios = zip(*self.costs.idle, strict=True)
        slowed = base + np.minimum(base, self.costs.slowed_s) * (np.interp(idle, times, ratios) - 1.0)
        return np.where(idle > 0, np.where(later > base, np.maximum(later, slowed), slowed), base)

    def _wait(self, which: Flags, until: Vector) -> None:
        """Let the host wait for what is done at `until`, 0 for nothing; it knows a round trip after that."""
        after = until + self.costs.round_trip_s
        late = which & (after > self.t) & (until > 0)
        self.waited += np.where(late, after - self.t, 0.0)
        self.busy += np.where(late, self.costs.wait_busy_s, 0.0)
        self.t = np.where(late, after, self.t)

    def _read(self, place: int, step: Step, number: int) -> None:
        event = self.events[place]
        self._submit(event, event.active & ((number + 1) % event.period == 0))
        owners = self.plan.owner[:, step.node]
        until = np.zeros(len(self.batch))
        for owner, done in self.done.items():
            until = np.where(owners == owner, done, until)
        if step.lag:
            until = np.where(owners == place, until, self._done_back(np.full(len(until), step.lag)))
        self._wait(np.ones(len(self.batch), dtype=bool), until)
        self._spend(step.seconds)


def _compressed(program: Program, submitting: frozenset[int], merging: bool) -> list[tuple[int, Step]]:
    """Return the steps with their numbers; with `merging`, host time between which nothing else happens is added up."""
    acts: list[tuple[int, Step]] = []
    for number, step in enumerate(program.steps):
        plain = step.kind == "host" or (step.kind == "node" and number not in submitting)
        if merging and plain and acts and acts[-1][1].kind == "host" and acts[-1][1].period == step.period:
            before = acts.pop()
            acts.append((number, Step("host", before[1].seconds + step.seconds, period=step.period)))
        elif plain:
            acts.append((number, Step("host", step.seconds, period=step.period)))
        else:
            acts.append((number, step))
    return acts
