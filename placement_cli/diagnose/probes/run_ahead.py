"""Probes of run-ahead: how many messages are in flight with a window, and whether the memory limit bounds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placement_cli.diagnose.probes.earlier import WHERE, Earlier, differing
from placement_cli.diagnose.probes.footprint import BUFFER_BYTES, ROUNDING_BYTES, SHAPE, peak_over
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.stalls import holding
from placement_cli.units import format_size

MESSAGES = 60
"""Messages of a stream: more than run ahead on the CPU, fewer than the command buffers of a queue of Metal."""
MESSAGE_BYTES = 2 * BUFFER_BYTES
"""What a message keeps until it is done: its input and its output."""
SLACK = 0.5
"""Messages by which a peak may miss a whole number of them: small constants, and what allocators round."""
MIB = 2**20
UNBOUNDED_BYTES = 54 * MIB
"""The peak that was measured before without a window."""
WINDOWS = ((1, 10 * MIB), (2, 14 * MIB), (4, 22 * MIB))
"""Windows, and the peaks that were measured before with each."""
AMPLE = (1024 * MIB, 52 * MIB)
LIMITS = ((32 * MIB, 30 * MIB), (16 * MIB, 14 * MIB), (8 * MIB, 6 * MIB))
"""Memory limits, the ample one and those that bind, and the peaks that were measured before under each."""


def _stream(rig: Rig, window: int | None) -> Any:
    """Schedule the messages; with a window at most so many stay behind the newest one. Returns the last output."""
    import numpy as np

    values = np.ones(SHAPE, dtype=np.float32)
    flying: deque[Any] = deque()
    output = None
    for _ in range(MESSAGES):
        source = rig.mx.array(values)
        output = rig.mx.abs(source * 2.0 + 1.0)
        rig.mx.async_eval(output)
        if window is not None:
            flying.append(output)
        if window is not None and len(flying) > window:
            rig.mx.eval(flying.popleft())
    return output


def _windowed_peak(slow: Rig, window: int | None) -> int:
    return peak_over(slow, lambda: _stream(slow, window), behind_work=True)


def _near(what: str, before: int) -> Earlier:
    """A peak from before, give or take one array that whoever measured it may have held."""
    return Earlier(what, before - BUFFER_BYTES, before + BUFFER_BYTES + ROUNDING_BYTES, "bytes")


def _unbounded(what: str, before: int) -> Earlier:
    """A peak that the host's stall alone bounds: give or take a task too, which is two messages at most."""
    return Earlier(what, before - BUFFER_BYTES - 2 * MESSAGE_BYTES, before + BUFFER_BYTES + 2 * MESSAGE_BYTES, "bytes")


def _window(rig: Rig) -> Observed:
    slow = holding(rig)
    free = _windowed_peak(slow, None)
    peaks = {window: _windowed_peak(slow, window) for window, _ in WINDOWS}
    said = [f"{format_size(peak)} ({_messages(peak):.1f} messages) with {window}" for window, peak in peaks.items()]
    numbers: dict[str, float | str | None] = {f"window_{each}_peak_bytes": peak for each, peak in peaks.items()}
    numbers |= {f"window_{window}_in_flight_messages": _messages(peak) for window, peak in peaks.items()}
    numbers |= {"no_window_peak_bytes": free, "no_window_in_flight_messages": _messages(free)}
    return Observed(
        all(_messages(peak) <= window + 1 + SLACK for window, peak in peaks.items()),
        f"Messages of {format_size(MESSAGE_BYTES)} peaked, by window, at {', '.join(said)}, and at"
        f" {format_size(free)} ({_messages(free):.1f} messages) without one.",
        numbers,
        differing(
            rig,
            *((_near(f"The peak with a window of {each}", was), peaks[each]) for each, was in WINDOWS),
            (_unbounded("The peak without a window", UNBOUNDED_BYTES), free),
        ),
    )


def _messages(peak_bytes: int) -> float:
    return peak_bytes / MESSAGE_BYTES


@contextmanager
def _memory_limit(rig: Rig, size: int) -> Iterator[None]:
    before = rig.mx.set_memory_limit(size)
    try:
        yield
    finally:
        rig.mx.set_memory_limit(before)


def _limited_peak(rig: Rig, over_bytes: int) -> int:
    """Return the peak of messages behind work under a limit of so many bytes over what was active."""

    def stream() -> Any:
        with _memory_limit(rig, int(rig.mx.get_active_memory()) + over_bytes):
            return _stream(rig, None)

    return peak_over(rig, stream, behind_work=True)


def _memory_limit_bounds(rig: Rig) -> Observed:
    slow, (ample, ample_before) = holding(rig), AMPLE
    free = _limited_peak(slow, ample)
    peaks = {limit: _limited_peak(slow, limit) for limit, _ in LIMITS}
    said = [f"{format_size(peak)} under {format_size(limit)}" for limit, peak in peaks.items()]
    numbers = {f"limit_{limit // MIB}_mib_peak_bytes": peak for limit, peak in (peaks | {ample: free}).items()}
    return Observed(
        all(peak <= limit + MESSAGE_BYTES for limit, peak in peaks.items()) and peaks[LIMITS[-1][0]] <= free / 2,
        f"Messages behind slow work peaked at {format_size(free)} under an ample limit of {format_size(ample)} beyond"
        f" what was active, and at {', '.join(said)}.",
        numbers,
        differing(
            rig,
            (_unbounded("The peak under an ample limit", ample_before), free),
            *((_near(f"The peak under {format_size(each)}", was), peaks[each]) for each, was in LIMITS),
        ),
    )


def _memory_limit_ignored(rig: Rig) -> Observed:
    tightest = LIMITS[-1][0]
    free, limited = _limited_peak(rig, AMPLE[0]), _limited_peak(rig, tightest)
    return Observed(
        free >= 2 * tightest and limited >= free / 2,
        f"Messages behind work peaked at {format_size(free)} under an ample limit and at {format_size(limited)}"
        f" under one of {format_size(tightest)} beyond what was active.",
        {"free_peak_bytes": free, "limited_peak_bytes": limited, "limit_bytes": tightest},
    )


RUN_AHEAD = (
    Probe(
        "back-pressure.window",
        "With a window of k at most k + 1 messages are in flight.",
        _window,
        ("memory", "timing"),
        reference=f"a peak of 10, 14 and 22 MiB with windows of 1, 2 and 4, and 54 MiB without one ({WHERE})",
    ),
    Probe(
        "back-pressure.memory-limit",
        "set_memory_limit bounds how far the host runs ahead on the CPU.",
        _memory_limit_bounds,
        ("memory",),
        backends=("cpu",),
        reference=f"a peak of 52, 30, 14 and 6 MiB under limits of 1024, 32, 16 and 8 MiB ({WHERE})",
    ),
    Probe(
        "back-pressure.memory-limit-ignored",
        "set_memory_limit does not bound how far the host runs ahead of a GPU with small messages.",
        _memory_limit_ignored,
        ("memory",),
        backends=("metal", "cuda"),
    ),
)
"""The probes of run-ahead."""
