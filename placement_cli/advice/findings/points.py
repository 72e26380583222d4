"""PL201 per-node, PL202 redundant, PL206 fan-out and PL204 blocking: today's points, each told of once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.blocking import blocking
from placement_cli.advice.findings.branches import apart, fan_out, one_by_one
from placement_cli.advice.findings.facts import Facts, finding, groups_of, listed, named
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.numbers import Numbers
from placement_cli.advice.thresholds import MUCH_MORE_MEMORY, NOTICEABLE
from placement_cli.graph.mode import OFF
from placement_cli.units import format_duration


def points(facts: Facts) -> Iterator[Finding]:
    """Yield what is wrong with the points that are there. What PL201 and PL206 tell of is no more told by PL202."""
    branches, outputs = one_by_one(facts), apart(facts)
    spare = _spare(facts, branches)
    void = _void(facts, [*spare, *branches, *outputs])
    yield from _per_node(facts, spare)
    yield from fan_out(facts, branches, outputs)
    yield from (_redundant(facts, nodes, without) for nodes, without in void)
    yield from blocking(facts, [node for nodes, _ in void for node in nodes if _read_as_often(facts, node)])


def _spare(facts: Facts, branches: Sequence[FlowNode]) -> list[FlowNode]:
    """Return the points inside segments that cost more than they hide, `branches` left out."""
    told = {node.number for node in branches} | set(facts.flow.tails)
    inner = [node for node in facts.removable() if node.number not in told and _covered_later(facts, node)]
    if not inner or not facts.saves(facts.with_modes({node.name: OFF for node in inner})):
        return []
    return inner


def _covered_later(facts: Facts, node: FlowNode) -> bool:
    """Whether something evaluated after this node depends on it, and as often."""
    found = facts.cover.of(facts.flow, node.number)
    return any(each.node != node.number and each.silence <= node.silence for each in found)


def _read_as_often(facts: Facts, node: FlowNode) -> bool:
    """Whether a read of values depends on this node and happens as often as it gives output."""
    found = facts.cover.of(facts.flow, node.number)
    return any(each.mode is None and each.silence <= node.silence for each in found)


def _per_node(facts: Facts, spare: Sequence[FlowNode]) -> Iterator[Finding]:
    if not spare:
        return
    without = facts.with_modes({node.name: OFF for node in spare})
    count = len(facts.points())
    says = (
        f"{count} evaluation points hold the host for {format_duration(facts.now.host_s)} a message; without "
        f"{named(spare)} it would be {format_duration(without.host_s)}, and as much would be evaluated."
    )
    yield finding(
        "PL201",
        spare[0].origin,
        "warning",
        says,
        "Evaluate once at the end of the segment: everything before it is evaluated with it.",
        points=float(count),
        host_s=facts.now.host_s,
        host_without_s=without.host_s,
    )


def _void(facts: Facts, told: Sequence[FlowNode]) -> list[tuple[list[FlowNode], Numbers]]:
    """Return the points, by node of the document, without which nothing is slower, larger or left out; `told` not."""
    known = {node.number for node in told}
    left = [node for node in facts.removable() if node.number not in known]
    groups = groups_of([node for node in left if _covered_later(facts, node) or _read_as_often(facts, node)])
    played = facts.play([{**facts.current, **{node.name: OFF for node in nodes}} for nodes in groups]) if groups else []
    return [(nodes, then) for nodes, then in zip(groups, played, strict=True) if _costs_nothing(facts, then)]


def _costs_nothing(facts: Facts, without: Numbers) -> bool:
    slower = without.host_s - facts.now.host_s > NOTICEABLE * facts.now.host_s
    return not slower and without.memory_bytes <= MUCH_MORE_MEMORY * facts.now.memory_bytes


def _redundant(facts: Facts, nodes: Sequence[FlowNode], without: Numbers) -> Finding:
    numbers = {node.number for node in nodes}
    read = any(each.mode is None and each.node in numbers for each in facts.cover.evaluators)
    names, modes = named(nodes), listed(_words(facts, nodes))
    why = (
        f"The values of {names} are read as often as they come, and no host work in between could overlap"
        if read
        else f"What is evaluated after {names} evaluates it too, as often"
    )
    says = (
        f"{why}: with {modes} there the host is held for {format_duration(facts.now.host_s)} a message, without it for "
        f"{format_duration(without.host_s)}."
    )
    fix = f"Leave {names} to {'what reads it' if read else 'the point after it'}: off gives the same."
    return finding("PL202", nodes[0].origin, "note", says, fix, host_s=facts.now.host_s, host_without_s=without.host_s)


def _words(facts: Facts, nodes: Sequence[FlowNode]) -> Mapping[str, None]:
    return dict.fromkeys(str(facts.current[node.name]) for node in nodes)
