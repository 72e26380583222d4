"""What gets evaluated, and how often at worst: exact, and without any costs.

MLX lets go of the graph behind an array when the array is scheduled. So a carried state stays small exactly when,
every few messages, something is evaluated that depends on its newest value: an evaluation point or a read of values
at or after the node that carries it. How many messages may pass from one such moment to the next in the worst
pattern is its *gap*; infinite means that it grows without end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import inf

from placement_cli.advice.flow import Flow, FlowNode, Link
from placement_cli.graph.mode import Mode, ModeKind


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Something that evaluates the output of a node: `mode` of a point, or None where values are read.

    `silence`: messages from one time to the next in the worst pattern, and the lag of what is read.
    """

    node: int
    silence: float
    mode: Mode | None
    reader: int | None = None


@dataclass(frozen=True, slots=True)
class Cover:
    """The evaluators of a placement, and the gap of every node that carries state, by number."""

    evaluators: tuple[Evaluator, ...]
    gaps: Mapping[int, float]

    def of(self, flow: Flow, number: int) -> tuple[Evaluator, ...]:
        """Return the evaluators that the newest value of node `number` is needed for, the most frequent first.

        Where it is needed for a later message only, that adds to their silence.
        """
        delays = flow.dependents(number)
        found = [
            replace(each, silence=later(each.silence, flow.nodes[number], lag)) if lag else each
            for each in self.evaluators
            if (lag := delays.get(each.node)) is not None
        ]
        return tuple(sorted(found, key=lambda each: each.silence))


def later(silence: float, sender: FlowNode, lag: int) -> float:
    """Return the silence of what reads the output of `sender` messages later: never less than that of the output."""
    return max(silence, sender.silence) + lag if lag else silence


def reads(flow: Flow) -> tuple[Evaluator, ...]:
    """Return the reads of values that the graph makes whatever its evaluation points are."""
    return tuple(_read(flow, link) for link in flow.links if flow.reads_values(link) and not _may_drop(flow, link))


def _may_drop(flow: Flow, link: Link) -> bool:
    """Whether the reader may skip this message without the sender paying: only inside a process."""
    return link.leaky and not flow.crosses_process(link)


def _read(flow: Flow, link: Link) -> Evaluator:
    """Return the read at a link: to another process whenever there is output, else when the reader runs."""
    sender, reader = flow.nodes[link.sender], flow.nodes[link.reader]
    silence = sender.silence
    if not flow.crosses_process(link):
        on_emit = reader.mlx and reader.node.forces == "on-emit"
        silence = max(silence, reader.silence if on_emit else reader.run_silence)
    return Evaluator(sender.number, silence + link.lag, None, reader.number)


def point_silence(node: FlowNode, mode: Mode) -> float:
    """Return how many messages pass at worst between two evaluations at the output of `node`; infinite for `off`."""
    return inf if mode.kind is ModeKind.OFF else node.silence * mode.period


def cover(flow: Flow, placement: Mapping[str, Mode]) -> Cover:
    """Return what is evaluated under `placement`, and the gap of every carried state."""
    points = [
        Evaluator(node.number, point_silence(node, mode), mode)
        for node in flow.mlx_nodes
        if (mode := placement[node.name]).submits
    ]
    evaluators = (*points, *reads(flow))
    delays = _delays(flow, evaluators)
    gaps = {node.number: inf if node.node.state == "side" else delays[node.number] for node in flow.stateful}
    return Cover(evaluators, gaps)


def _delays(flow: Flow, evaluators: Iterable[Evaluator]) -> list[float]:
    """Return for every node the messages until something evaluated depends on its newest output, at worst."""
    found = [inf] * len(flow.nodes)
    waiting = [(each.silence, each.node) for each in evaluators]
    heapify(waiting)
    while waiting:
        delay, reader = heappop(waiting)
        if delay >= found[reader]:
            continue
        found[reader] = delay
        for link in flow.inputs.get(reader, ()):
            if flow.passes_on(link) and not link.leaky:
                after = later(delay, flow.nodes[link.sender], link.lag)
                if after < found[link.sender]:
                    heappush(waiting, (after, link.sender))
    return found


def least_gaps(flow: Flow) -> dict[int, float]:
    """Return for every carried state the smallest gap that any placement gives; infinite where none helps.

    Side state is infinite: nothing that is evaluated depends on it. So is a state in or after a node that leaves it to
    chance whether there is output.
    """
    best = cover(flow, {node.name: Mode(ModeKind.ASYNC) for node in flow.mlx_nodes})
    return dict(best.gaps)


@dataclass(frozen=True, slots=True)
class Pending:
    """What an uncovered state collects with every message: ops, new buffers and bytes."""

    ops: float
    buffers: float
    bytes: float


def uncovered(flow: Flow, found: Cover, number: int) -> tuple[int, ...]:
    """Return the nodes whose work stays pending with the state of node `number`: not evaluated by anything else."""
    gap = found.gaps.get(number, inf)
    frequent = 0
    for each in found.evaluators:
        if each.silence < gap:
            frequent |= flow.above[each.node]
    pending = flow.above[number] & ~frequent | 1 << number
    return tuple(node.number for node in flow.mlx_nodes if pending & (1 << node.number))
