"""PL104 run-ahead, PL105 peak: more bytes at a time than there is room for."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding
from placement_cli.advice.thresholds import LARGE_BYTES
from placement_cli.graph.mode import ModeKind
from placement_cli.units import format_size


def run_ahead(facts: Facts) -> Iterator[Finding]:
    """Yield PL104 when the host runs so far ahead today that the bytes in flight pass the limit, or LARGE_BYTES."""
    limit, now = facts.bounds.memory_bytes, facts.now
    bound = LARGE_BYTES if limit is None else limit
    free = any(mode.kind in {ModeKind.ASYNC, ModeKind.WINDOW} for mode in facts.current.values())
    if not free or now.ahead <= 1.0 or now.memory_bytes <= bound or facts.one_message > bound:
        return
    says = (
        f"The host may run {now.ahead:.0f} messages ahead of the device, each holding "
        f"{format_size(facts.one_message)}: {format_size(now.memory_bytes)} in flight, "
        + ("more than is wise without a limit." if limit is None else f"against a limit of {format_size(bound)}.")
    )
    depth = max(1, int(bound / facts.one_message) - 1)
    fix = f"Bound the run-ahead with a window: window:{depth} and less stay within it."
    yield finding(
        "PL104",
        None,
        "error" if limit is not None else "warning",
        says,
        fix,
        messages_ahead=now.ahead,
        message_bytes=facts.one_message,
        in_flight_bytes=now.memory_bytes,
    )


def peak(facts: Facts) -> Iterator[Finding]:
    """Yield PL105 when one message alone needs more than the memory limit as it is placed today."""
    limit = facts.bounds.memory_bytes
    if limit is None or facts.peak <= limit:
        return
    says = (
        f"One message produces {format_size(facts.peak)} between two waits; the limit is {format_size(limit)}. "
        "No point at the end can help."
    )
    waits = sum(mode.kind is ModeKind.SYNC for mode in facts.advised.placement.values())
    where = (
        f"the advice has {waits} waits" if facts.advised.memory_bytes <= limit else "no choice of points achieves it"
    )
    fix = f"Wait at interior nodes chosen by the bytes produced since the last wait, not by their count: {where}."
    yield finding("PL105", None, "error", says, fix, peak_bytes=facts.peak, limit_bytes=float(limit))
