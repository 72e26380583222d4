"""PL401 to PL405: what placement cannot win, and what surrounds it."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.advise.advice import Finding
from placement_cli.advise.findings.facts import Facts, finding, listed
from placement_cli.advise.flow import FlowNode
from placement_cli.advise.thresholds import (
    BLOCK_GAIN,
    FIRST_USE_S,
    HOST_BYTE_S,
    HOST_FASTER,
    HOST_FLOP_METAL_S,
    HOST_FLOP_S,
    HOST_OP_S,
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
    lazy = facts.play([dict.fromkeys(facts.current, OFF)])[0]
    other_s = sum(facts.load(node).host_s for node in facts.flow.nodes)
    other_s += sum(facts.load(node).device_s for node in nodes if "device" in facts.load(node).unknown)
    device_way_s = max(0.0, lazy.host_s - other_s)
    if host_s >= HOST_FASTER * device_way_s:
        return
    ops = sum(facts.load(node).ops for node in nodes)
    says = (
        f"{ops:.0f} operations are about {format_duration(host_s)} of work for the host (an estimate), but the way "
        f"over the device takes {format_duration(device_way_s)} until the values are read: building, submitting and "
        "the round trip. No placement changes that."
    )
    yield finding(
        "PL401",
        nodes[0].origin,
        "note",
        says,
        "Compute this part with NumPy on the host, or collect several messages into one.",
        host_estimate_s=host_s,
        device_way_s=device_way_s,
    )


def _countable(node: FlowNode) -> bool:
    """Whether the work of a node is known well enough to say what the host would take for it."""
    costs = node.node.costs
    return node.node.op is not None or (costs.ops is not None and costs.output_bytes is not None)


def _on_host_s(facts: Facts, node: FlowNode) -> float:
    load = facts.load(node)
    flop_s = HOST_FLOP_METAL_S if facts.machine.kind == "metal" else HOST_FLOP_S
    return load.ops * HOST_OP_S + load.bytes_moved * HOST_BYTE_S + load.flops * flop_s


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
        says += f"; after idling {listed(node.name for node in slowed)} take longer by what you state"
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
            f"as the dense product ({gain.basis})."
        )
        fix = "See `placement plan` for the matrix, and plan_block_matmul for the code."
        yield finding("PL404", name, "note", says, fix, gain=gain.gain)


def cold_start(facts: Facts) -> Iterator[Finding]:
    """Yield PL405 for live sources: the first messages compile kernels while values are already due."""
    limit = facts.bounds.latency_s
    if facts.flow.graph.source.kind != "live" or facts.machine.kind == "cpu" or limit is None:
        return
    kernels = sum(facts.load(node).kernels for node in facts.flow.mlx_nodes)
    first_s = kernels * FIRST_USE_S
    if not kernels or first_s <= limit:
        return
    says = (
        f"The first message uses {kernels:.0f} kernels for the first time, at about {format_duration(FIRST_USE_S)} "
        f"each where they must be compiled: far more than the {format_duration(limit)} in which values are due."
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
