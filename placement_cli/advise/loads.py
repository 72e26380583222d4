"""What every node costs: as the person says, else as the profile knows its operator, else assumed and said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from placement_cli.advise.flow import Flow, FlowNode
from placement_cli.advise.machine import Machine
from placement_cli.errors import UsageError
from placement_cli.operators.catalog import OPERATORS, check_params, check_shapes
from placement_cli.operators.operator import ITEM_BYTES, Features, Shape

KNOWN_OPERATOR_DTYPES = frozenset(ITEM_BYTES)


@dataclass(frozen=True, slots=True)
class Load:
    """The costs of one node and one message: seconds, counts, bytes.

    `unknown` names the costs that were assumed: `build`, `device`, `output`, `host`.
    """

    build_s: float = 0.0
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
    unknown: frozenset[str] = frozenset()

    @property
    def held_bytes(self) -> float:
        """What the node keeps until its submission is done."""
        return self.output_bytes + self.intermediates_bytes


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
    shapes: dict[int, Shape | None] = {-1: _source_shape(flow)}
    found: list[Load] = []
    for node in flow.nodes:
        features = _features(flow, node, shapes)
        shapes[node.number] = features.output if features else None
        found.append(_load(flow, node, features, machine, guess, found))
    return tuple(found)


def _source_shape(flow: Flow) -> Shape | None:
    source = flow.graph.source
    return (source.samples, source.channels) if source.dtype in KNOWN_OPERATOR_DTYPES else None


def _features(flow: Flow, node: FlowNode, shapes: Mapping[int, Shape | None]) -> Features | None:
    """Return what the catalogue says about the operator of a node, as far as the shapes of its inputs are known."""
    operator = OPERATORS.get(node.node.op or "")
    inputs = [shapes[link.sender] for link in flow.inputs.get(node.number, ())]
    known = [shape for shape in inputs if shape is not None]
    if operator is None or len(known) != len(inputs):
        return None
    try:
        params = check_params(operator, node.node.params)
        check_shapes(operator, known, params)
    except UsageError:  # a graph made by hand; the reader of documents says what is wrong
        return None
    return operator.features(known, params, flow.graph.source.dtype)


def _load(
    flow: Flow, node: FlowNode, features: Features | None, machine: Machine, guess: Guess, before: list[Load]
) -> Load:
    costs, unknown = node.node.costs, set[str]()
    output, intermediates = _bytes(flow, node, features, machine, before, unknown)
    if not node.mlx:
        host_s, kind = _host_work(node, unknown)
        return Load(host_s=host_s, host_kind=kind, output_bytes=output, unknown=frozenset(unknown))
    ops = float(costs.ops if costs.ops is not None else features.ops if features else costs.kernels or 1)
    kernels = float(costs.kernels if costs.kernels is not None else features.kernels if features else ops)
    build_s = costs.build_s
    if build_s is None:
        build_s = machine.costs.build_node_s + ops * machine.costs.build_op_s
        if features is None and costs.ops is None and costs.kernels is None:
            unknown.add("build")
            build_s = max(build_s * guess.build, guess.build_s)
    moved = features.bytes_moved if features else output + _input_bytes(flow, node, before) + 2 * intermediates
    device_s = costs.device_s
    if device_s is None:
        device_s = _device_s(node, features, machine, kernels, moved, unknown)
        device_s *= guess.device if "device" in unknown else 1.0
    return Load(
        build_s=build_s,
        host_s=costs.host_s or 0.0,
        ops=ops,
        kernels=kernels,
        device_s=device_s,
        idle_device_s=costs.device_after_idle_s,
        output_bytes=output,
        intermediates_bytes=intermediates,
        buffers=float(costs.buffers if costs.buffers is not None else max(1.0, kernels)),
        bytes_moved=moved,
        flops=features.flops if features else moved / 8.0,
        unknown=frozenset(unknown),
    )


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


def _input_bytes(flow: Flow, node: FlowNode, before: list[Load]) -> float:
    links = flow.inputs.get(node.number, ())
    source = flow.graph.source.message_bytes
    return float(sum(source if link.sender < 0 else before[link.sender].output_bytes for link in links))


def _bytes(
    flow: Flow, node: FlowNode, features: Features | None, machine: Machine, before: list[Load], unknown: set[str]
) -> tuple[float, float]:
    """Return the bytes of the output, and of what else the node makes anew for every message."""
    costs = node.node.costs
    if costs.output_bytes is not None:
        output = float(costs.output_bytes)
    elif features is not None:
        output = float(prod(features.output) * ITEM_BYTES[flow.graph.source.dtype])
    else:
        links = flow.inputs.get(node.number, ())
        source = flow.graph.source.message_bytes
        output = float(
            max((source if link.sender < 0 else before[link.sender].output_bytes for link in links), default=source)
        )
        unknown.add("output")
    if costs.intermediates_bytes is not None:
        return output, float(costs.intermediates_bytes)
    known = features is not None and node.mlx and costs.output_bytes is None
    return output, output * (machine.arrays_held - 1.0) if known else 0.0


def _device_s(
    node: FlowNode, features: Features | None, machine: Machine, kernels: float, moved: float, unknown: set[str]
) -> float:
    """Return the device time of one message: from the table of operators, else from the bytes it moves."""
    if features is None:
        unknown.add("device")
        return kernels * machine.kernel_s + moved * machine.byte_s
    operator = OPERATORS[node.node.op or ""]
    tabled = machine.device_s(operator.name, float(prod(features.output)))
    if tabled is None:
        unknown.add("rate")
        return kernels * machine.kernel_s + moved * machine.byte_s
    return tabled * _relative_work(node, features)


def _relative_work(node: FlowNode, features: Features) -> float:
    """Return how much more an operator does with its parameters than with the defaults of the table."""
    operator = OPERATORS[node.node.op or ""]
    given = check_params(operator, node.node.params)
    usual = check_params(operator, {})
    if given == usual or operator.inputs[1] > 1:
        return 1.0
    shape = features.output
    mine = operator.features([shape], given, "float32").bytes_moved
    theirs = operator.features([shape], usual, "float32").bytes_moved
    return mine / theirs if theirs > 0 and mine > 0 else 1.0
