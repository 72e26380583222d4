"""From a graph with its costs to what each of its threads does for one message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from placement_cli.advise.flow import Flow, FlowNode, Link
from placement_cli.advise.loads import Load
from placement_cli.advise.machine import Machine
from placement_cli.timeline.program import Program, Step


@dataclass(frozen=True, slots=True)
class Executor:
    """One thread of one process: its program, and the numbers of its MLX nodes in the flow, in order."""

    place: tuple[str, str]
    program: Program
    members: tuple[int, ...]
    takes_source: bool


def executors_of(flow: Flow, loads: Sequence[Load], machine: Machine) -> tuple[Executor, ...]:
    """Return the executors of a graph, in the order in which messages reach them."""
    places = dict.fromkeys(node.place for node in flow.nodes)
    return tuple(_Compiler(flow, loads, machine, place).executor() for place in places)


class _Compiler:
    def __init__(self, flow: Flow, loads: Sequence[Load], machine: Machine, place: tuple[str, str]) -> None:
        self.flow, self.loads, self.costs, self.place = flow, loads, machine.costs, place
        self.nodes = [node for node in flow.nodes if node.place == place]
        self.members = [node.number for node in self.nodes if node.mlx]
        self.index = {number: index for index, number in enumerate(self.members)}

    def executor(self) -> Executor:
        links = [link for node in self.nodes for link in self.flow.inputs.get(node.number, ())]
        takes_source = any(link.sender < 0 and self.flow.nodes[link.reader].mlx for link in links)
        steps = tuple(self._steps(takes_source=takes_source))
        return Executor(self.place, self._program(steps), tuple(self.members), takes_source)

    def _program(self, steps: tuple[Step, ...]) -> Program:
        loads = [self.loads[number] for number in self.members]
        nodes = [self.flow.nodes[number] for number in self.members]
        device = np.array([load.device_s for load in loads])
        idle = np.array([load.device_s if load.idle_device_s is None else load.idle_device_s for load in loads])
        return Program(
            steps,
            self._ancestors(),
            np.array([load.ops for load in loads]),
            np.array([load.kernels for load in loads]),
            device,
            idle,
            np.array([load.held_bytes for load in loads]),
            np.array([node.runs_every for node in nodes], dtype=np.int64),
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

    def _steps(self, *, takes_source: bool) -> Iterator[Step]:
        if takes_source:
            size = self.flow.graph.source.message_bytes
            yield Step("host", self.costs.ingest_call_s + size * self.costs.ingest_byte_s)
        for node in self.nodes:
            yield from self._node_steps(node)
        if self.flow.graph.source.kind == "once":
            yield from (self._read(number, 1) for number in self.flow.tails if number in self.index)

    def _node_steps(self, node: FlowNode) -> Iterator[Step]:
        load, every = self.loads[node.number], node.runs_every
        for link in self.flow.inputs.get(node.number, ()):
            if self.flow.reads_values(link) and link.sender in self.index and not link.lag:
                yield self._read(link.sender, self._read_period(link, node))
        if load.host_s:
            yield Step("work", load.host_s, contention=load.host_kind, period=every)
        if node.mlx:
            yield Step("host", load.build_s, period=every)
            yield Step("node", 0.0, node=self.index[node.number], period=node.outputs_every)
            leaving = [link for link in self.flow.readers.get(node.number, ()) if self.flow.crosses_process(link)]
            for _ in leaving[:1]:
                yield self._read(node.number, node.outputs_every)

    def _read_period(self, link: Link, reader: FlowNode) -> int:
        sender = self.flow.nodes[link.sender]
        return reader.outputs_every if reader.node.forces == "on-emit" else sender.outputs_every

    def _read(self, number: int, period: int) -> Step:
        seconds = self.costs.boundary_call_s + self.loads[number].output_bytes * self.costs.boundary_byte_s
        return Step("read", seconds, node=self.index[number], period=period)
