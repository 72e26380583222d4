"""Plays placements of a whole graph: all its threads, one device, in numbers that can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placement_cli.advise.compiling import Executor, executors_of
from placement_cli.advise.flow import Flow
from placement_cli.advise.loads import Load
from placement_cli.advise.machine import Machine
from placement_cli.graph.mode import Mode, ModeKind
from placement_cli.timeline.memory import messages_ahead
from placement_cli.timeline.play import Played, play
from placement_cli.timeline.program import Vector
from placement_cli.timeline.schedule import EVERY, Batch

CODE: Mapping[ModeKind, int] = {kind: number for number, kind in enumerate(ModeKind)}
KINDS = tuple(ModeKind)
SUMMED = ("host", "busy", "device", "p50", "p90", "bytes", "blocked", "waited")
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
        total = {
            name: np.zeros(rows) for name in ("host", "busy", "device", "p50", "p90", "bytes", "blocked", "waited")
        }
        period, longest, busiest = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        ahead, capacity = np.zeros(rows), np.full(rows, np.inf)
        for each, columns in zip(self.executors, self._columns, strict=True):
            part = Batch(batch.codes[:, columns], batch.depths[:, columns])
            played = play(each.program, part, self.machine.costs)
            period = np.maximum(period, played.period_s)
            longest = np.maximum(longest, played.longest_s)
            busiest = np.maximum(busiest, played.held_s)
            capacity = np.minimum(capacity, played.capacity)
            outstanding = self._ahead(each, part, played)
            ahead = np.maximum(ahead, outstanding)
            self._add(total, each, played, outstanding)
        period = np.maximum(period, total["device"])
        return Outcome(
            period,
            total["host"],
            total["busy"],
            total["device"],
            total["p50"],
            total["p90"],
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

    def _add(self, total: Mapping[str, Vector], each: Executor, played: Played, outstanding: Vector) -> None:
        source = self.flow.graph.source.message_bytes if each.takes_source else 0
        held = float(each.program.held_bytes.sum()) + source if each.members else 0.0
        latency = np.sort(played.latency_s, axis=0)
        parts = {
            "host": played.held_s,
            "busy": played.busy_s,
            "device": played.device_s,
            "p50": np.median(latency, axis=0),
            "p90": np.quantile(latency, 0.9, axis=0),
            "bytes": outstanding * held,
            "blocked": played.blocked_s,
            "waited": played.waited_s,
        }
        for name, values in parts.items():
            total[name][:] += values
