"""PL101 growth, PL102 side-state, PL103 withheld: states that nothing evaluates, or too seldom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite

from placement_cli.advise.advice import Finding
from placement_cli.advise.cover import Evaluator, Pending, uncovered
from placement_cli.advise.findings.facts import Facts, finding, listed
from placement_cli.advise.flow import FlowNode
from placement_cli.advise.thresholds import BACKLOG_MESSAGES
from placement_cli.units import format_size


def growth(facts: Facts) -> Iterator[Finding]:
    """Yield what grows: one finding for each node of the document that carries state."""
    yield from _unevaluated(facts)
    for origin, nodes in _by_origin(facts).items():
        lone = [node for node in nodes if not _dependents(facts, node)]
        if lone and facts.cover.evaluators:
            yield _side(facts, origin, lone)
        elif lone:
            yield _growing(facts, origin, lone, "nothing is evaluated on any message")
        else:
            chance = [node for node in nodes if facts.cover.gaps[node.number] == inf]
            if chance:
                why = "what depends on it is evaluated only when a node happens to give output"
                yield _growing(facts, origin, chance, why)


def withheld(facts: Facts) -> Iterator[Finding]:
    """Yield the withholding nodes behind which the best cover of some state lies although a better place exists."""
    behind: dict[str, list[tuple[FlowNode, Evaluator]]] = {}
    for node in facts.flow.stateful:
        found = _dependents(facts, node)
        if not found or (found[0].silence <= max(1.0, facts.least_gaps[node.number]) and isfinite(found[0].silence)):
            continue
        if facts.flow.nodes[found[0].node].silence > 1.0:
            behind.setdefault(_withholder(facts, found[0]), []).append((node, found[0]))
    for name, covered in behind.items():
        yield _withheld(facts, name, covered)


def _by_origin(facts: Facts) -> dict[str, list[FlowNode]]:
    found: dict[str, list[FlowNode]] = {}
    for node in facts.flow.stateful:
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
    says += f" ({_per_message(pending)}){_trouble(facts, pending)}."
    yield finding("PL101", tail.origin, "error", says, f"Evaluate {tail.name} on every message.", **_evidence(pending))


def _growing(facts: Facts, origin: str, nodes: Sequence[FlowNode], why: str) -> Finding:
    pending = _pending(facts, _members(facts, nodes))
    least = max(facts.least_gaps[node.number] for node in nodes)
    says = f"The state of {origin} grows: {why}. {_per_message(pending, capital=True)}{_trouble(facts, pending)}."
    if least == inf:
        fix = (
            f"No point at an output reaches it on every message: pass the state of {origin} itself to an evaluation "
            "that runs on every message."
        )
    else:
        fix = f"Evaluate {origin} or a node after it, before any node that withholds output."
    return finding("PL101", origin, "error", says, fix, **_evidence(pending))


def _side(facts: Facts, origin: str, nodes: Sequence[FlowNode]) -> Finding:
    pending = _pending(facts, _members(facts, nodes))
    evaluated = listed(dict.fromkeys(facts.flow.nodes[each.node].name for each in facts.cover.evaluators))
    says = (
        f"{origin} is carried from message to message, but nothing that is evaluated ({evaluated}) depends on its "
        f"newest value. {_per_message(pending, capital=True)}{_trouble(facts, pending)}."
    )
    if all(node.node.state == "side" for node in nodes):
        fix = f"Pass the state of {origin} to the evaluation that is there, or do not carry what nothing reads."
    else:
        fix = f"Evaluate {origin} together with what is evaluated already, in one call."
    return finding("PL102", origin, "error", says, fix, **_evidence(pending))


def _withholder(facts: Facts, evaluator: Evaluator) -> str:
    """Return the first node on the way to what is evaluated that withholds output."""
    above = facts.flow.above[evaluator.node]
    held = [n for n in facts.flow.mlx_nodes if above >> n.number & 1 and not n.node.emits.always]
    return held[0].origin if held else facts.flow.nodes[evaluator.node].origin


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
    fix = f"Evaluate at or after {nodes[-1].origin}, before {name}."
    if nodes[-1].origin == name:
        fix = f"Pass the state of {name} itself to an evaluation that runs on every message."
    return finding("PL103", name, "warning" if isfinite(silence) else "error", says, fix, **_evidence(pending))


def _members(facts: Facts, nodes: Sequence[FlowNode]) -> list[int]:
    found: set[int] = set()
    for node in nodes:
        found |= set(uncovered(facts.flow, facts.cover, node.number))
    return sorted(found)


def _pending(facts: Facts, numbers: Sequence[int]) -> Pending:
    loads = [facts.loads[number] for number in numbers]
    source = facts.flow.graph.source.message_bytes
    return Pending(
        sum(load.ops for load in loads),
        sum(load.buffers for load in loads),
        source + sum(load.held_bytes for load in loads),
    )


def _per_message(pending: Pending, *, capital: bool = False) -> str:
    word = "Every" if capital else "every"
    verb = " adds" if capital else "'s"
    ops = f"{pending.ops:g} op{'s' if pending.ops != 1 else ''}"
    return f"{word} message{verb} {ops}, {pending.buffers:g} buffers and {format_size(pending.bytes)}"


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
