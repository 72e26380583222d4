"""PL204 blocking and PL205 deferred: a wait where none is needed, and overlap that is given away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, groups_of, named
from placement_cli.advice.flow import FlowNode
from placement_cli.advice.numbers import Numbers
from placement_cli.advice.thresholds import BLOCKING_GAIN, MOST_JUDGED
from placement_cli.graph.mode import ASYNC, Mode, ModeKind, window
from placement_cli.units import format_duration


def blocking(facts: Facts, void: Sequence[FlowNode]) -> Iterator[Finding]:
    """Yield PL204: a SYNC that ASYNC or a window could replace for less, limits kept; `void` is read at once anyway."""
    read = {node.number for node in void}
    waits = [node for node in facts.movable() if _waits(facts.current[node.name]) and node.number not in read]
    if facts.hopeless:  # then the advice holds on to some, as the least bad
        waits = [node for node in waits if not _waits(facts.advised.placement[node.name])]
    groups = groups_of(waits)
    found = [each for nodes in groups if (each := _unblocked(facts, nodes))]
    if not found and len(groups) > 1 and (together := _unblocked(facts, waits)):
        found = [together]
    yield from found


def _waits(mode: Mode) -> bool:
    return mode.kind is ModeKind.SYNC


def _unblocked(facts: Facts, nodes: Sequence[FlowNode]) -> Finding | None:
    """Return what replacing the SYNC at some nodes wins, None where it is too little or breaks a limit."""
    modes = _instead(facts, nodes)
    played = facts.play([{**facts.current, **dict.fromkeys((node.name for node in nodes), mode)} for mode in modes])
    for mode, then in zip(modes, played, strict=True):
        if facts.keeps_limits(then) and facts.saves(then, BLOCKING_GAIN):
            return _blocks(facts, nodes, mode, then)
    return None


def _instead(facts: Facts, nodes: Sequence[FlowNode]) -> list[Mode]:
    """Return what could stand for SYNC, as advised first. Inside a segment the tail bounds what is in flight."""
    advised = facts.advised.placement[nodes[-1].name]
    inside = not any(node.number in facts.flow.tails for node in nodes)
    usual = [ASYNC] if inside else [window(1), window(2), ASYNC]
    return [advised, *usual] if advised.kind in {ModeKind.ASYNC, ModeKind.WINDOW} else usual


def _blocks(facts: Facts, nodes: Sequence[FlowNode], mode: Mode, then: Numbers) -> Finding:
    says = (
        f"SYNC at {named(nodes)} makes the host wait on every message: it is held for "
        f"{format_duration(facts.now.host_s)} a message, with {mode} for {format_duration(then.host_s)}. The graph "
        "grows no more than with SYNC."
    )
    fix = f"Use {mode} at {named(nodes)}."
    return finding("PL204", nodes[-1].origin, "warning", says, fix, host_s=facts.now.host_s, host_then_s=then.host_s)


def deferred(facts: Facts) -> Iterator[Finding]:
    """Yield PL205: evaluation left to a read although host work stands in between that it could overlap."""
    nodes = [node for node in _read_lazily(facts) if not node.node.pinned][:MOST_JUDGED]
    played = facts.play([{**facts.current, node.name: ASYNC} for node in nodes]) if nodes else []
    for node, earlier in zip(nodes, played, strict=True):
        if not facts.saves(earlier):
            continue
        says = (
            f"{node.origin} is computed only when its values are read, after host work that could run meanwhile: "
            f"{format_duration(facts.now.host_s)} a message, and {format_duration(earlier.host_s)} with ASYNC there."
        )
        fix = f"Submit {node.origin} with ASYNC as soon as it is built."
        yield finding("PL205", node.origin, "warning", says, fix, host_s=facts.now.host_s, host_async_s=earlier.host_s)


def _read_lazily(facts: Facts) -> list[FlowNode]:
    """Return the ends of segments without a point whose values are read as often as they give output."""
    read = {each.node for each in facts.cover.evaluators if each.mode is None}
    tails = [facts.flow.nodes[number] for number in facts.flow.tails if number in read]
    return [
        node
        for node in tails
        if not facts.current[node.name].submits
        and any(e.mode is None and e.silence <= node.silence for e in facts.cover.of(facts.flow, node.number))
    ]
