"""Plays placements of a whole graph: all its threads, one device, in numbers that can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placement_cli.advice.compiling import Executor, executors_of
from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import Load
from placement_cli.advice.machine import Machine
from placement_cli.graph.mode import Mode, ModeKind
from placement_cli.timeline.memory import messages_ahead
from placement_cli.timeline.play import LONGEST_CYCLE, Played, play
from placement_cli.timeline.program import Vector
from placement_cli.timeline.schedule import EVERY, Batch, Depths

CODE: Mapping[ModeKind, int] = {kind: number for number, kind in enumerate(ModeKind)}
KINDS = tuple(ModeKind)
SUMMED = ("host", "busy", "device", "bytes", "blocked", "waited")
"""What adds up over threads."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What placements do, by placement; the numbers of `advice.Predicted`, and some that explain them.

    `blocked_s`: host time a message lost to a full queue. `ahead`: messages outstanding. `capacity`: messages that
    fit. `longest_s`: device time of the longest single submission. `busiest_s`: host time of the busiest thread, which
    must not be more than the time between messages.
    """

    period_s: Vector
    host_s: Vector
    host_busy_s: Vector
    device_s: Vector
    latency_s: Vector
    latency_p90_s: Vector
    in_flight_bytes: Vector
    blocked_s: Vector
    waited_s: Vector
    ahead: Vector
    capacity: Vector
    longest_s: Vector
    busiest_s: Vector


class Stage:
    """A graph with its costs, ready to be played under any placement."""

    def __init__(self, flow: Flow, loads: Sequence[Load], machine: Machine) -> None:
        self.flow, self.loads, self.machine = flow, loads, machine
        self.executors = executors_of(flow, loads, machine)
        self.names = tuple(node.name for node in flow.mlx_nodes)
        column = {node.number: index for index, node in enumerate(flow.mlx_nodes)}
        self._columns = [
            np.array([column[number] for number in each.members], dtype=np.intp) for each in self.executors
        ]
        self._joined = _joins(flow, self.executors)

    def batch(self, placements: Sequence[Mapping[str, Mode]]) -> Batch:
        """Return placements as numbers."""
        codes = [[CODE[placement[name].kind] for name in self.names] for placement in placements]
        depths = [[placement[name].depth for name in self.names] for placement in placements]
        shape = (len(placements), len(self.names))
        return Batch(np.array(codes, dtype=np.int8).reshape(shape), np.array(depths, dtype=np.int32).reshape(shape))

    def placement(self, batch: Batch, row: int) -> dict[str, Mode]:
        """Return one row as modes by name."""
        return {
            name: Mode(KINDS[code], int(depth))
            for name, code, depth in zip(self.names, batch.codes[row], batch.depths[row], strict=True)
        }

    def play(self, batch: Batch) -> Outcome:
        """Play all placements of `batch`."""
        rows = len(batch)
        total = {name: np.zeros(rows) for name in SUMMED}
        period, longest, busiest = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        ahead, capacity = np.zeros(rows), np.full(rows, np.inf)
        latencies: list[tuple[Vector, Vector]] = []
        for each, columns in zip(self.executors, self._columns, strict=True):
            part = Batch(batch.codes[:, columns], _played_depths(each, batch, columns))
            played = play(each.program, part, self.machine.costs)
            period = np.maximum(period, played.period_s)
            longest = np.maximum(longest, played.longest_s)
            busiest = np.maximum(busiest, played.held_s)
            capacity = np.minimum(capacity, played.capacity)
            outstanding = self._ahead(each, Batch(part.codes, batch.depths[:, columns]), played)
            ahead = np.maximum(ahead, outstanding)
            latencies.append(_latency(each, played))
            _add(total, each, played, outstanding)
        period = np.maximum(period, total["device"])
        median, late = (self._through([each[place] for each in latencies], rows) for place in (0, 1))
        return Outcome(
            period,
            total["host"],
            total["busy"],
            total["device"],
            median,
            late,
            total["bytes"],
            total["blocked"],
            total["waited"],
            ahead,
            capacity,
            longest,
            busiest,
        )

    def _ahead(self, each: Executor, part: Batch, played: Played) -> Vector:
        found = messages_ahead(each.program, part, played, self.flow.graph.source.messages)
        deepest = np.where(part.codes == EVERY, part.depths, 0).max(axis=1, initial=0)
        return np.asarray(np.maximum(found, deepest))

    def _through(self, latencies: Sequence[Vector], rows: int) -> Vector:
        """Return the time on the longest way over threads: of two that send to each other one comes after the other."""
        ends: list[Vector] = []
        for number, own in enumerate(latencies):
            before = [ends[other] for other in range(number) if (other, number) in self._joined]
            ends.append(own + np.max(before, axis=0) if before else own)
        return np.asarray(np.max(ends, axis=0)) if ends else np.zeros(rows)


def _joins(flow: Flow, executors: Sequence[Executor]) -> frozenset[tuple[int, int]]:
    """Return the pairs of executors, by number and the earlier first, between which anything is sent."""
    number = {each.place: index for index, each in enumerate(executors)}
    ends = [
        (number[flow.nodes[link.sender].place], number[flow.nodes[link.reader].place])
        for link in flow.links
        if link.sender >= 0
    ]
    return frozenset((min(pair), max(pair)) for pair in ends if pair[0] != pair[1])


def _played_depths(each: Executor, batch: Batch, columns: NDArray[np.intp]) -> Depths:
    """Return the depths of an executor's points; `every:K` no longer than the longest cycle that is played."""
    codes, depths = batch.codes[:, columns], batch.depths[:, columns]
    longest = np.maximum(1, LONGEST_CYCLE // np.array(each.output_periods, dtype=np.int64))[None, :]
    return np.where(codes == EVERY, np.minimum(depths, longest), depths).astype(np.int32)


def _latency(each: Executor, played: Played) -> tuple[Vector, Vector]:
    """Return median and 90th percentile; values that the host reads messages later are late by as many periods."""
    latency = np.sort(played.latency_s, axis=0)
    later = each.lag * played.period_s
    return np.median(latency, axis=0) + later, np.quantile(latency, 0.9, axis=0) + later


def _add(total: Mapping[str, Vector], each: Executor, played: Played, outstanding: Vector) -> None:
    held = float(each.program.held_bytes.sum()) + each.ingested_bytes
    parts = {
        "host": played.held_s,
        "busy": played.busy_s,
        "device": played.device_s,
        "bytes": outstanding * held if held else np.zeros(len(outstanding)),
        "blocked": played.blocked_s,
        "waited": played.waited_s,
    }
    for name, values in parts.items():
        total[name][:] += values
