"""Probes of back-pressure: after how much outstanding work `async_eval` makes the host wait.

MLX counts tasks, one number for the whole process, and waits above MAX_ACTIVE_TASKS = 10 (`eval_impl` in its
`transforms.cpp`). On the CPU every tenth dispatch is a task. On GPUs only command buffers that are committed in the
middle of an evaluation are, and the command queue that Metal makes by default holds 64 buffers.
"""

from __future__ import annotations

from functools import partial
from statistics import median, median_low

from placement_cli.diagnose.probes.earlier import TIMES, WHERE, Earlier, differing
from placement_cli.diagnose.probes.footprint import chained, fresh_array
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.run_ahead import RUN_AHEAD
from placement_cli.diagnose.probes.stalls import (
    CALL_DISPATCHES,
    MESSAGES,
    OP_DISPATCHES,
    STALL_DISPATCHES,
    Message,
    one_slow_op,
    stalled_call,
)
from placement_cli.units import format_duration

SMALL = (4, 4)
"""Shape of arrays whose operations cost next to nothing."""
TRIALS = 3
"""Odd, so that one interruption by the system does not decide the median."""
CALLS_AT_MOST = 100
"""Calls on the CPU after which there counts as being no stall."""
GPU_CALLS = 256
"""Calls on a GPU after which there counts as being no stall: four times what a queue of Metal holds."""
QUEUE_CALLS = (56, 70)
"""Calls after which 64 command buffers are in use: one is open, and the work ahead of them takes a few."""
LONG_OPS, SHORT_OPS = 100, 10
OTHER_CALLS = 100
"""Evaluations on the stream that is idle: of so many on a busy one the later ones wait."""
OTHER_CALL_S = 1e-5
"""What a call on an idle stream took at most before."""


def _median_stall(slow: Rig, message: Message, source: object) -> int | None:
    make = partial(message.make, slow, source)
    found = [stalled_call(slow, make, CALLS_AT_MOST) for _ in range(TRIALS)]
    typical = median_low([CALLS_AT_MOST + 1 if call is None else call for call in found])
    return None if typical > CALLS_AT_MOST else typical


def _dispatches(rig: Rig) -> Observed:
    slow, source = one_slow_op(rig), fresh_array(rig, SMALL)
    stalls = [(message, _median_stall(slow, message, source)) for message in MESSAGES]
    numbers: dict[str, float | str | None] = {"work_s": slow.work_s}
    for message, call in stalls:
        least, most = (None, None) if call is None else message.outstanding(call)
        key = f"stall_{message.name.replace(' ', '_')}"
        numbers |= {f"{key}_calls": call, f"{key}_least_dispatches": least, f"{key}_most_dispatches": most}
    return Observed(
        all(_as_counted(message, call) for message, call in stalls),
        f"Behind one operation of {format_duration(slow.work_s)} the host stalled, by operations in a message:"
        f" {'; '.join(_stall_said(message, call) for message, call in stalls)}.",
        numbers,
        differing(rig, *((message.earlier(), call) for message, call in stalls)),
    )


def _as_counted(message: Message, call: int | None) -> bool:
    """Tell whether the count of dispatches was where MLX waits at some moment of the call that stalled."""
    if call is None:
        return False
    least, most = message.outstanding(call)
    low, high = STALL_DISPATCHES
    return least <= high and most >= low


def _stall_said(message: Message, call: int | None) -> str:
    if call is None:
        return f"{message.name} at none of {CALLS_AT_MOST} calls"
    least, most = message.outstanding(call)
    return f"{message.name} at call {call} ({least} to {most} dispatches)"


def _long_call(rig: Rig) -> Observed:
    slow = one_slow_op(rig)
    short_s, _ = _call_behind(slow, SHORT_OPS)
    blocked_s, rest_s = _call_behind(slow, LONG_OPS)
    works = blocked_s / slow.work_s
    return Observed(
        slow.waited(blocked_s) and blocked_s > rest_s and not slow.waited(short_s),
        f"A call of {LONG_OPS} small operations on the result of {format_duration(slow.work_s)} of work returned after"
        f" {format_duration(blocked_s)} and was done {format_duration(rest_s)} later; a call of {SHORT_OPS} returned"
        f" after {format_duration(short_s)}.",
        {"work_s": slow.work_s, "call_s": blocked_s, "rest_s": rest_s, "short_call_s": short_s},
        differing(rig, (Earlier("Time in the long call", 0.5, TIMES, "times that of the work"), works)),
    )


def _call_behind(slow: Rig, ops: int) -> tuple[float, float]:
    """Return the seconds of one `async_eval` of the slow work and `ops` operations on it, and of waiting for it."""
    slow.quiet()
    last = chained(slow, slow.work()[:16], ops)[-1]
    submit_s = slow.timed(lambda: slow.mx.async_eval(last))
    return submit_s, slow.timed(lambda: slow.mx.eval(last))


def _other_stream(rig: Rig) -> Observed:
    mx, source = rig.mx, fresh_array(rig, SMALL)
    other = mx.new_stream(mx.default_device())
    mx.eval(mx.negative(source, stream=other))
    rig.quiet()
    queued = [rig.work(), *(mx.negative(source) for _ in range(_filling(rig)))]
    for array in queued:
        mx.async_eval(array)
    calls = [rig.timed(lambda: mx.async_eval(mx.negative(source, stream=other))) for _ in range(OTHER_CALLS)]
    busy_s = rig.timed(lambda: mx.eval(queued[-1]))
    mx.synchronize(other)
    typical_s, longest_s = median(calls), max(calls)
    return Observed(
        rig.waited(busy_s) and not rig.waited(longest_s),
        f"{OTHER_CALLS} evaluations on an idle stream took {format_duration(typical_s)} each to schedule and"
        f" {format_duration(longest_s)} at most; the other stream, with {len(queued)} evaluations queued, was busy for"
        f" {format_duration(busy_s)} more.",
        {"median_call_s": typical_s, "longest_call_s": longest_s, "busy_s": busy_s, "queued_calls": len(queued)},
        differing(rig, (Earlier("A call on the idle stream", 0.0, TIMES * OTHER_CALL_S, "s"), typical_s)),
    )


def _filling(rig: Rig) -> int:
    """Return how many evaluations of one operation behind the work do not stall the host yet."""
    left = STALL_DISPATCHES[0] - OP_DISPATCHES * rig.links - CALL_DISPATCHES
    return max(0, left // (OP_DISPATCHES + CALL_DISPATCHES) - 1)


def _gpu_stall(rig: Rig) -> int | None:
    source = fresh_array(rig, SMALL)
    rig.mx.eval(rig.mx.negative(source))
    return stalled_call(rig, partial(rig.mx.negative, source), GPU_CALLS)


def _evaluations(rig: Rig) -> Observed:
    call = _gpu_stall(rig)
    low, high = QUEUE_CALLS
    return Observed(call is not None and low <= call <= high, _gpu_said(rig, call), {"stall_calls": call})


def _uncounted(rig: Rig) -> Observed:
    call = _gpu_stall(rig)
    return Observed(call is None, _gpu_said(rig, call), {"stall_calls": call, "made_calls": call or GPU_CALLS})


def _gpu_said(rig: Rig, call: int | None) -> str:
    where = f"at none of {GPU_CALLS} calls" if call is None else f"at call {call}"
    return f"Behind work of {format_duration(rig.work_s)} the host stalled {where} of one small operation."


BACK_PRESSURE = (
    Probe(
        "back-pressure.dispatches",
        f"async_eval waits when {STALL_DISPATCHES[0]} to {STALL_DISPATCHES[1]} dispatches are outstanding, two for an"
        " operation, one for a view and one for a call.",
        _dispatches,
        ("timing", "memory"),
        backends=("cpu",),
        reference=f"at call {', '.join(message.said_before() for message in MESSAGES)} a message ({WHERE})",
    ),
    Probe(
        "back-pressure.long-call",
        f"One call of async_eval with {LONG_OPS} operations blocks for the time of the work itself.",
        _long_call,
        ("timing",),
        backends=("cpu",),
        reference=f"a first call of 60 or 100 operations blocked for the device time ({WHERE})",
    ),
    Probe(
        "back-pressure.other-stream",
        "A stream that is idle is not held up by another one that is full.",
        _other_stream,
        ("timing",),
        reference=f"0.00 to 0.01 ms a call ({WHERE})",
    ),
    Probe(
        "back-pressure.evaluations",
        "About 64 evaluations of a stream can be under way; then async_eval waits.",
        _evaluations,
        ("timing", "memory"),
        backends=("metal",),
    ),
    Probe(
        "back-pressure.uncounted",
        "Small evaluations do not count as outstanding: async_eval waits for none of them.",
        _uncounted,
        ("timing", "memory"),
        backends=("cuda",),
    ),
    *RUN_AHEAD,
)
"""The probes of this group."""
