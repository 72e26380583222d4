"""PL201 to PL207: evaluation points that cost more than they give, and such that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from placement_cli.advise.advice import Finding
from placement_cli.advise.findings.facts import Facts, finding, listed
from placement_cli.advise.flow import FlowNode
from placement_cli.advise.numbers import Numbers
from placement_cli.advise.thresholds import BLOCKING_GAIN, NOTICEABLE, SHORTEST_S, STALL_SHARE
from placement_cli.graph.mode import ASYNC, OFF, Mode, ModeKind, window
from placement_cli.units import format_duration, format_percent


def _play(facts: Facts, changes: Mapping[str, Mode]) -> Numbers:
    return facts.play([facts.changed(changes)])[0]


def _saves(before_s: float, after_s: float, share: float = NOTICEABLE) -> bool:
    return before_s - after_s > max(share * before_s, SHORTEST_S)


def _movable(facts: Facts) -> list[FlowNode]:
    return [node for node in facts.points() if not node.node.pinned]


def per_node(facts: Facts) -> Iterator[Finding]:
    """Yield PL201: points inside a segment whose host time is more than they hide."""
    parallel = {node.number for node in _parallel(facts)}
    inner = [node for node in _movable(facts) if node.number not in facts.flow.tails and node.number not in parallel]
    inner = [node for node in inner if _covered_later(facts, node)]
    if not inner:
        return
    without = _play(facts, {node.name: OFF for node in inner})
    if not _saves(facts.now.host_s, without.host_s):
        return
    points = len(facts.points())
    says = (
        f"{points} evaluation points hold the host for {format_duration(facts.now.host_s)} a message; without those "
        f"at {listed(node.name for node in inner)} it is {format_duration(without.host_s)}."
    )
    fix = "Evaluate once at the end of the segment: everything before it is evaluated with it."
    yield finding(
        "PL201",
        inner[0].name,
        "warning",
        says,
        fix,
        points=float(points),
        host_s=facts.now.host_s,
        host_without_s=without.host_s,
    )


def _covered_later(facts: Facts, node: FlowNode) -> bool:
    """Whether something evaluated at or after another node depends on this one, as often."""
    found = facts.cover.of(facts.flow, node.number)
    return any(each.node != node.number and each.silence <= node.silence for each in found)


def _parallel(facts: Facts) -> list[FlowNode]:
    """Return the movable points on branches that meet again: neither depends on the other, a later node on both."""
    above = facts.flow.above
    nodes = [node for node in _movable(facts) if node.number not in facts.flow.tails]
    found = []
    for node in nodes:
        bit = 1 << node.number
        for other in nodes:
            apart = other is not node and not above[other.number] & bit and not above[node.number] >> other.number & 1
            both = bit | 1 << other.number
            if apart and any(above[tail] & both == both for tail in facts.flow.tails):
                found.append(node)
                break
    return found


def fan_out(facts: Facts) -> Iterator[Finding]:
    """Yield PL206: branches that are evaluated one by one although they meet again."""
    branches = _parallel(facts)
    if len(branches) < 2:
        return
    joins = [n for n in facts.flow.mlx_nodes if _joins(facts, n, branches)]
    if not joins:
        return
    join = joins[0]
    changes = {node.name: OFF for node in branches}
    if not any(facts.flow.above[each.node] >> join.number & 1 for each in facts.cover.evaluators):
        changes[join.name] = ASYNC
    once = _play(facts, changes)
    if not _saves(facts.now.host_s, once.host_s):
        return
    says = (
        f"{listed(node.name for node in branches)} are evaluated one by one, although {join.name} joins them: "
        f"{format_duration(facts.now.host_s)} of host time a message against {format_duration(once.host_s)} for once."
    )
    fix = f"Evaluate once at {join.name}, or all branches in one call."
    yield finding("PL206", join.name, "warning", says, fix, host_s=facts.now.host_s, host_once_s=once.host_s)


def _joins(facts: Facts, node: FlowNode, branches: list[FlowNode]) -> bool:
    every = sum(1 << branch.number for branch in branches)
    return (facts.flow.above[node.number] & every).bit_count() > 1


def redundant(facts: Facts) -> Iterator[Finding]:
    """Yield PL202: points right before a read of the same values, which waits for them anyway."""
    for node in _movable(facts):
        if not _read_as_often(facts, node):
            continue
        without = _play(facts, {node.name: OFF})
        faster = facts.now.host_s - without.host_s
        if -faster > NOTICEABLE * facts.now.host_s or without.memory_bytes > 1.1 * facts.now.memory_bytes:
            continue
        says = (
            f"The values of {node.name} are read on every message anyway, and no host work in between could overlap: "
            f"with its {facts.current[node.name]} the host is held for {format_duration(facts.now.host_s)}, without it "
            f"for {format_duration(without.host_s)}."
        )
        yield finding(
            "PL202",
            node.name,
            "note",
            says,
            f"Leave {node.name} to what reads it: off costs nothing.",
            host_s=facts.now.host_s,
            host_without_s=without.host_s,
        )


def _read_as_often(facts: Facts, node: FlowNode) -> bool:
    """Whether a read of values depends on this node and happens as often as it gives output."""
    bit = 1 << node.number
    return any(
        each.mode is None and facts.flow.above[each.node] & bit and each.silence <= node.silence
        for each in facts.cover.evaluators
    )


def blocking(facts: Facts) -> Iterator[Finding]:
    """Yield PL204: a SYNC that a window or ASYNC could replace for less, limits kept."""
    void = {found.node for found in redundant(facts)}
    for node in _movable(facts):
        if facts.current[node.name].kind is not ModeKind.SYNC or node.name in void:
            continue
        options = [window(1), window(2), ASYNC]
        played = facts.play([facts.changed({node.name: mode}) for mode in options])
        good = [(n, mode) for n, mode in zip(played, options, strict=True) if _keeps(facts, n)]
        gaining = [(n, mode) for n, mode in good if _saves(facts.now.host_s, n.host_s, BLOCKING_GAIN)]
        if not gaining:
            continue
        numbers, mode = gaining[0]
        says = (
            f"SYNC at {node.name} makes the host wait for every message: it is held for "
            f"{format_duration(facts.now.host_s)}; with {mode} the graph grows as little and it is "
            f"{format_duration(numbers.host_s)}."
        )
        fix = f"Use {mode} at {node.name}."
        yield finding("PL204", node.name, "warning", says, fix, host_s=facts.now.host_s, host_then_s=numbers.host_s)


def _keeps(facts: Facts, numbers: Numbers) -> bool:
    """Whether limits on latency and memory that hold today still hold."""
    bounds = facts.bounds
    late = bounds.latency_s is not None and numbers.latency_p90_s > max(bounds.latency_s, facts.now.latency_p90_s)
    large = bounds.memory_bytes is not None and numbers.memory_bytes > max(bounds.memory_bytes, facts.now.memory_bytes)
    return not late and not large


def deferred(facts: Facts) -> Iterator[Finding]:
    """Yield PL205: evaluation left to a read although host work stands in between that it could overlap."""
    for number in facts.flow.tails:
        node = facts.flow.nodes[number]
        if facts.current[node.name].submits or not _read_as_often(facts, node):
            continue
        earlier = _play(facts, {node.name: ASYNC})
        if not _saves(facts.now.host_s, earlier.host_s):
            continue
        says = (
            f"{node.name} is computed only when its values are read, after host work that could run meanwhile: "
            f"{format_duration(facts.now.host_s)} a message, and {format_duration(earlier.host_s)} with ASYNC there."
        )
        fix = f"Submit {node.name} with ASYNC as soon as it is built."
        yield finding("PL205", node.name, "warning", says, fix, host_s=facts.now.host_s, host_async_s=earlier.host_s)


def hidden_sync(facts: Facts) -> Iterator[Finding]:
    """Yield PL203: nodes that read values on the host by themselves."""
    flow = facts.flow
    nodes = [
        node
        for node in flow.mlx_nodes
        if node.node.forces != "never"
        and any(link.sender >= 0 and flow.nodes[link.sender].mlx for link in flow.inputs.get(node.number, ()))
    ]
    for node in nodes:
        free = facts.unforced()
        gain = facts.now.host_s / free.host_s if free.host_s > 0 else 1.0
        often = "on every message" if node.node.forces == "always" else "whenever it gives output"
        says = (
            f"{node.name} reads values on the host {often}, in the middle of the graph: the host waits there for "
            f"{format_duration(facts.now.waited_s)} a message. Without such reads a message would take "
            f"{format_duration(free.host_s)} of the host instead of {format_duration(facts.now.host_s)}."
        )
        fix = f"Keep what {node.name} decides on the device (mx.where), or let it look at the previous message."
        yield finding(
            "PL203",
            node.origin,
            "warning",
            says,
            fix,
            waited_s=facts.now.waited_s,
            host_s=facts.now.host_s,
            host_without_s=free.host_s,
            gain=gain,
        )


def queue_stall(facts: Facts) -> Iterator[Finding]:
    """Yield PL207: ASYNC that blocks because the queue of this backend is full."""
    nodes = [n for n in facts.points() if facts.current[n.name].kind in {ModeKind.ASYNC, ModeKind.WINDOW}]
    share = facts.now.blocked_s / facts.now.period_s if facts.now.period_s > 0 else 0.0
    short = facts.now.capacity < 1.0
    if not nodes or not (short or share > STALL_SHARE):
        return
    ops = sum(load.ops for load in facts.loads)
    if short:
        why = f"one message of {ops:.0f} ops does not fit into the queue"
    else:
        why = f"the device is slower than the host, and the queue holds {facts.now.capacity:.0f} messages"
    says = (
        f"Submitting at {listed(node.name for node in nodes)} blocks on this backend: {why}. The host stands for "
        f"{format_duration(facts.now.blocked_s)} a message, {format_percent(share)} of the time."
    )
    fix = "Count on it: host time beside the device is no longer than that; a window makes the same bound explicit."
    yield finding(
        "PL207",
        nodes[-1].name,
        "note",
        says,
        fix,
        blocked_s=facts.now.blocked_s,
        messages_that_fit=min(facts.now.capacity, 1e9),
        ops_per_message=ops,
    )
