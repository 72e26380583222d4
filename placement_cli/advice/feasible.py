"""What a placement must satisfy before its costs count: nothing grows, limits hold, arrays may be handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from placement_cli.advice.cover import Cover, later, least_gaps, reads
from placement_cli.advice.flow import Flow
from placement_cli.advice.playing import Outcome
from placement_cli.graph.graph import Graph
from placement_cli.timeline.program import Flags
from placement_cli.timeline.schedule import EVERY, OFF, Batch
from placement_cli.units import format_duration, format_size


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits that count: what was stated, else the defaults of graph.yaml. None: no limit."""

    period_s: float | None
    latency_s: float | None
    memory_bytes: int | None
    buffers: int


def bounds_of(graph: Graph, buffer_limit: int) -> Bounds:
    """Return the limits of `graph`; a live source must be followed, and its values are due within one period."""
    period = graph.source.period_s
    latency = graph.limits.latency_s
    if latency is None and graph.source.kind == "live":
        latency = period
    return Bounds(period, latency, graph.limits.memory_bytes, graph.limits.buffers or buffer_limit)


@dataclass(frozen=True, slots=True)
class Demand:
    """Evaluate at one of `sites` (columns of a batch), or let something grow or fail; `says` is the reason.

    `always`: on every message, so that `every:K` is not enough. Where one of `later` is evaluated instead, or where
    `read_later`, nothing grows, but it is evaluated more seldom than it could be.
    """

    sites: tuple[int, ...]
    says: str
    always: bool = False
    later: tuple[int, ...] = ()
    read_later: bool = False
    says_later: str = ""

    def met(self, batch: Batch) -> Flags:
        """Return which placements meet it."""
        columns = list(self.sites)
        fires = batch.codes[:, columns] != OFF
        if self.always:
            fires &= (batch.codes[:, columns] != EVERY) | (batch.depths[:, columns] == 1)
        return np.asarray(fires.any(axis=1))

    def reason(self, batch: Batch, row: int) -> str:
        """Return what is wrong with a placement that does not meet it, as a phrase."""
        late = self.read_later or bool((batch.codes[row, list(self.later)] != OFF).any())
        return self.says_later if late else self.says


def demands(flow: Flow) -> tuple[Demand, ...]:
    """Return what every placement must evaluate.

    For each carried state one of the nodes at or after it, among those that fire most often, unless values are read
    there anyway. An output at the end that nothing reads is a result, and computed only when it is evaluated. A lazy
    array may not be handed to another thread, so its node must be evaluated.
    """
    found = [*_states(flow), *_results(flow), *_handed_on(flow)]
    once: dict[tuple[tuple[int, ...], bool], Demand] = {}
    for demand in found:
        once.setdefault((demand.sites, demand.always), demand)
    return tuple(once.values())


def _columns(flow: Flow) -> dict[int, int]:
    return {node.number: column for column, node in enumerate(flow.mlx_nodes)}


def _states(flow: Flow) -> Iterator[Demand]:
    columns = _columns(flow)
    read = Cover(reads(flow), {})
    for number, gap in least_gaps(flow).items():
        node = flow.nodes[number]
        if node.node.state == "side":
            continue
        silences = {
            other: later(flow.nodes[other].silence, node, lag) for other, lag in flow.dependents(number).items()
        }
        in_time = [
            other
            for other, silence in silences.items()
            if silence <= gap and flow.nodes[other].outputs_every <= node.outputs_every
        ]
        read_in = min((each.silence for each in read.of(flow, number)), default=None)
        if read_in is not None and read_in <= gap:
            continue
        yield Demand(
            tuple(columns[other] for other in in_time),
            f"the state of {node.name} grows",
            later=tuple(columns[other] for other, silence in silences.items() if gap < silence < inf),
            read_later=read_in is not None and read_in < inf,
            says_later=f"the state of {node.name} is evaluated more seldom than it could be",
        )


def _results(flow: Flow) -> Iterator[Demand]:
    if flow.graph.source.kind == "once":
        return
    columns = _columns(flow)
    used = 0
    for each in reads(flow):
        used |= flow.needed[each.node]
    for number in flow.tails:
        node = flow.nodes[number].node
        if not used >> number & 1 and node.state != "side" and node.forces == "never":
            yield Demand((columns[number],), f"nothing evaluates {flow.nodes[number].name}")


def _handed_on(flow: Flow) -> Iterator[Demand]:
    columns = _columns(flow)
    for link in flow.links:
        if link.sender in columns and flow.crosses_thread(link):
            says = f"the lazy output of {flow.nodes[link.sender].name} goes to another thread"
            yield Demand((columns[link.sender],), says, always=True)


def unmet(needed: Sequence[Demand], batch: Batch, row: int) -> tuple[str, ...]:
    """Return the reasons of the demands that one placement does not meet; phrases that begin with a small letter."""
    one = Batch(batch.codes[row : row + 1], batch.depths[row : row + 1])
    return tuple(demand.reason(one, 0) for demand in needed if not demand.met(one)[0])


def met(needed: Sequence[Demand], batch: Batch) -> Flags:
    """Return which placements meet all demands."""
    fine = np.ones(len(batch), dtype=bool)
    for demand in needed:
        fine &= demand.met(batch)
    return fine


SLACK = 1.0 + 1e-9


def within(outcome: Outcome, memory: NDArray[np.float64], bounds: Bounds) -> Flags:
    """Return which placements keep all limits; `memory` are the bytes in flight of each."""
    fine = np.ones(len(outcome.period_s), dtype=bool)
    if bounds.period_s is not None:
        fine &= (outcome.period_s <= bounds.period_s * SLACK) & (outcome.busiest_s <= bounds.period_s * SLACK)
    if bounds.latency_s is not None:
        fine &= outcome.latency_p90_s <= bounds.latency_s * SLACK
    if bounds.memory_bytes is not None:
        fine &= memory <= bounds.memory_bytes
    return fine


def violations(
    batch: Batch, row: int, outcome: Outcome, memory: float, needed: Sequence[Demand], bounds: Bounds
) -> tuple[str, ...]:
    """Return in sentences what is wrong with one placement."""
    found = [f"{says[0].upper()}{says[1:]}." for says in unmet(needed, batch, row)]  # none begins with a name
    period, host = float(outcome.period_s[row]), float(outcome.busiest_s[row])
    if bounds.period_s is not None and max(period, host) > bounds.period_s * SLACK:
        found.append(
            f"It needs {format_duration(max(period, host))} for a message that comes every "
            f"{format_duration(bounds.period_s)}."
        )
    latency = float(outcome.latency_p90_s[row])
    if bounds.latency_s is not None and latency > bounds.latency_s * SLACK:
        found.append(f"Values come after {format_duration(latency)}; the limit is {format_duration(bounds.latency_s)}.")
    if bounds.memory_bytes is not None and memory > bounds.memory_bytes:
        found.append(f"{format_size(memory)} are in flight; the limit is {format_size(bounds.memory_bytes)}.")
    return tuple(found)
