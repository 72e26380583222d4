"""PL203 hidden-sync and PL207 queue-stall: places where the host stands although nobody asked it to wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, named
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.numbers import Numbers
from placement_cli.advice.thresholds import STALL_SHARE
from placement_cli.graph.mode import ModeKind
from placement_cli.units import format_duration, format_percent


def hidden_sync(facts: Facts) -> Iterator[Finding]:
    """Yield PL203: nodes that read values on the host by themselves, copies of a repeated node once."""
    readers: dict[str, list[FlowNode]] = {}
    for node in facts.flow.mlx_nodes:
        if node.node.forces != "never" and _reads_arrays(facts, node):
            readers.setdefault(node.origin, []).append(node)
    free = facts.unforced() if readers else facts.now
    for nodes in readers.values():
        yield _hidden(facts, nodes, free)


def _reads_arrays(facts: Facts, node: FlowNode) -> bool:
    links = facts.flow.inputs.get(node.number, ())
    return any(link.sender >= 0 and facts.flow.nodes[link.sender].mlx for link in links)


def _hidden(facts: Facts, nodes: Sequence[FlowNode], free: Numbers) -> Finding:
    now = facts.now
    often = "on every message" if nodes[0].node.forces == "always" else "whenever there is output"
    verb = "read" if len(nodes) > 1 else "reads"
    says = f"{named(nodes)} {verb} values on the host {often}, in the middle of the graph."
    costly = facts.saves(free)
    if costly:
        says += (
            f" The host waits for {format_duration(now.waited_s)} a message; without such reads a message would hold "
            f"it for {format_duration(free.host_s)} instead of {format_duration(now.host_s)}."
        )
    return finding(
        "PL203",
        nodes[0].origin,
        "warning" if costly else "note",
        says,
        f"Keep what {nodes[0].origin} decides on the device (mx.where), or let it look at the message before (lag: 1).",
        waited_s=now.waited_s,
        host_s=now.host_s,
        host_without_s=free.host_s,
        gain=now.host_s / free.host_s if free.host_s > 0 else 1.0,
    )


def queue_stall(facts: Facts) -> Iterator[Finding]:
    """Yield PL207: ASYNC that blocks because the queue of this backend is full."""
    nodes = [n for n in facts.points() if facts.current[n.name].kind in {ModeKind.ASYNC, ModeKind.WINDOW}]
    now = facts.now
    share = now.blocked_s / now.period_s if now.period_s > 0 else 0.0
    short = now.capacity < 1.0
    if not nodes or not (short or share > STALL_SHARE):
        return
    ops = sum(load.ops for load in facts.loads)
    if short:
        why = f"the {ops:.0f} ops of one message do not fit into the queue"
        fix = "Count on it: ASYNC returns only when most of the message is done. Fewer ops would fit (mx.compile)."
    else:
        why = f"the device is slower than the host, and the queue is full with {now.capacity:.3g} messages"
        fix = (
            "Nothing is lost where the host has only messages to build: the device is busy all the time. Where other "
            "work waits on this thread, bound what is in flight with a small window."
        )
    says = (
        f"Submitting at {named(nodes)} blocks: {why}. The host stands for {format_duration(now.blocked_s)} a message, "
        f"{format_percent(share)} of the time."
    )
    yield finding(
        "PL207",
        nodes[-1].origin,
        "note",
        says,
        fix,
        blocked_s=now.blocked_s,
        messages_that_fit=min(now.capacity, 1e9),
        ops_per_message=ops,
    )
