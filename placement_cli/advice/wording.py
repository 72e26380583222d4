"""The sentences of an advice: its verdict, what was assumed, what would settle it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.copies import folded
from placement_cli.advice.findings.facts import Facts, listed
from placement_cli.advice.thresholds import NEAR_LIMIT, NOTICEABLE
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import Mode
from placement_cli.units import format_duration, format_percent, format_ratio, format_size

_WORDS = {
    "live": "keep up with the source and the limits, then hold the host as briefly as possible",
    "replay": "keep the limits, then the least time per message",
    "loop": "keep the limits, then the least time per step",
    "once": "keep the memory limit, then the least time for the pass",
}


def objective(graph: Graph) -> str:
    """Return what is optimised, as a phrase."""
    return _WORDS[graph.source.kind]


def verdict(facts: Facts, findings: Sequence[Finding], violated: Sequence[str]) -> str:
    """Return the advice in one sentence."""
    if not facts.flow.mlx_nodes:
        return "Nothing here computes with MLX: there is nothing to place."
    changes = _changes(facts)
    if violated:
        first = violated[0][0].lower() + violated[0][1:].rstrip(".")
        return f"No placement keeps all limits; the least bad is {_least_bad(changes)}: {first}."
    return f"{_head(changes)}{_reason(facts, bool(changes), findings)}."


def _changes(facts: Facts) -> dict[str, Mode]:
    """Return what changes, by the names of the document where all copies of a node change alike."""
    placement = facts.advised.placement
    changed = {name: mode for name, mode in placement.items() if facts.current[name] != mode}
    return folded(facts.flow.graph, changed)


def _least_bad(changes: Mapping[str, Mode]) -> str:
    head = _head(changes)
    return head if head.split()[0].isupper() else "to change nothing" if not changes else head[0].lower() + head[1:]


def _head(changes: Mapping[str, Mode]) -> str:
    if not changes:
        return "Change nothing"
    on: dict[str, list[str]] = {}
    for name, mode in changes.items():
        on.setdefault(str(mode).upper() if mode.submits else "OFF", []).append(name)
    points = [f"{mode} at {listed(names)}" for mode, names in on.items() if mode != "OFF"]
    off = [f"no point at {listed(names)}" for mode, names in on.items() if mode == "OFF"]
    head = ", ".join([*points, *off])
    return head[0].upper() + head[1:]


def _reason(facts: Facts, changes: bool, findings: Sequence[Finding]) -> str:
    parts = [*_guarantees(facts, findings), *_gains(facts)] if changes else [_unchanged(findings)]
    if changes and not parts:
        parts.append("about the same time per message")
    period = facts.bounds.period_s
    if period is not None and facts.advised.busiest_s > NEAR_LIMIT * period:
        share = format_percent(facts.advised.busiest_s / period)
        parts.append(f"the host has little reserve, {share} of the time between messages is taken")
    return ": " + "; ".join(parts)


def _guarantees(facts: Facts, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what is kept from growing, from being left out, or from passing the memory limit."""
    grows = [each for each in findings if each.code in {"PL101", "PL102", "PL103"} and each.severity != "note"]
    behind = dict.fromkeys(str(each.node) for each in grows if each.code == "PL103")
    growing = dict.fromkeys(str(each.node) for each in grows if each.code != "PL103")
    if behind:
        yield f"so that what comes before {listed(behind)} is evaluated on every message"
    if growing:
        yield f"so that {listed(growing)} cannot grow"
    if facts.missing and not grows:
        yield f"today {facts.missing[0]}"
    memory, now, then = facts.bounds.memory_bytes, facts.now.memory_bytes, facts.advised.memory_bytes
    if memory is not None and now > memory >= then:
        yield f"{format_size(then)} in flight instead of {format_size(now)}"


def _gains(facts: Facts) -> Iterator[str]:
    """Yield what is won, where today's time is that of the same work."""
    now_s, then_s = facts.now.host_s, facts.advised.host_s
    then = format_duration(then_s)
    if facts.leaves_work_out:
        yield f"a message holds the host for {then}, work that is not done today included"
        return
    gain = now_s / then_s if then_s > 0 else 1.0
    if abs(gain - 1.0) <= NOTICEABLE:
        return
    if facts.flow.graph.source.kind == "live":
        yield f"a message holds the host for {then} instead of {format_duration(now_s)} (predicted)"
        return
    times = f"{format_ratio(gain)} times {'as fast' if gain > 1 else 'the speed'}"
    yield f"{times} (predicted: {then} of host time a message instead of {format_duration(now_s)})"


def _unchanged(findings: Sequence[Finding]) -> str:
    codes = {each.code for each in findings}
    if codes & {"PL901", "PL401", "PL402"}:
        return "evaluation points are not what is slow here"
    if codes & {"PL102", "PL101"}:
        return "no point at an output helps; see the findings"
    return "no other placement is predicted to be better by more than the model's error"


def assumptions(facts: Facts) -> Iterator[str]:
    """Yield what was taken for granted, one sentence each."""
    yield from (
        f"The {what} time of {listed(names)} was assumed."
        for what, names in (("build", _unknown(facts, "build")), ("device", _unknown(facts, "device")))
        if names
    )
    if names := _unknown(facts, "rate"):
        yield f"The profile has no figures for {listed(names)}: device time from the bytes they move."
    if names := _unknown(facts, "output"):
        yield f"The output of {listed(names)} was taken to be as large as the input."
    if names := _unknown(facts, "host"):
        yield f"The host time of {listed(names)} is not stated and counts as none."
    if facts.bounds.latency_s is not None and facts.flow.graph.limits.latency_s is None:
        yield f"Values are due within one period, {format_duration(facts.bounds.latency_s)}."


def _unknown(facts: Facts, what: str) -> list[str]:
    return list(dict.fromkeys(n.origin for n in facts.flow.nodes if what in facts.load(n).unknown))


def measurements(facts: Facts, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield which measurement would settle what is open."""
    confidence = facts.machine.use.confidence
    if confidence in {"published", "assumed"}:
        yield "`placement fit-costs` on the machine it will run on replaces published and assumed constants."
    if any(each.code == "PL902" for each in findings):
        names = list(dict.fromkeys([*_unknown(facts, "build"), *_unknown(facts, "device")]))
        if names:
            yield f"Time one message of {listed(names)} with SYNC and without evaluation, and state it under costs."
    if all(node.node.op for node in facts.flow.mlx_nodes):
        yield "`--verify` runs these placements on this machine."
