"""PL101 growth, PL102 side-state, PL103 withheld: states that nothing evaluates, or too seldom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite

from placement_cli.advice.advice import Finding
from placement_cli.advice.cover import Evaluator, Pending, uncovered
from placement_cli.advice.findings.facts import Facts, finding, listed
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.thresholds import BACKLOG_MESSAGES
from placement_cli.units import format_size


def growth(facts: Facts) -> Iterator[Finding]:
    """Yield PL101 and PL102: one finding for each node of the document that carries state which grows."""
    yield from _unevaluated(facts)
    endless = [node for node in facts.flow.stateful if facts.cover.gaps[node.number] == inf]
    for origin, nodes in _by_origin(endless).items():
        lone = [node for node in nodes if not _dependents(facts, node)]
        if lone and facts.cover.evaluators:
            yield _side(facts, origin, lone)
        elif lone:
            yield _growing(facts, origin, lone)
        else:
            chance = [node for node in nodes if _left_to_chance(facts, node)]
            if chance:
                yield _by_chance(facts, origin, chance)


def withheld(facts: Facts) -> Iterator[Finding]:
    """Yield PL103: withholding nodes behind which the cover of some state lies although there is a better place."""
    behind: dict[str, list[tuple[FlowNode, Evaluator]]] = {}
    for node in facts.flow.stateful:
        gap, least = facts.cover.gaps[node.number], facts.least_gaps[node.number]
        found = _dependents(facts, node) if max(1.0, least) < gap and isfinite(least) else ()
        if not found:
            continue
        held = _withholders(facts, node, found[0])
        if held:
            behind.setdefault(held[0].origin, []).append((node, found[0]))
    for name, covered in behind.items():
        yield _withheld(facts, name, covered)


def _left_to_chance(facts: Facts, node: FlowNode) -> bool:
    """Whether the state of `node` may wait without end for an evaluation, wherever the points are."""
    found = _dependents(facts, node)
    if not found or isfinite(found[0].silence) or isfinite(facts.least_gaps[node.number]):
        return False
    return all(_withholders(facts, node, each) for each in found)


def _withholders(facts: Facts, node: FlowNode, evaluator: Evaluator) -> list[FlowNode]:
    """Return the withholding nodes that `evaluator` lies behind but `node` does not, in order.

    What only runs when its input gives output changes no more often than that: then nothing piles up.
    """
    nodes, before = facts.flow.nodes, _upstream(facts, node.number) - {node.number}
    behind = _upstream(facts, evaluator.node)
    if evaluator.reader is not None and not nodes[evaluator.reader].mlx:
        behind |= _upstream(facts, evaluator.reader) - {evaluator.reader}
    elif evaluator.reader is not None and nodes[evaluator.reader].node.forces == "on-emit":
        behind |= _upstream(facts, evaluator.reader)
    return [nodes[number] for number in sorted(behind - before) if not nodes[number].node.emits.always]


def _upstream(facts: Facts, number: int) -> set[int]:
    """Return node `number` and all whose output of the same message it runs on."""
    found, waiting = {number}, [number]
    while waiting:
        for link in facts.flow.inputs.get(waiting.pop(), ()):
            if link.sender >= 0 and not link.lag and link.sender not in found:
                found.add(link.sender)
                waiting.append(link.sender)
    return found


def _by_origin(nodes: Sequence[FlowNode]) -> dict[str, list[FlowNode]]:
    found: dict[str, list[FlowNode]] = {}
    for node in nodes:
        found.setdefault(node.origin, []).append(node)
    return found


def _dependents(facts: Facts, node: FlowNode) -> Sequence[Evaluator]:
    """Return what is evaluated and depends on the newest state of `node`; nothing for side state."""
    return () if node.node.state == "side" else facts.cover.of(facts.flow, node.number)


def _unevaluated(facts: Facts) -> Iterator[Finding]:
    """Yield the finding of a graph without state in which nothing is ever evaluated."""
    flow = facts.flow
    if facts.cover.evaluators or flow.stateful or not flow.mlx_nodes or flow.graph.source.kind == "once":
        return
    tail = flow.nodes[flow.tails[-1]]
    says = "Nothing in this graph is evaluated on any message: no work is done until something reads the values"
    if flow.graph.source.kind == "loop":
        says = "Nothing in this loop is evaluated: every step adds to one graph that is computed at the end"
    pending = _pending(facts, [node.number for node in flow.mlx_nodes])
    says += f". {_added(facts, pending)}."
    yield finding("PL101", tail.origin, "error", says, f"Evaluate {tail.name} on every message.", **_evidence(pending))


def _growing(facts: Facts, origin: str, nodes: Sequence[FlowNode]) -> Finding:
    pending = _pending(facts, _members(facts, nodes))
    says = f"The state of {origin} grows: nothing is evaluated on any message. {_added(facts, pending)}."
    before = ", before any node that withholds output" if _any_withholds(facts) else ""
    fix = f"Evaluate {origin} or a node after it{before}."
    if all(facts.least_gaps[node.number] == inf for node in nodes):
        fix = _hand_over(origin)
    return finding("PL101", origin, "error", says, fix, **_evidence(pending))


def _by_chance(facts: Facts, origin: str, nodes: Sequence[FlowNode]) -> Finding:
    pending = _pending(facts, _members(facts, nodes))
    says = (
        f"The state of {origin} changes on every message, but is evaluated only when there happens to be output, and "
        f"nothing bounds how long that takes. Until then {_per_message(pending)} stay pending."
    )
    return finding("PL101", origin, "warning", says, _hand_over(origin), **_evidence(pending))


def _hand_over(origin: str) -> str:
    return (
        f"No point at an output reaches it on every message: pass the state of {origin} itself to an evaluation that "
        "runs on every message."
    )


def _any_withholds(facts: Facts) -> bool:
    return any(not node.node.emits.always for node in facts.flow.nodes)


def _side(facts: Facts, origin: str, nodes: Sequence[FlowNode]) -> Finding:
    pending = _pending(facts, _members(facts, nodes))
    evaluated = listed(dict.fromkeys(facts.flow.nodes[each.node].name for each in facts.cover.evaluators))
    says = (
        f"{origin} is carried from message to message, but nothing that is evaluated ({evaluated}) depends on its "
        f"newest value. {_added(facts, pending)}."
    )
    if all(node.node.state == "side" for node in nodes):
        fix = f"Pass the state of {origin} to the evaluation that is there, or do not carry what nothing reads."
    else:
        fix = f"Evaluate {origin} together with what is evaluated already, in one call."
    return finding("PL102", origin, "error", says, fix, **_evidence(pending))


def _withheld(facts: Facts, name: str, covered: Sequence[tuple[FlowNode, Evaluator]]) -> Finding:
    nodes = [node for node, _ in covered]
    silence = max(each.silence for _, each in covered)
    pending = _pending(facts, _members(facts, nodes))
    names = listed(dict.fromkeys(node.origin for node in nodes))
    often = f"on one message in {silence:g} at worst" if isfinite(silence) else "only when there happens to be output"
    says = (
        f"{name} withholds output, and what evaluates {names} lies behind it: {often}. Until then "
        f"{_per_message(pending)} stay pending"
    )
    says += (
        f", up to {pending.ops * silence:.0f} ops and {format_size(pending.bytes * silence)}."
        if isfinite(silence)
        else "."
    )
    last = [node.origin for node in nodes if node.origin != name]
    fix = f"Evaluate at or after {last[-1]}, before {name}." if last else _hand_over(name)
    return finding("PL103", name, "warning" if isfinite(silence) else "error", says, fix, **_evidence(pending))


def _members(facts: Facts, nodes: Sequence[FlowNode]) -> list[int]:
    found: set[int] = set()
    for node in nodes:
        found |= set(uncovered(facts.flow, facts.cover, node.number))
    return sorted(found)


def _pending(facts: Facts, numbers: Sequence[int]) -> Pending:
    loads = [facts.loads[number] for number in numbers]
    reads_source = any(link.reader in numbers for link in facts.flow.readers.get(-1, ()))
    source = facts.flow.graph.source.message_bytes if reads_source else 0
    return Pending(
        sum(load.ops for load in loads),
        sum(load.buffers for load in loads),
        source + sum(load.held_bytes for load in loads),
    )


def _added(facts: Facts, pending: Pending) -> str:
    return f"Every message adds {_amounts(pending)}{_trouble(facts, pending)}"


def _per_message(pending: Pending) -> str:
    return f"every message's {_amounts(pending)}"


def _amounts(pending: Pending) -> str:
    ops, buffers = (
        f"{n:g} {what}{'s' if n != 1 else ''}" for n, what in ((pending.ops, "op"), (pending.buffers, "buffer"))
    )
    return f"{ops}, {buffers} and {format_size(pending.bytes)}"


def _trouble(facts: Facts, pending: Pending) -> str:
    """Return when that becomes a problem: at the limit of buffers or memory; else how much it adds up to."""
    ends = []
    if facts.machine.kind == "metal" and pending.buffers > 0:
        at = facts.bounds.buffers / pending.buffers
        ends.append((at, f"the limit of {facts.bounds.buffers} buffers after {at:.0f} messages"))
    if facts.bounds.memory_bytes is not None and pending.bytes > 0:
        at = facts.bounds.memory_bytes / pending.bytes
        ends.append((at, f"the memory limit of {format_size(facts.bounds.memory_bytes)} after {at:.0f} messages"))
    total = facts.flow.graph.source.messages or BACKLOG_MESSAGES
    ends = [end for end in ends if end[0] <= total] or ends[:0]
    if ends:
        return f"; it reaches {min(ends)[1]}"
    return f"; {total} messages make {pending.ops * total:.0f} ops and {format_size(pending.bytes * total)}"


def _evidence(pending: Pending) -> dict[str, float | str]:
    return {
        "ops_per_message": pending.ops,
        "buffers_per_message": pending.buffers,
        "bytes_per_message": pending.bytes,
    }
