"""Timed graphs as programs of the timeline: what constants predict for each of their placements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placement_cli.fit.timeline_fit_graphs import TimedGraph, Vector
from placement_cli.graph.mode import Mode, ModeKind
from placement_cli.timeline.costs import Costs, QueueRule
from placement_cli.timeline.memory import in_flight_bytes
from placement_cli.timeline.play import Played, play
from placement_cli.timeline.program import Program, Step
from placement_cli.timeline.schedule import Batch

MLX_CPU_QUEUE = QueueRule(calls=110.0, ops=55.0)
"""MLX's CPU build blocks with eleven tasks of ten dispatches outstanding; an op is two dispatches, a submission one."""
LEAST_DEVICE_SHARE = 0.25
"""Share of a SYNC timing that is device time at least, however short: what is around it varies from graph to graph."""

_CODES = {kind: number for number, kind in enumerate(ModeKind)}


@dataclass(frozen=True, slots=True)
class Prediction:
    """By placement: seconds a message, seconds of the host's thread at work, most bytes in flight."""

    period_s: Vector
    busy_s: Vector
    peak_bytes: Vector


def timeline_costs(constants: Mapping[str, float], kinds: Sequence[str]) -> Costs:
    """Return constants by the names of `timeline_fit.PRIORS` as costs of MLX's CPU build, for these kinds of host work.

    Raises KeyError when a constant is missing.
    """

    def by_kind(ending: str) -> dict[str, float]:
        return {kind: constants.get(f"{kind}.{ending}", constants[f"other.{ending}"]) for kind in kinds if kind}

    return Costs(
        build_op_s=constants["build_op"],
        build_node_s=constants["build_node"],
        submit_call_s=constants["submit_call"],
        submit_op_s=constants["submit_op"],
        submit_asleep_s=constants["submit_asleep"],
        asleep_after_s=constants["asleep_after"],
        wake_s=constants["wake"],
        round_trip_s=constants["round_trip"],
        sync_call_s=constants["sync_call"],
        wait_busy_s=constants["wait_busy"],
        boundary_call_s=constants["boundary_call"],
        ingest_call_s=constants["ingest_call"],
        ingest_byte_s=constants["ingest_byte"],
        host_slowing=by_kind("host_slowing"),
        device_slowing=by_kind("device_slowing"),
        starting_s={kind: constants[f"{kind}.starting"] for kind in kinds if f"{kind}.starting" in constants},
        lingering=frozenset({"blas"}),
        queue=MLX_CPU_QUEUE,
        streams=True,
    )


class TimelineModel:
    """One timed graph made ready to be predicted with any constants."""

    def __init__(self, graph: TimedGraph) -> None:
        self.graph = graph
        self.ops = np.array([node.ops for node in graph.nodes])
        weights = np.array([node.weight for node in graph.nodes])
        self._shares = weights / weights.sum()
        self._held = graph.message_bytes * np.array([node.arrays for node in graph.nodes])
        self._ancestors = _ancestors(graph)
        lags = sorted({timing.lag for timing in graph.timings})
        self._places = {lag: [at for at, each in enumerate(graph.timings) if each.lag == lag] for lag in lags}
        self._batches = {lag: _batch(graph, places) for lag, places in self._places.items()}

    def predict(self, costs: Costs) -> Prediction:
        """Return what the costs predict for every placement, in their order."""
        rows = len(self.graph.timings)
        found = Prediction(np.empty(rows), np.empty(rows), np.empty(rows))
        for lag, places in self._places.items():
            program = self.program(costs, lag)
            batch = self._batches[lag]
            played = play(program, batch, costs)
            found.period_s[places] = played.period_s
            found.busy_s[places] = played.busy_s - (self.graph.work_s if self.graph.work == "sleep" else 0.0)
            found.peak_bytes[places] = self._bytes(program, batch, played)
        return found

    def program(self, costs: Costs, lag: int = 0) -> Program:
        """Return what the host does for one message when the boundary reads the values of `lag` messages ago."""
        graph, nodes = self.graph, len(self.graph.nodes)
        steps = [Step("host", costs.ingest_call_s + costs.ingest_byte_s * graph.message_bytes)]
        build = costs.build_node_s + costs.build_op_s * self.ops
        steps += [Step("node", float(build[node]), node) for node in range(nodes)]
        if graph.work:
            steps.append(Step("work", graph.work_s, contention=graph.work))
        if graph.boundary:
            steps.append(Step("read", costs.boundary_call_s, nodes - 1, lag=lag))
        device = self._shares * device_alone_s(graph.device_s, costs)
        once = np.ones(nodes, dtype=np.int64)
        return Program(
            tuple(steps),
            self._ancestors,
            self.ops,
            self.ops,
            device,
            device,
            self._held,
            once,
            np.ones(nodes, dtype=bool),
        )

    def _bytes(self, program: Program, batch: Batch, played: Played) -> Vector:
        graph = self.graph
        return in_flight_bytes(
            program,
            batch,
            played,
            source_bytes=graph.message_bytes,
            kept_bytes=float(self._held[-1]),
            fresh_bytes=graph.message_bytes + float(self._held[_allocates(graph)].sum()),
            messages=graph.messages,
        )


def device_alone_s(sync_s: float, costs: Costs) -> float:
    """Return the device's part of a SYNC timing: what is left without one submission and one wait.

    A short graph leaves little, and less than nothing where its waits were shorter than usual. So the rest is taken
    together with a least share of the timing, of no more than twice what is left out, as the root of the sum of
    squares: that matters for short graphs and alters long ones by nothing.
    """
    around = costs.submit_call_s + costs.submit_op_s + costs.wake_s + costs.round_trip_s
    return float(np.hypot(max(sync_s - around, 0.0), LEAST_DEVICE_SHARE * min(sync_s, 2.0 * around)))


def _ancestors(graph: TimedGraph) -> NDArray[np.bool_]:
    found = np.eye(len(graph.nodes), dtype=bool)
    for number, node in enumerate(graph.nodes):
        for each in node.inputs:
            if each >= 0:
                found[number] |= found[each]
    return found


def _allocates(graph: TimedGraph) -> list[int]:
    """Return the nodes whose value needs a buffer of its own when nothing else holds the values before it."""
    users = np.bincount([each for node in graph.nodes for each in node.inputs if each >= 0], minlength=len(graph.nodes))
    return [
        number
        for number, node in enumerate(graph.nodes)
        if not (node.in_place and any(each < 0 or users[each] == 1 for each in node.inputs))
    ]


def _batch(graph: TimedGraph, places: Sequence[int]) -> Batch:
    shape = (len(places), len(graph.nodes))
    codes, depths = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int32)
    for row, place in enumerate(places):
        for node, mode in graph.timings[place].modes.items():
            codes[row, node], depths[row, node] = _code(mode), mode.depth
    return Batch(codes, depths)


def _code(mode: Mode) -> int:
    return _CODES[mode.kind]
