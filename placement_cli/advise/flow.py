"""A graph written out: copies of repeated nodes, who reads whom where, and how often each node runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from placement_cli.graph.graph import Edge, Graph, GraphNode
from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import SOURCE


@dataclass(frozen=True, slots=True)
class Link:
    """A reader and what it reads, by number; -1 is the source."""

    sender: int
    reader: int
    lag: int = 0
    leaky: bool = False


@dataclass(frozen=True, slots=True)
class FlowNode:
    """One copy of a node; `origin` is the name that the document gives it.

    `runs_every`: on every how many-th message it runs, on average; `outputs_every`: gives output. `silence`: messages
    from one output to the next in the worst pattern, infinite where chance decides.
    """

    number: int
    name: str
    origin: str
    node: GraphNode
    runs_every: int
    outputs_every: int
    silence: float
    run_silence: float

    @property
    def mlx(self) -> bool:
        """Whether it computes with MLX."""
        return self.node.backend == "mlx"

    @property
    def place(self) -> tuple[str, str]:
        """Process and thread."""
        return self.node.process, self.node.thread


@dataclass(frozen=True)
class Flow:
    """The nodes in the order in which the host runs them, and the links between them."""

    graph: Graph
    nodes: tuple[FlowNode, ...]
    links: tuple[Link, ...]

    @cached_property
    def readers(self) -> Mapping[int, tuple[Link, ...]]:
        """The links that leave each node; the source is -1."""
        found: dict[int, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.sender, []).append(link)
        return {number: tuple(links) for number, links in found.items()}

    @cached_property
    def inputs(self) -> Mapping[int, tuple[Link, ...]]:
        """The links that enter each node."""
        found: dict[int, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.reader, []).append(link)
        return {number: tuple(links) for number, links in found.items()}

    @cached_property
    def above(self) -> tuple[int, ...]:
        """For each node the MLX nodes that must be computed for its output, itself included, as bits of a number.

        Values that the host has read are there already: a host node passes nothing on, nor does an earlier message.
        """
        bits: list[int] = []
        for node in self.nodes:
            own = 1 << node.number if node.mlx else 0
            for link in self.inputs.get(node.number, ()):
                if node.mlx and link.sender >= 0 and not link.lag and not self.crosses_process(link):
                    own |= bits[link.sender]
            bits.append(own)
        return tuple(bits)

    @cached_property
    def mlx_nodes(self) -> tuple[FlowNode, ...]:
        """The nodes that compute with MLX."""
        return tuple(node for node in self.nodes if node.mlx)

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """The ends of the segments: MLX nodes that no other MLX node of the process reads."""
        return tuple(
            node.number
            for node in self.mlx_nodes
            if not any(
                self.nodes[link.reader].mlx and not self.crosses_process(link) and not link.lag
                for link in self.readers.get(node.number, ())
            )
        )

    @cached_property
    def stateful(self) -> tuple[FlowNode, ...]:
        """MLX nodes that carry something to the next message."""
        return tuple(node for node in self.mlx_nodes if node.node.state != "none")

    @cached_property
    def current(self) -> dict[str, Mode]:
        """The modes that the graph has today, of every MLX node."""
        return {node.name: node.node.evaluate for node in self.mlx_nodes}

    def by_name(self, name: str) -> FlowNode:
        """Return the node called `name`; raises KeyError when there is none."""
        return self._names[name]

    @cached_property
    def _names(self) -> Mapping[str, FlowNode]:
        return {node.name: node for node in self.nodes}

    def crosses_process(self, link: Link) -> bool:
        """Whether sender and reader live in different processes; the source lives with its reader."""
        return link.sender >= 0 and self.nodes[link.sender].node.process != self.nodes[link.reader].node.process

    def crosses_thread(self, link: Link) -> bool:
        """Whether they live in different threads of one process."""
        if link.sender < 0 or self.crosses_process(link):
            return False
        return self.nodes[link.sender].node.thread != self.nodes[link.reader].node.thread

    def reads_values(self, link: Link) -> bool:
        """Whether following this link needs the values on the host."""
        if link.sender < 0 or not self.nodes[link.sender].mlx:
            return False
        reader = self.nodes[link.reader]
        return not reader.mlx or reader.node.forces != "never" or self.crosses_process(link)


def flow_of(graph: Graph) -> Flow:
    """Write out `graph`; its nodes must come after what they read, as the reader of documents leaves them."""
    last = {SOURCE: -1}
    nodes: list[FlowNode] = []
    links: list[Link] = []
    for node in graph.nodes:
        for copy, inputs in _copies(node):
            number = len(nodes)
            entering = [Link(last[edge.node], number, edge.lag, edge.leaky) for edge in inputs]
            nodes.append(_flow_node(number, copy, node, entering, nodes))
            links += entering
            last[copy] = number
        last[node.name] = len(nodes) - 1
    return Flow(graph, tuple(nodes), tuple(links))


def _copies(node: GraphNode) -> Iterator[tuple[str, Sequence[Edge]]]:
    """Yield name and inputs of each copy of a node."""
    if node.repeat == 1:
        yield node.name, node.inputs
        return
    for number in range(node.repeat):
        yield f"{node.name}.{number}", node.inputs if not number else (Edge(f"{node.name}.{number - 1}"),)


def _flow_node(number: int, name: str, node: GraphNode, inputs: Sequence[Link], before: Sequence[FlowNode]) -> FlowNode:
    senders = [before[link.sender] for link in inputs if link.sender >= 0 and not link.lag]
    runs_every = max([1, *(sender.outputs_every for sender in senders)])
    run_silence = max([1.0, *(sender.silence for sender in senders)])
    share = node.emits.share
    outputs_every = max(1, round(runs_every / share)) if share > 0 else runs_every
    silence = run_silence * node.emits.longest_silence
    plain = node if node.repeat == 1 else replace(node, name=name, repeat=1)
    return FlowNode(number, name, node.name, plain, runs_every, outputs_every, silence, run_silence)
