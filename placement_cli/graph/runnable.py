"""From a graph to the pipeline that a bench can run.

One host thread runs the nodes in the graph's order. A host node first reads the values of what MLX made for it
(operator `values`, which waits), then works for as long as its costs say (operator `host`). It hands its input on
untouched: an MLX node behind it reads the array from before. An edge between two processes reads the values at the
sender, right after they are built; so does a node that forces its values itself. Other host time of an MLX node is
spent before the node is built, and so before a point at its output.

Host work is plain Python on one thread. It keeps one core busy and hardly any memory, and MLX's own threads do not
need the interpreter lock that it holds. Matrix products would compete with MLX's CPU backend for cores and caches.
A sleeping host would compete least, but it gives its core away, which flatters every overlap, and wakes late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement_cli.errors import UsageError
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.left_out import left_out
from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import SOURCE, Node, ParameterValue, Pipeline, Source
from placement_cli.graph.unrunnable import Reasons, copy_names, needs_values, unrunnable
from placement_cli.operators.catalog import check_params, check_shapes, find_operator
from placement_cli.operators.host import HOST
from placement_cli.operators.operator import Shape
from placement_cli.operators.values import VALUES

WORK_KIND = "python"
"""The kind of host work, see above."""


@dataclass(frozen=True, slots=True)
class Runnable:
    """A graph as it can be run.

    `copies` gives for each name of the graph the nodes of the pipeline that stand for it: for an MLX node those whose
    outputs may have a point. `current` holds the mode that the graph has at each of those, in the pipeline's order,
    `pinned` the ones among them that must stay. `notes` are sentences on what the run leaves out.
    """

    pipeline: Pipeline
    copies: Mapping[str, tuple[str, ...]]
    current: Mapping[str, Mode]
    pinned: Mapping[str, Mode]
    notes: tuple[str, ...] = ()


def runnable(graph: Graph) -> Runnable:
    """Return `graph` as a pipeline; raises UsageError that lists the nodes that cannot be run, and says why."""
    reasons = unrunnable(graph)
    reasons.refuse()
    writer = _Writer(graph, reasons)
    for node in graph.nodes:
        writer.write(node)
    reasons.refuse()
    source = Source(graph.source.samples, graph.source.samples, graph.source.channels, graph.source.dtype)
    modes = {copy: node for node in graph.nodes if not needs_values(node) for copy in writer.copies[node.name]}
    return Runnable(
        Pipeline(source, tuple(writer.nodes)),
        writer.copies,
        current={copy: node.evaluate for copy, node in modes.items()},
        pinned={copy: node.evaluate for copy, node in modes.items() if node.pinned and node.evaluate.submits},
        notes=left_out(graph),
    )


class _Writer:
    """Writes the nodes of a graph out, one after the other."""

    def __init__(self, graph: Graph, reasons: Reasons) -> None:
        self.nodes: list[Node] = []
        self.copies: dict[str, tuple[str, ...]] = {}
        self._graph, self._reasons = graph, reasons
        self._taken = {SOURCE, *(name for node in graph.nodes for name in (node.name, *copy_names(node)))}
        self._sent = _sent_away(graph)
        # By name of the graph, or of a copy: what MLX nodes read there, and by such an array its values in NumPy.
        self._arrays: dict[str, str] = {SOURCE: SOURCE}
        self._values: dict[str, str] = {SOURCE: SOURCE}
        self._shapes: dict[str, Shape | None] = {SOURCE: (graph.source.samples, graph.source.channels)}

    def write(self, node: GraphNode) -> None:
        """Add the nodes that stand for `node`, copy by copy."""
        first, inputs = len(self.nodes), [edge.node for edge in node.inputs]
        for copy in copy_names(node):
            arrays = [self._arrays[name] for name in inputs]
            self._arrays[copy] = self._host(node, copy, arrays) if needs_values(node) else self._mlx(node, copy, arrays)
            inputs = [copy]
        last = self._arrays[node.name] = self._arrays[inputs[0]]
        if node.name in self._sent:
            self._read(last)
        written = tuple(each.name for each in self.nodes[first:])
        self.copies[node.name] = written if needs_values(node) else copy_names(node)

    def _host(self, node: GraphNode, copy: str, arrays: Sequence[str]) -> str:
        """Add a host node: all values are read, then it works; what it hands on is its first input."""
        values = [self._read(array) for array in arrays]
        first, handed = (values[0], arrays[0]) if values else (SOURCE, SOURCE)
        self._work(copy, first, _work_of(node))
        return handed

    def _mlx(self, node: GraphNode, copy: str, arrays: Sequence[str]) -> str:
        """Add an MLX node, behind the other time that it takes on the host."""
        inputs = list(arrays)
        work = _work_of(node)
        if work and inputs:
            inputs[0] = self._work(self._free(f"{copy}.host"), inputs[0], work)
        self._add(Node(copy, node.op or "", tuple(inputs), dict(node.params)), node)
        if node.forces != "never":
            self._read(copy)
        return copy

    def _read(self, array: str) -> str:
        """Return the node that holds the values of `array`, which waits for them where it is first asked for."""
        if array not in self._values:
            values = Node(self._free(f"{array}.{VALUES.name}"), VALUES.name, (array,))
            self._values[array] = values.name
            self._pass(values)
        return self._values[array]

    def _work(self, name: str, array: str, params: Mapping[str, ParameterValue]) -> str:
        """Add host work that is called `name`, and return who hands `array` on after it."""
        if not params:
            return array
        self._pass(Node(name, HOST.name, (array,), params))
        return name

    def _pass(self, node: Node) -> None:
        """Add a node that hands its input on."""
        self.nodes.append(node)
        self._shapes[node.name] = self._shapes[node.inputs[0]]

    def _add(self, node: Node, owner: GraphNode) -> None:
        """Add MLX work; notes why it does not take what it is given. Nothing is said of what stands behind such."""
        self.nodes.append(node)
        shapes = [shape for name in node.inputs if (shape := self._shapes[name]) is not None]
        self._shapes[node.name] = None
        if len(shapes) == len(node.inputs):
            try:
                self._shapes[node.name] = _output(node, shapes, self._graph.source.dtype)
            except UsageError as error:
                self._reasons.add(str(error).rstrip("."), owner.name)

    def _free(self, wanted: str) -> str:
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


def _output(node: Node, shapes: Sequence[Shape], dtype: str) -> Shape:
    operator = find_operator(node.op)
    params = check_params(operator, node.params)
    check_shapes(operator, shapes, params)
    return operator.features(shapes, params, dtype).output


def _work_of(node: GraphNode) -> dict[str, ParameterValue]:
    """Return the parameters of the host work of one copy of `node`, none where there is none or none is known."""
    given: Mapping[str, ParameterValue] = node.params if node.op == HOST.name else {}
    if node.costs.host_s is not None:
        given = {"kind": WORK_KIND, **given, "length_ms": 1e3 * node.costs.host_s}
    elif node.op == HOST.name:
        given = check_params(HOST, given)
    return dict(given) if given.get("length_ms") or given.get("amount") else {}


def _sent_away(graph: Graph) -> set[str]:
    """Return the nodes that are read in another process than their own."""
    processes = {node.name: node.process for node in graph.nodes}
    return {
        edge.node
        for node in graph.nodes
        for edge in node.inputs
        if edge.node in processes and processes[edge.node] != node.process
    }
