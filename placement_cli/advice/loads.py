"""What every node costs: as the person says, else as the profile knows its operator, else assumed and said so."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from placement_cli.advice.flow import Flow, FlowNode
from placement_cli.advice.machine import Machine
from placement_cli.errors import UsageError
from placement_cli.operators.catalog import OPERATORS, check_params, check_shapes
from placement_cli.operators.operator import ITEM_BYTES, Features, Shape

IN_PLACE = frozenset({"abs", "scale", "car"})
"""Operators whose last kernel is elementwise: it may write over its input."""
LITTLE = 0.1
"""Intermediates up to this share of the output are rounding of sizes."""
KNOWN_OPERATOR_DTYPES = frozenset(ITEM_BYTES)


@dataclass(frozen=True, slots=True)
class Load:
    """The costs of one node and one message: seconds, counts, bytes.

    `submit_s` is how long a submission at this node takes, whatever else it holds; None for what the profile says.
    `unknown` names the costs that were assumed: `build`, `device`, `output`, `host`.
    """

    build_s: float = 0.0
    submit_s: float | None = None
    host_s: float = 0.0
    host_kind: str = ""
    ops: float = 0.0
    kernels: float = 0.0
    device_s: float = 0.0
    idle_device_s: float | None = None
    output_bytes: float = 0.0
    intermediates_bytes: float = 0.0
    buffers: float = 0.0
    bytes_moved: float = 0.0
    flops: float = 0.0
    in_place: bool = False
    unknown: frozenset[str] = frozenset()

    @property
    def held_bytes(self) -> float:
        """What the node keeps until its submission is done; nothing new where it computes in place of its input."""
        return self.intermediates_bytes + (0.0 if self.in_place else self.output_bytes)


@dataclass(frozen=True, slots=True)
class Guess:
    """What to take for costs that nobody knows, to see whether they matter.

    Factors on what is assumed; and at least `build_s` of building in each node that does not say.
    """

    build: float = 1.0
    device: float = 1.0
    build_s: float = 0.0


def loads_of(flow: Flow, machine: Machine, guess: Guess = Guess()) -> tuple[Load, ...]:
    """Return the load of every node of `flow`, in its order."""
    return _Loader(flow, machine, guess).loads()


class _Loader:
    """Goes through the nodes in their order and remembers what came out of those before."""

    def __init__(self, flow: Flow, machine: Machine, guess: Guess) -> None:
        source = flow.graph.source
        self.flow, self.machine, self.guess = flow, machine, guess
        known = source.dtype in KNOWN_OPERATOR_DTYPES
        self.shapes: dict[int, Shape | None] = {-1: (source.samples, source.channels) if known else None}
        self.output_bytes: dict[int, float] = {-1: float(source.message_bytes)}

    def loads(self) -> tuple[Load, ...]:
        found = []
        for node in self.flow.nodes:
            features = self._features(node)
            self.shapes[node.number] = features.output if features else None
            load = self._of_mlx(node, features) if node.mlx else self._of_host(node, features)
            self.output_bytes[node.number] = load.output_bytes
            found.append(load)
        return tuple(found)

    def _senders(self, node: FlowNode) -> list[int]:
        """Return what it reads, but for nodes that come later: of those, what they did on an earlier message."""
        links = self.flow.inputs.get(node.number, ())
        return [link.sender for link in links if link.sender in self.output_bytes]

    def _features(self, node: FlowNode) -> Features | None:
        """Return what the catalogue says about an operator, as far as the shapes of its inputs are known."""
        operator = OPERATORS.get(node.node.op or "")
        shapes = [shape for sender in self._senders(node) if (shape := self.shapes[sender]) is not None]
        if operator is None or len(shapes) != len(self._senders(node)):
            return None
        try:
            params = check_params(operator, node.node.params)
            check_shapes(operator, shapes, params)
        except UsageError:  # a graph made by hand; the reader of documents says what is wrong
            return None
        return operator.features(shapes, params, self.flow.graph.source.dtype)

    def _of_host(self, node: FlowNode, features: Features | None) -> Load:
        unknown = set[str]()
        host_s, kind = _host_work(node, unknown)
        output = self._output(node, features, unknown)
        return Load(host_s=host_s, host_kind=kind, output_bytes=output, unknown=frozenset(unknown))

    def _of_mlx(self, node: FlowNode, features: Features | None) -> Load:
        costs, unknown = node.node.costs, set[str]()
        output = self._output(node, features, unknown)
        intermediates = self._intermediates(node, features, output)
        ops = float(costs.ops if costs.ops is not None else features.ops if features else costs.kernels or 1)
        kernels = float(costs.kernels if costs.kernels is not None else features.kernels if features else ops)
        moved = self._input_bytes(node) + output + 2 * intermediates if features is None else features.bytes_moved
        device_s = self._device_s(node, features, kernels, moved, unknown)
        return Load(
            build_s=self._build_s(node, features, ops, unknown),
            submit_s=costs.submit_s,
            host_s=costs.host_s or 0.0,
            ops=max(ops, 1.0) if device_s > 0 else ops,  # what the device works on was submitted
            kernels=kernels,
            device_s=device_s,
            idle_device_s=costs.device_after_idle_s,
            output_bytes=output,
            intermediates_bytes=intermediates,
            buffers=float(costs.buffers if costs.buffers is not None else max(1.0, kernels)),
            bytes_moved=moved,
            flops=features.flops if features else moved / 8.0,
            in_place=self._in_place(node, features, output, intermediates),
            unknown=frozenset(unknown),
        )

    def _in_place(self, node: FlowNode, features: Features | None, output: float, intermediates: float) -> bool:
        """Whether MLX computes the output in the buffer of the input, which nothing else reads (donation)."""
        senders = self._senders(node)
        if features is None or node.node.op not in IN_PLACE or intermediates > LITTLE * output or len(senders) != 1:
            return False
        sender = senders[0]
        lone = sender >= 0 and self.flow.nodes[sender].mlx and len(self.flow.readers.get(sender, ())) == 1
        return lone and self.output_bytes[sender] == output

    def _build_s(self, node: FlowNode, features: Features | None, ops: float, unknown: set[str]) -> float:
        costs = node.node.costs
        if costs.build_s is not None:
            return costs.build_s
        assumed = self.machine.costs.build_node_s + ops * self.machine.costs.build_op_s
        if features is not None or costs.ops is not None or costs.kernels is not None:
            return assumed
        unknown.add("build")
        return max(assumed * self.guess.build, self.guess.build_s)

    def _device_s(
        self, node: FlowNode, features: Features | None, kernels: float, moved: float, unknown: set[str]
    ) -> float:
        """Return the device time of one message: as stated, from the table of operators, else from the bytes moved."""
        if node.node.costs.device_s is not None:
            return node.node.costs.device_s
        by_bytes = kernels * self.machine.kernel_s + moved * self.machine.byte_s
        if features is None:
            unknown.add("device")
            return by_bytes * self.guess.device
        tabled = self.machine.device_s(node.node.op or "", self._elements(node))
        if tabled is None:
            unknown.add("rate")
            return by_bytes
        return tabled * self._relative_work(node, features)

    def _relative_work(self, node: FlowNode, features: Features) -> float:
        """Return how much more an operator does with its parameters than with the defaults of the table."""
        operator = OPERATORS[node.node.op or ""]
        usual = check_params(operator, {})
        if check_params(operator, node.node.params) == usual:
            return 1.0
        shapes = [shape for sender in self._senders(node) if (shape := self.shapes[sender]) is not None]
        theirs = operator.features(shapes, usual, self.flow.graph.source.dtype).bytes_moved
        return features.bytes_moved / theirs if theirs > 0 and features.bytes_moved > 0 else 1.0

    def _elements(self, node: FlowNode) -> float:
        """Return the elements of the message that comes in, by which operators are tabled."""
        return float(max((prod(self.shapes[sender] or ()) for sender in self._senders(node)), default=1))

    def _input_bytes(self, node: FlowNode) -> float:
        return sum(self.output_bytes[sender] for sender in self._senders(node))

    def _output(self, node: FlowNode, features: Features | None, unknown: set[str]) -> float:
        """Return the bytes of the output: as stated, from its shape, else as large as the largest input."""
        if node.node.costs.output_bytes is not None:
            return float(node.node.costs.output_bytes)
        if features is not None:
            return float(prod(features.output) * ITEM_BYTES[self.flow.graph.source.dtype])
        unknown.add("output")
        return max((self.output_bytes[sender] for sender in self._senders(node)), default=self.output_bytes[-1])

    def _intermediates(self, node: FlowNode, features: Features | None, output: float) -> float:
        """Return the bytes of what else is made anew; who states the output alone states all there is."""
        costs = node.node.costs
        if costs.intermediates_bytes is not None:
            return float(costs.intermediates_bytes)
        if features is None or costs.output_bytes is not None:
            return 0.0
        held = self.machine.held_bytes(node.node.op or "", self._elements(node))
        return output * (self.machine.arrays_held - 1.0) if held is None else max(0.0, held - output)


def _host_work(node: FlowNode, unknown: set[str]) -> tuple[float, str]:
    """Return length and kind of the work of a host node."""
    if node.node.costs.host_s is not None:
        return node.node.costs.host_s, "python"
    if node.node.op == "host":
        params = check_params(OPERATORS["host"], node.node.params)
        return float(params["length_ms"]) * 1e-3, str(params["kind"])
    if node.node.op != "values":
        unknown.add("host")
    return 0.0, ""
