"""PL901 not-placement and PL902 unsure: symptoms with another cause, and facts that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, listed
from placement_cli.advice.thresholds import CACHE_SHARE, FAR_OFF, FAR_OFF_BYTES, LARGE_BYTES, UNSURE_RATIO
from placement_cli.units import format_duration, format_percent, format_ratio, format_size

_GROWING = frozenset({"PL101", "PL102", "PL103"})


def not_placement(facts: Facts, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield PL901 for what the person sees and no placement of points explains."""
    yield from _slow_step(facts)
    cache = _cache(facts)
    if cache:
        yield cache
    weighed = any(node.costs.weights_bytes is not None for node in facts.flow.graph.nodes)
    if (weighed or not cache) and not any(each.code in _GROWING for each in others):
        yield from _active(facts, weighed=weighed)


def _cache(facts: Facts) -> Finding | None:
    cache, active = facts.flow.graph.observed.cache_bytes, facts.flow.graph.observed.active_bytes
    if cache is None or cache <= max(LARGE_BYTES, CACHE_SHARE * (active or _expected_bytes(facts))):
        return None
    return finding(
        "PL901",
        None,
        "warning",
        f"{format_size(cache)} are in the buffer cache, which keeps freed memory for reuse: messages of ever-changing "
        "sizes fill it up to its limit. Evaluation points do not change that.",
        "Bound it with mx.set_cache_limit, round sizes up to few classes, and do not clear it on every message.",
        cache_bytes=float(cache),
    )


def _active(facts: Facts, *, weighed: bool) -> Iterator[Finding]:
    """Yield the finding on active memory; where nobody says what the weights are, as a note."""
    active, expected = facts.flow.graph.observed.active_bytes, _expected_bytes(facts)
    if active is None or active <= max(FAR_OFF_BYTES * expected, expected + LARGE_BYTES):
        return
    known = "weights and all messages in flight" if weighed else "all messages in flight (weights are not stated)"
    yield finding(
        "PL901",
        None,
        "warning" if weighed else "note",
        f"{format_size(active)} are active. Every state is evaluated, and {known} are about {format_size(expected)}: "
        "something else holds on to memory, such as a list of outputs, NumPy views, or compiled graphs for every new "
        "shape.",
        "Drop what is kept between messages, round lengths up to few, and look again.",
        active_bytes=float(active),
        expected_bytes=expected,
    )


def _expected_bytes(facts: Facts) -> float:
    """Return what may be active: weights, and what is in flight."""
    weights = sum(node.node.costs.weights_bytes or 0 for node in facts.flow.nodes)
    return max(facts.now.memory_bytes, facts.one_message, 1.0) + weights


def _slow_step(facts: Facts) -> Iterator[Finding]:
    step_s = facts.flow.graph.observed.step_s
    if step_s is None or step_s <= FAR_OFF * facts.slowest_s or not _any_known(facts):
        return
    busy = facts.flow.graph.observed.device_busy
    idle = f" and the device is busy for only {format_percent(busy)} of it" if busy is not None and busy < 0.5 else ""
    yield finding(
        "PL901",
        None,
        "warning",
        f"A step takes {format_duration(step_s)}{idle}; the slowest placement of this graph explains "
        f"{format_duration(facts.slowest_s)}. Between host and device at most a factor of two is to be had from "
        "evaluation points: something else is slow.",
        "Look for weights that are not resident (wired memory), compiling at every step, reading files, or swapping.",
        step_s=step_s,
        slowest_predicted_s=facts.slowest_s,
    )


def _any_known(facts: Facts) -> bool:
    """Whether the device time of at least one node is known."""
    return any("device" not in facts.load(node).unknown for node in facts.flow.mlx_nodes)


def _nothing_known(facts: Facts) -> bool:
    """Whether neither building nor the device time of any node is known."""
    return all({"build", "device"} <= facts.load(node).unknown for node in facts.flow.mlx_nodes)


def unsure(facts: Facts, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield PL902 when what is not known could change the advice, or what is seen contradicts what is known."""
    if not facts.flow.mlx_nodes:
        return
    gains = [gain for gain in facts.gains if gain > 0 and not facts.leaves_work_out]
    spread = max(gains) / min(gains) if gains else 1.0
    contradicts = any(each.code == "PL901" and "step_s" in each.evidence for each in others)
    unknown = _unknown(facts)
    matters = bool(unknown) and spread > UNSURE_RATIO
    if not matters and not contradicts and not _nothing_known(facts):
        return
    says = [f"Not known: {' and '.join(unknown)}."] if unknown else []
    if matters:
        says.append(
            f"Depending on it, the advice makes a message {format_ratio(min(gains))} to {format_ratio(max(gains))} "
            "times as fast."
        )
    elif _nothing_known(facts):
        says.append("The advice follows from how the graph is built; its times are assumptions.")
    if contradicts:
        says.append("What you observe does not fit what the graph says it costs: one of them is incomplete.")
    yield finding(
        "PL902",
        None,
        "note",
        " ".join(says),
        "State them under costs (build: time to build one message without evaluating; device: time of one message with "
        "SYNC, less the round trip), or run with --verify where the operators are known.",
        gain_low=min(gains, default=1.0),
        gain_high=max(gains, default=1.0),
    )


def _unknown(facts: Facts) -> list[str]:
    """Return which times are not known, as phrases."""
    names = {
        what: listed(dict.fromkeys(node.origin for node in facts.flow.mlx_nodes if what in facts.load(node).unknown))
        for what in ("build", "device")
    }
    if names["build"] == names["device"] != "":
        return [f"the build and device times of {names['build']}"]
    return [f"the {what} time of {found}" for what, found in names.items() if found]
