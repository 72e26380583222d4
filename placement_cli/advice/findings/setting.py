"""PL401 to PL405: what placement cannot win, and what surrounds it."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, named
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.thresholds import (
    BLOCK_GAIN,
    FIRST_USE_S,
    HOST_BYTE_S,
    HOST_FASTER,
    HOST_FLOP_METAL_S,
    HOST_FLOP_S,
    HOST_OP_S,
    LITTLE_KERNEL_S,
    LONG_IDLE_S,
    SLOW_AFTER_IDLE,
)
from placement_cli.graph.mode import OFF
from placement_cli.units import format_duration, format_percent, format_ratio


def host_is_faster(facts: Facts) -> Iterator[Finding]:
    """Yield PL401 when the host itself would be done sooner than the device's values come back."""
    nodes = facts.flow.mlx_nodes
    read = [each for each in facts.cover.evaluators if each.mode is None]
    if facts.machine.kind == "cpu" or not read or not all(_countable(node) for node in nodes):
        return
    host_s = sum(_on_host_s(facts, node) for node in nodes)
    way_s = _device_way_s(facts)
    if host_s >= HOST_FASTER * way_s:
        return
    ops = sum(facts.load(node).ops for node in nodes)
    count = f"{ops:.0f} operation{'s' if ops != 1 else ''}"
    says = (
        f"NumPy would take about {format_duration(host_s)} for {count} (an estimate); building, submitting and "
        f"waiting for the device take {format_duration(way_s)} until the values are read, wherever the points are."
    )
    yield finding(
        "PL401",
        nodes[0].origin,
        "note",
        says,
        "Compute this part with NumPy on the host, or collect several messages into one.",
        host_estimate_s=host_s,
        device_way_s=way_s,
    )


def _countable(node: FlowNode) -> bool:
    """Whether the work of a node is known well enough to say what the host would take for it."""
    costs = node.node.costs
    return node.node.op is not None or (costs.ops is not None and costs.output_bytes is not None)


def _on_host_s(facts: Facts, node: FlowNode) -> float:
    """Return what one core would take for a node: its operations, and its bytes or its arithmetic.

    Without an operator the arithmetic is not known. What the device takes beyond launching is then the least: for
    anything but the smallest work it is the faster of the two.
    """
    load = facts.load(node)
    counted = load.ops * HOST_OP_S + load.bytes_moved * HOST_BYTE_S
    if node.node.op is None:
        if node.node.costs.device_s is None:
            return counted
        return max(counted, max(load.device_s, load.idle_device_s or 0.0) - load.kernels * facts.machine.kernel_s)
    flop_s = HOST_FLOP_METAL_S if facts.machine.kind == "metal" else HOST_FLOP_S
    return max(counted, load.flops * flop_s)


def _device_way_s(facts: Facts) -> float:
    """Return what a message takes from building to values, other host work and device times that were assumed left out.

    With everything left to the reads; as advised where that is more, since it evaluates what the reads leave out.
    """
    lazy = facts.with_modes(dict.fromkeys(facts.current, OFF))
    other_s = sum(facts.load(node).host_s for node in facts.flow.nodes)
    other_s += sum(facts.load(n).device_s for n in facts.flow.mlx_nodes if "device" in facts.load(n).unknown)
    return max(0.0, lazy.host_s - other_s, facts.advised.host_s - other_s)


def hops(facts: Facts) -> Iterator[Finding]:
    """Yield PL402 when handing messages from process to process costs more than any placement can win."""
    pairs = {
        (facts.flow.nodes[link.sender].node.process, facts.flow.nodes[link.reader].node.process)
        for link in facts.flow.links
        if facts.flow.crosses_process(link)
    }
    hop_s = len(pairs) * facts.machine.hop_process_s
    win_s = max(0.0, facts.now.host_s - facts.advised.host_s)
    if len(pairs) < 2 or hop_s <= 2.0 * win_s:
        return
    says = (
        f"A message passes {len(pairs)} process boundaries, assumed to cost "
        f"{format_duration(facts.machine.hop_process_s)} each; all that placement can win here is "
        f"{format_duration(win_s)}."
    )
    yield finding(
        "PL402",
        None,
        "note",
        says,
        "Measure one hop, and merge processes before moving evaluation points.",
        hops=float(len(pairs)),
        hop_s=facts.machine.hop_process_s,
        gain_s=win_s,
    )


def low_duty(facts: Facts) -> Iterator[Finding]:
    """Yield PL403 when the device idles so long between messages that costs measured back to back do not hold."""
    period = facts.bounds.period_s
    if period is None or not facts.flow.mlx_nodes:
        return
    idle_s = period - facts.now.device_s
    slowed = [
        node
        for node in facts.flow.mlx_nodes
        if (idle := facts.load(node).idle_device_s) is not None
        and idle > SLOW_AFTER_IDLE * max(facts.load(node).device_s, 1e-12)
    ]
    if idle_s < LONG_IDLE_S and not slowed:
        return
    busy = facts.now.device_s / period
    says = (
        f"The device is idle for {format_duration(max(idle_s, 0.0))} between messages (busy {format_percent(busy)}): "
        "its clocks and the memory it keeps resident fall back, and work takes longer than measured back to back"
    )
    if slowed:
        says += f" ({named(slowed)}: by what you state)"
    yield finding(
        "PL403",
        slowed[0].origin if slowed else None,
        "warning",
        f"{says}.",
        "Measure at this rate (`placement bench --graph` paces live sources) before trusting figures of a tight loop.",
        idle_s=idle_s,
        device_busy=busy,
    )


def blocks(facts: Facts) -> Iterator[Finding]:
    """Yield PL404 for weights whose block structure makes the product faster."""
    for name, gain in facts.blocks.items():
        if gain.gain < BLOCK_GAIN:
            continue
        says = (
            f"The matrix of {name} has block structure: {gain.formulation} is {format_ratio(gain.gain)} times as fast "
            f"as the dense product ({gain.basis.rstrip('.')})."
        )
        fix = "See `placement plan` for the matrix, and plan_block_matmul for the code."
        yield finding("PL404", name, "note", says, fix, gain=gain.gain)


def cold_start(facts: Facts) -> Iterator[Finding]:
    """Yield PL405 for live sources: the first messages compile kernels while values are already due."""
    limit = facts.bounds.latency_s
    if facts.flow.graph.source.kind != "live" or facts.machine.kind == "cpu" or limit is None:
        return
    kernels = sum(_kernels(facts, node) for node in facts.flow.mlx_nodes)
    first_s = kernels * FIRST_USE_S
    if not kernels or first_s <= limit:
        return
    says = (
        f"The first message uses about {kernels:.0f} kernel{'s' if kernels != 1 else ''} for the first time, at about "
        f"{format_duration(FIRST_USE_S)} each where one must be compiled; values are due within "
        f"{format_duration(limit)}."
    )
    yield finding(
        "PL405",
        None,
        "note",
        says,
        "Before going live feed a few messages of every shape that will come, and wait for their values.",
        kernels=kernels,
        first_message_s=first_s,
    )


def _kernels(facts: Facts, node: FlowNode) -> float:
    """Return the kernels of a node; where nobody says, one for every `LITTLE_KERNEL_S` of its device time at least."""
    costs, load = node.node.costs, facts.load(node)
    if node.node.op is None and costs.kernels is None and costs.ops is None:
        return max(load.kernels, float(round(load.device_s / LITTLE_KERNEL_S)))
    return load.kernels
