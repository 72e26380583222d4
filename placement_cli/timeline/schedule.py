"""Which evaluation point or read submits which nodes: worked out for many placements at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placement_cli.timeline.program import Flags, Program, Vector

OFF, ASYNC, SYNC, WINDOW, EVERY = range(5)
"""Modes as numbers in a batch, in the order of `graph.mode.ModeKind`."""

Codes = NDArray[np.int8]
Depths = NDArray[np.int32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Batch:
    """Placements, one a row: the mode and its K at every node, both of shape (placements, nodes)."""

    codes: Codes
    depths: Depths

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True)
class Event:
    """One step that may submit work: everything by placement.

    `step` is its number in the program. `active`: something happens here at all; `period`: on every so many-th
    message. `calls` submissions of `ops` ops, `kernels` kernels and `device_s` of device work, held bytes included.
    """

    step: int
    active: Flags
    period: NDArray[np.int64]
    calls: Vector
    ops: Vector
    parts: Vector
    device_s: Vector
    idle_device_s: Vector
    last_s: Vector

    @classmethod
    def empty(cls, step: int, rows: int) -> Event:
        """Return an event at which no placement submits anything yet."""
        zeros = (np.zeros(rows) for _ in range(6))
        return cls(step, np.zeros(rows, dtype=bool), np.ones(rows, dtype=np.int64), *zeros)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The events of a batch in the order of the steps, and for each node the event that submits it (-1: none)."""

    events: tuple[Event, ...]
    owner: NDArray[np.int32]
    owner_period: NDArray[np.int64]


def schedule(program: Program, batch: Batch, held_byte_s: float, buffer_ops: float) -> Schedule:
    """Return what is submitted where, for every placement of the batch.

    What fires on every message is worked out first: what fires seldom only finds what is left.
    """
    rows = len(batch)
    done = np.zeros((rows, program.nodes), dtype=bool)
    owner = np.full((rows, program.nodes), -1, dtype=np.int32)
    owner_period = np.zeros((rows, program.nodes), dtype=np.int64)
    events: dict[int, Event] = {}
    sites = [(number, *_firing(program, batch, number)) for number in _submitting(program, batch)]
    for each in sorted({period for _, _, periods in sites for period in set(periods.tolist())}):
        for number, fires, periods in sites:
            now = fires[periods == each]
            if not len(now):
                continue
            above = np.flatnonzero(program.ancestors[program.steps[number].node])
            new = np.logical_not(done[np.ix_(now, above)])
            some = new.any(axis=0)
            above, new = above[some], new[:, some]
            place = np.ix_(now, above)
            done[place] = True
            owner[place] = np.where(new, number, owner[place])
            owner_period[place] = np.where(new, each, owner_period[place])
            event = events.setdefault(number, Event.empty(number, rows))
            _fill(event, program, now, each, above, new, held_byte_s, buffer_ops)
    return Schedule(tuple(events[number] for number in sorted(events)), owner, owner_period)


def _submitting(program: Program, batch: Batch) -> list[int]:
    """Return the numbers of the steps at which any placement may submit something.

    What reads earlier messages comes last: it finds only what nothing submitted in its own message.
    """
    used: Flags = np.asarray(batch.codes.any(axis=0))
    found = [
        number
        for number, step in enumerate(program.steps)
        if step.kind == "read" or (step.kind == "node" and used[step.node])
    ]
    return sorted(found, key=lambda number: program.steps[number].lag > 0)


def _firing(program: Program, batch: Batch, number: int) -> tuple[Rows, NDArray[np.int64]]:
    """Return the placements in which something happens at a step, and on every how many-th message."""
    step = program.steps[number]
    if step.kind == "read":
        return np.arange(len(batch)), np.full(len(batch), step.period, dtype=np.int64)
    fires = np.flatnonzero(batch.codes[:, step.node] != OFF)
    depths = batch.depths[fires, step.node]
    times = np.where(batch.codes[fires, step.node] == EVERY, np.maximum(depths, 1), 1)
    return fires, times.astype(np.int64) * step.period


def _fill(
    event: Event,
    program: Program,
    now: Rows,
    period: int,
    above: Rows,
    new: Flags,
    held_byte_s: float,
    buffer_ops: float,
) -> None:
    """Enter what the placements `now` submit at an event: of the nodes `above` the `new` ones, piled up or not."""
    weight = new * np.where(program.piles[above], period / program.period[above], 1.0)
    ops, kernels = weight @ program.ops[above], weight @ program.kernels[above]
    device, count = weight @ program.device_s[above], new.sum(axis=1)
    held = (new @ program.held_bytes[above]) * (count > 1) * held_byte_s
    event.active[now] = True
    event.period[now] = period
    event.calls[now] = count > 0
    event.ops[now] = ops
    event.parts[now] = np.floor(kernels / (buffer_ops + 1.0)) if np.isfinite(buffer_ops) else 0.0
    event.device_s[now] = device + held
    event.idle_device_s[now] = weight @ program.idle_device_s[above] + held
    event.last_s[now] = device / np.maximum(ops, 1.0)
