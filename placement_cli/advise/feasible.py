"""What a placement must satisfy before its costs count: nothing grows, limits hold, arrays may be handed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from placement_cli.advise.cover import least_gaps, reads
from placement_cli.advise.flow import Flow
from placement_cli.advise.playing import Outcome
from placement_cli.graph.graph import Graph
from placement_cli.timeline.program import Flags
from placement_cli.timeline.schedule import OFF, Batch
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
    """Evaluate at one of `sites` (columns of a batch), or let something grow or fail; `says` is the reason."""

    sites: tuple[int, ...]
    says: str


def demands(flow: Flow) -> tuple[Demand, ...]:
    """Return what every placement must evaluate.

    For each carried state one of the nodes at or after it, among those that fire most often, unless values are read
    there anyway. An output at the end that nothing reads is a result, and computed only when it is evaluated. A lazy
    array may not be handed to another thread, so its node must be evaluated.
    """
    columns = {node.number: column for column, node in enumerate(flow.mlx_nodes)}
    read = reads(flow)
    found: list[Demand] = []
    for number, gap in least_gaps(flow).items():
        bit = 1 << number
        if gap == inf or any(each.silence <= gap and flow.above[each.node] & bit for each in read):
            continue
        sites = tuple(
            columns[node.number] for node in flow.mlx_nodes if flow.above[node.number] & bit and node.silence <= gap
        )
        found.append(Demand(sites, f"the state of {flow.nodes[number].name} grows"))
    if flow.graph.source.kind != "once":
        for number in flow.tails:
            used = any(flow.above[each.node] >> number & 1 for each in read)
            node = flow.nodes[number].node
            if not used and node.state != "side" and node.forces == "never":
                found.append(Demand((columns[number],), f"{flow.nodes[number].name} is never evaluated"))
    found += [
        Demand((columns[link.sender],), f"{flow.nodes[link.sender].name} is handed to another thread unevaluated")
        for link in flow.links
        if link.sender in columns and flow.crosses_thread(link)
    ]
    return tuple({demand.sites: demand for demand in reversed(found)}.values())


def met(needed: Sequence[Demand], batch: Batch) -> Flags:
    """Return which placements meet all demands."""
    fine = np.ones(len(batch), dtype=bool)
    for demand in needed:
        fine &= (batch.codes[:, list(demand.sites)] != OFF).any(axis=1)
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
    found = [
        f"{demand.says[0].upper()}{demand.says[1:]}."
        for demand in needed
        if not (batch.codes[row, list(demand.sites)] != OFF).any()
    ]
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
