"""From a graph with its costs to what each of its threads does for one message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from placement_cli.advice.flow import Flow, FlowNode, Link
from placement_cli.advice.loads import Load
from placement_cli.advice.machine import Machine
from placement_cli.timeline.play import LONGEST_CYCLE
from placement_cli.timeline.program import Program, Step, StepKind, Vector


@dataclass(frozen=True, slots=True)
class Executor:
    """One thread of one process: its program, and the numbers of its MLX nodes in the flow, in order.

    `ingested_bytes`: arrays of one message that it makes of values from outside: of the source, of host nodes, of other
    processes. `lag`: how many messages later the host reads values, at most. `output_periods`: on every how many-th
    message each MLX node is played to give output.
    """

    place: tuple[str, str]
    program: Program
    members: tuple[int, ...]
    ingested_bytes: float
    lag: int
    output_periods: tuple[int, ...]


def executors_of(flow: Flow, loads: Sequence[Load], machine: Machine) -> tuple[Executor, ...]:
    """Return the executors of a graph, in the order in which messages reach them."""
    places = dict.fromkeys(node.place for node in flow.nodes)
    return tuple(_Compiler(flow, loads, machine, place).executor() for place in places)


def played_period(period: int) -> int:
    """Return how often to play what happens on every `period`-th message: a longer cycle is never played out."""
    return min(period, LONGEST_CYCLE)


class _Compiler:
    def __init__(self, flow: Flow, loads: Sequence[Load], machine: Machine, place: tuple[str, str]) -> None:
        self.flow, self.loads, self.costs, self.place = flow, loads, machine.costs, place
        self.nodes = [node for node in flow.nodes if node.place == place]
        self.members = [node.number for node in self.nodes if node.mlx]
        self.index = {number: index for index, number in enumerate(self.members)}
        self.ingested: dict[int, float] = {}

    def executor(self) -> Executor:
        steps = tuple(self._steps())
        lag = max((step.lag for step in steps), default=0)
        periods = tuple(played_period(self.flow.nodes[number].outputs_every) for number in self.members)
        ingested = sum(self.ingested.values())
        return Executor(self.place, self._program(steps), tuple(self.members), ingested, lag, periods)

    def _program(self, steps: tuple[Step, ...]) -> Program:
        loads = [self.loads[number] for number in self.members]
        nodes = [self.flow.nodes[number] for number in self.members]
        share = np.array([_share(node.runs_every) for node in nodes])
        idle = [load.device_s if load.idle_device_s is None else load.idle_device_s for load in loads]
        return Program(
            steps,
            self._ancestors(),
            _vector([load.ops for load in loads]) * share,
            _vector([load.kernels for load in loads]) * share,
            _vector([load.device_s for load in loads]) * share,
            _vector(idle) * share,
            _vector([load.held_bytes for load in loads]),
            np.array([played_period(node.runs_every) for node in nodes], dtype=np.int64),
            self._piles(),
            self.flow.graph.source.period_s,
        )

    def _ancestors(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Unpack the bits of `Flow.needed` for the members."""
        size = len(self.members)
        found = np.zeros((size, size), dtype=bool)
        width = (len(self.flow.nodes) + 7) // 8
        columns = np.array(self.members, dtype=np.intp)
        for row, number in enumerate(self.members):
            packed = np.frombuffer(self.flow.needed[number].to_bytes(width, "little"), dtype=np.uint8)
            found[row] = np.unpackbits(packed, bitorder="little")[columns]
        return found

    def _piles(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Flag the nodes whose work is not lost when a message is not evaluated: a later state needs it."""
        loop = self.flow.graph.source.kind == "loop"
        needed = 0
        for node in self.flow.stateful:
            needed |= self.flow.needed[node.number]
        return np.array([loop or bool(needed & (1 << number)) for number in self.members], dtype=bool)

    def _steps(self) -> Iterator[Step]:
        for node in self.nodes:
            yield from self._node_steps(node)
        if self.flow.graph.source.kind == "once":
            yield from (self._read(number, 1) for number in self.flow.tails if number in self.index)

    def _node_steps(self, node: FlowNode) -> Iterator[Step]:
        load, every = self.loads[node.number], node.runs_every
        for link in self.flow.inputs.get(node.number, ()):
            if self.flow.reads_values(link) and link.sender in self.index:
                yield self._read(link.sender, self._read_period(link, node), link.lag)
            elif node.mlx and self._from_outside(link) and link.sender not in self.ingested:
                yield self._ingest(link.sender)
        if load.host_s:
            yield _step("work", load.host_s, every, contention=load.host_kind)
        if node.mlx:
            yield _step("host", load.build_s, every)
            point = _step("node", 0.0, node.outputs_every, node=self.index[node.number])
            yield replace(point, submit_s=load.submit_s)
            leaving = [link for link in self.flow.readers.get(node.number, ()) if self.flow.crosses_process(link)]
            for _ in leaving[:1]:
                yield self._read(node.number, node.outputs_every)

    def _from_outside(self, link: Link) -> bool:
        """Whether an array must be made of what comes in: it is no array of this process yet."""
        return link.sender < 0 or not self.flow.nodes[link.sender].mlx or self.flow.crosses_process(link)

    def _ingest(self, sender: int) -> Step:
        size, every = float(self.flow.graph.source.message_bytes), 1
        if sender >= 0:
            size, every = self.loads[sender].output_bytes, self.flow.nodes[sender].outputs_every
        self.ingested[sender] = size
        return _step("host", self.costs.ingest_call_s + size * self.costs.ingest_byte_s, every)

    def _read_period(self, link: Link, reader: FlowNode) -> int:
        """Return how often a reader in the same thread reads: when it runs, or only when it gives output."""
        runs = reader.outputs_every if reader.mlx and reader.node.forces == "on-emit" else reader.runs_every
        return max(self.flow.nodes[link.sender].outputs_every, runs)

    def _read(self, number: int, every: int, lag: int = 0) -> Step:
        seconds = self.costs.boundary_call_s + self.loads[number].output_bytes * self.costs.boundary_byte_s
        return _step("read", seconds, every, node=self.index[number], lag=lag)


def _vector(values: Sequence[float]) -> Vector:
    return np.array(values, dtype=np.float64)


def _share(every: int) -> float:
    """Return what is left of the costs of something that is played more often than it happens."""
    return played_period(every) / every


def _step(kind: StepKind, seconds: float, every: int, *, node: int = -1, contention: str = "", lag: int = 0) -> Step:
    """Return a step that happens on every so many-th message, as it is played."""
    return Step(kind, seconds * _share(every), node, contention, played_period(every), lag)
