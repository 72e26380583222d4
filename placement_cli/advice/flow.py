"""A graph written out: copies of repeated nodes, who reads whom where, and how often each node runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush

from placement_cli.errors import UsageError
from placement_cli.graph.graph import Edge, Graph, GraphNode
from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import SOURCE

SELDOM = 1_000_000_000
"""What happens less often than on every so many-th message is taken to happen as often as that."""


@dataclass(frozen=True, slots=True)
class Link:
    """A reader and what it reads, by number; -1 is the source. `lag`: reads the value of so many messages ago."""

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
        """For each node the MLX nodes that its output surely depends on within one message, itself included, as bits.

        Values that the host has read are there already: a host node passes nothing on. Nor does an earlier message,
        or a reader that may drop this one.
        """
        return self._ancestors(lambda link: not link.lag and not link.leaky)

    @cached_property
    def needed(self) -> tuple[int, ...]:
        """For each node the MLX nodes of which one message's work goes into its output when none is dropped, as bits.

        Those `above`, and what is read of an earlier message from nodes before it. What is read from nodes after it
        has its own evaluation in every message.
        """
        if not any(link.lag or link.leaky for link in self.links):
            return self.above
        return self._ancestors(lambda link: link.sender < link.reader)

    def _ancestors(self, follows: Callable[[Link], bool]) -> tuple[int, ...]:
        bits: list[int] = []
        for node in self.nodes:
            own = 1 << node.number if node.mlx else 0
            for link in self.inputs.get(node.number, ()):
                if self.passes_on(link) and follows(link):
                    own |= bits[link.sender]
            bits.append(own)
        return tuple(bits)

    @cached_property
    def mlx_nodes(self) -> tuple[FlowNode, ...]:
        """The nodes that compute with MLX."""
        return tuple(node for node in self.nodes if node.mlx)

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """The ends of the segments: MLX nodes that no later MLX node of the process reads."""
        return tuple(
            node.number
            for node in self.mlx_nodes
            if not any(self.passes_on(link) and link.sender < link.reader for link in self.readers.get(node.number, ()))
        )

    @cached_property
    def stateful(self) -> tuple[FlowNode, ...]:
        """MLX nodes that carry something to the next message: by their state, or because the next one reads them.

        A single message has no next one.
        """
        source = self.graph.source
        if source.kind == "once" and (source.messages or 1) == 1:
            return ()
        return tuple(node for node in self.mlx_nodes if node.node.state != "none" or node.number in self._fed_back)

    @cached_property
    def _fed_back(self) -> frozenset[int]:
        """The nodes whose output comes back to them by way of an earlier message."""
        lagged = [link for link in self.links if link.lag and self.passes_on(link)]
        if not lagged:
            return frozenset()
        lazy = [link for link in self.links if self.passes_on(link)]
        bits = [1 << node.number for node in self.nodes]
        before: list[int] = []
        while bits != before:
            before = [*bits]
            for link in lazy:
                bits[link.reader] |= bits[link.sender]
        return frozenset(link.sender for link in lagged if bits[link.sender] >> link.reader & 1)

    def dependents(self, number: int) -> Mapping[int, int]:
        """Return the MLX nodes that surely depend on the output of node `number`, and how many messages later."""
        if not self._lags:
            return {node.number: 0 for node in self.mlx_nodes if self.above[node.number] >> number & 1}
        found: dict[int, int] = {}
        waiting = [(0, number)]
        while waiting:
            later, sender = heappop(waiting)
            if sender in found:
                continue
            found[sender] = later
            for link in self.readers.get(sender, ()):
                if self.passes_on(link) and not link.leaky and link.reader not in found:
                    heappush(waiting, (later + link.lag, link.reader))
        return found

    @cached_property
    def _lags(self) -> bool:
        return any(link.lag for link in self.links)

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

    def passes_on(self, link: Link) -> bool:
        """Whether the reader adds to the sender's lazy graph: both compute with MLX in one process."""
        if link.sender < 0 or not self.nodes[link.sender].mlx or not self.nodes[link.reader].mlx:
            return False
        return not self.crosses_process(link)

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
    """Write out `graph`; its nodes must come after what they read of the same message, as documents leave them.

    Raises UsageError for a node that reads what is not there or comes later.
    """
    copies = [(name, node, inputs) for node in graph.nodes for name, inputs in _copies(node)]
    last = {SOURCE: -1}
    for number, (name, node, _) in enumerate(copies):
        last[name] = last[node.name] = number
    nodes: list[FlowNode] = []
    links: list[Link] = []
    for number, (name, node, inputs) in enumerate(copies):
        entering = [_link(edge, number, node, last) for edge in inputs]
        nodes.append(_flow_node(number, name, node, entering, nodes))
        links += entering
    return Flow(graph, tuple(nodes), tuple(links))


def _link(edge: Edge, number: int, node: GraphNode, last: Mapping[str, int]) -> Link:
    sender = last.get(edge.node)
    if sender is None:
        raise UsageError(f"node {node.name!r} reads {edge.node!r}, which is no node of the graph.")
    if sender >= number and not edge.lag:
        raise UsageError(f"node {node.name!r} reads {edge.node!r}, which comes after it; put it first, or give a lag.")
    return Link(sender, number, edge.lag, edge.leaky)


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
    outputs_every = max(1, round(min(SELDOM, runs_every / share))) if share > 0 else SELDOM
    silence = run_silence * node.emits.longest_silence
    plain = node if node.repeat == 1 else replace(node, name=name, repeat=1)
    return FlowNode(number, name, node.name, plain, runs_every, outputs_every, silence, run_silence)
