"""PL901 not-placement and PL902 unsure: symptoms with another cause, and facts that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advise.advice import Finding
from placement_cli.advise.findings.facts import Facts, finding, listed
from placement_cli.advise.thresholds import CACHE_SHARE, FAR_OFF, FAR_OFF_BYTES, LARGE_BYTES, UNSURE_RATIO
from placement_cli.units import format_duration, format_percent, format_ratio, format_size


def not_placement(facts: Facts, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield PL901 for what the person sees and no placement of points explains."""
    seen = facts.flow.graph.observed
    grows = any(each.code in {"PL101", "PL102", "PL103"} for each in others)
    yield from _slow_step(facts)
    if seen.cache_bytes is not None and seen.cache_bytes > max(LARGE_BYTES, CACHE_SHARE * (seen.active_bytes or 0)):
        yield finding(
            "PL901",
            None,
            "warning",
            f"{format_size(seen.cache_bytes)} are in the buffer cache, which keeps freed memory for reuse: messages of "
            "ever-changing sizes fill it up to its limit. Evaluation points do not change that.",
            "Bound it with mx.set_cache_limit, round sizes up to few classes, and do not clear it on every message.",
            cache_bytes=float(seen.cache_bytes),
        )
    if seen.active_bytes is not None and not grows:
        expected = max(facts.now.memory_bytes, 1.0)
        if seen.active_bytes > max(FAR_OFF_BYTES * expected, expected + LARGE_BYTES):
            yield finding(
                "PL901",
                None,
                "warning",
                f"{format_size(seen.active_bytes)} are active, but every state is evaluated and only about "
                f"{format_size(expected)} can be in flight: something else keeps references, such as a list of "
                "outputs, NumPy views, or compiled graphs for every new shape.",
                "Drop what is kept between messages, bucket the lengths of messages, and look again.",
                active_bytes=float(seen.active_bytes),
                in_flight_bytes=expected,
            )


def _slow_step(facts: Facts) -> Iterator[Finding]:
    step_s = facts.flow.graph.observed.step_s
    if step_s is None or step_s <= FAR_OFF * facts.slowest_s:
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


def unsure(facts: Facts, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield PL902 when what is not known could change the advice, or what is seen contradicts what is known."""
    gains = [gain for gain in facts.gains if gain > 0]
    spread = max(gains) / min(gains) if gains else 1.0
    contradicts = any(each.code == "PL901" and "step_s" in each.evidence for each in others)
    unknown = {
        "build": [node.origin for node in facts.flow.mlx_nodes if "build" in facts.load(node).unknown],
        "device": [node.origin for node in facts.flow.mlx_nodes if "device" in facts.load(node).unknown],
    }
    missing = [f"the {what} time of {listed(dict.fromkeys(names))}" for what, names in unknown.items() if names]
    if not (missing and spread > UNSURE_RATIO) and not contradicts:
        return
    if missing:
        says = f"Not known: {' and '.join(missing)}."
        if spread > UNSURE_RATIO:
            says += (
                f" Depending on it, the advice makes a message {format_ratio(min(gains))} to "
                f"{format_ratio(max(gains))} times as fast."
            )
    else:
        says = "What you observe does not fit what the graph says it costs; one of them is incomplete."
    yield finding(
        "PL902",
        None,
        "note",
        says,
        "State them under costs (build: time to build one message without evaluating; device: time of one message with "
        "SYNC, less the round trip), or run with --verify where the operators are known.",
        gain_low=min(gains, default=1.0),
        gain_high=max(gains, default=1.0),
    )
