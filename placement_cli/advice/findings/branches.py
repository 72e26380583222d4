"""PL206 fan-out: results of one message that are evaluated one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, named
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.numbers import Numbers
from placement_cli.advice.thresholds import MANY_OUTPUTS, NOTICEABLE
from placement_cli.graph.mode import ASYNC, OFF, Mode, ModeKind
from placement_cli.units import format_duration


def fan_out(facts: Facts, branches: Sequence[FlowNode], outputs: Sequence[FlowNode]) -> Iterator[Finding]:
    """Yield PL206: `branches` evaluated one by one although they meet again, `outputs` that one call could evaluate."""
    if branches:
        join = _joins(facts, branches)[0]
        once = _at_once(facts, branches, join)
        says = (
            f"{named(branches)} are evaluated one by one, although {join.origin} joins them: "
            f"{format_duration(facts.now.host_s)} of host time a message, and {format_duration(once.host_s)} for once."
        )
        fix = f"Evaluate once at {join.origin}, or all branches in one call."
        yield finding("PL206", join.origin, "warning", says, fix, host_s=facts.now.host_s, host_once_s=once.host_s)
    if outputs:
        yield _separate(facts, outputs)


def one_by_one(facts: Facts) -> list[FlowNode]:
    """Return the points on branches that would cost noticeably less as one point where the branches meet."""
    branches = _parallel(facts)
    if len(branches) < 2:
        return []
    joins = _joins(facts, branches)
    return branches if joins and facts.saves(_at_once(facts, branches, joins[0])) else []


def _parallel(facts: Facts) -> list[FlowNode]:
    """Return the points on branches that meet again: neither depends on the other, a later node on both."""
    above, below = facts.flow.above, _below(facts)
    nodes = [node for node in facts.removable() if node.number not in facts.flow.tails]
    points = sum(1 << node.number for node in nodes)
    tails = [above[tail] for tail in facts.flow.tails]
    found = []
    for node in nodes:
        apart = points & ~(above[node.number] | below[node.number])
        if apart and any(tail & apart and tail >> node.number & 1 for tail in tails):
            found.append(node)
    return found


def _below(facts: Facts) -> list[int]:
    """Return for each node those that depend on it within a message, itself included, as bits."""
    found = [1 << node.number for node in facts.flow.nodes]
    for node in reversed(facts.flow.nodes):
        for link in facts.flow.inputs.get(node.number, ()):
            if facts.flow.passes_on(link) and not link.lag and not link.leaky:
                found[link.sender] |= found[node.number]
    return found


def _joins(facts: Facts, branches: Sequence[FlowNode]) -> list[FlowNode]:
    """Return the nodes that depend on more than one of `branches`, in order."""
    every = sum(1 << branch.number for branch in branches)
    return [node for node in facts.flow.mlx_nodes if (facts.flow.above[node.number] & every).bit_count() > 1]


def _at_once(facts: Facts, branches: Sequence[FlowNode], join: FlowNode) -> Numbers:
    """Return the numbers without points at `branches`, and with one at `join` where nothing else evaluates it."""
    changes: dict[str, Mode] = {node.name: OFF for node in branches}
    own = {node.number for node in branches}
    later = [each for each in facts.cover.evaluators if each.node not in own]
    if not any(facts.flow.above[each.node] >> join.number & 1 for each in later):
        changes[join.name] = ASYNC
    return facts.with_modes(changes)


def _separate(facts: Facts, outputs: Sequence[FlowNode]) -> Finding:
    saved_s = _saved_s(facts, outputs)
    waits = [node for node in outputs if facts.current[node.name].kind is ModeKind.SYNC]
    says = (
        f"{named(outputs)} are outputs of one message and evaluated one by one. One call with all of them saves about "
        f"{format_duration(saved_s)} of {format_duration(facts.now.host_s)} a message."
    )
    return finding(
        "PL206",
        outputs[-1].origin,
        "warning" if len(waits) > 1 or len(outputs) >= MANY_OUTPUTS else "note",
        says,
        "Evaluate them in one call: mx.eval and mx.async_eval take any number of arrays.",
        outputs=float(len(outputs)),
        saved_s=saved_s,
        host_s=facts.now.host_s,
    )


def apart(facts: Facts) -> list[FlowNode]:
    """Return the outputs of one message for which one call in place of several saves noticeable time."""
    outputs = _outputs(facts)
    if len(outputs) < 2 or _saved_s(facts, outputs) <= NOTICEABLE * facts.now.host_s:
        return []
    return outputs


def _saved_s(facts: Facts, outputs: Sequence[FlowNode]) -> float:
    """Return the host time of all calls but one, and of all waits but one."""
    costs = facts.machine.costs
    waits = sum(facts.current[node.name].kind in {ModeKind.SYNC, ModeKind.OFF} for node in outputs)
    return (len(outputs) - 1) * costs.submit_call_s + max(0, waits - 1) * costs.round_trip_s


def _outputs(facts: Facts) -> list[FlowNode]:
    """Return the ends of segments that are evaluated on every message, in the thread that has most of them."""
    read = {each.node for each in facts.cover.evaluators if each.mode is None and each.silence == 1.0}
    places: dict[tuple[str, str], list[FlowNode]] = {}
    for number in facts.flow.tails:
        node = facts.flow.nodes[number]
        mode = facts.current[node.name]
        evaluated = mode.period == 1 or (number in read and not mode.submits)
        if evaluated and node.silence == 1.0 and not node.node.pinned:
            places.setdefault(node.place, []).append(node)
    return max(places.values(), key=len, default=[])
