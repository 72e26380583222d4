"""Probes of messages without elements: what evaluating one evaluates, and what state does behind them.

The stage that withholds is an exponentially weighted mean of 256 floats that emits an empty array for every message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.diagnose.probes.earlier import WHERE, Earlier, about, differing
from placement_cli.diagnose.probes.footprint import fresh_array, settle
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration, format_size

WIDTH = 256
"""Floats of a message and of the state."""
INPUT_BYTES = 4 * WIDTH
STEP_BYTES = INPUT_BYTES + 8
"""What a message that is not evaluated keeps on the CPU: its input and two constants of four bytes."""
ALPHA = 0.1
MESSAGES = 100
EARLY_STEPS, LATE_STEPS = 500, 4000
"""Messages before the reads that are compared."""
STEP_S = 18.5e-6
"""What each message added to a late read before."""

Evaluate = Callable[[Any, Any], None]
"""Evaluates what a stage has after a message: its output, its state."""


def _connected(rig: Rig) -> Observed:
    rig.quiet()
    waited_for = rig.work()
    built = rig.pending_ops(waited_for)
    eval_s = rig.timed(lambda: rig.mx.eval(waited_for.reshape(-1)[:0]))
    left = rig.pending_ops(waited_for)
    scheduled = rig.work()
    rig.mx.async_eval(scheduled.reshape(-1)[:0])
    left_async = rig.pending_ops(scheduled)
    rest_s = rig.timed(lambda: rig.mx.eval(scheduled))
    return Observed(
        built > 0 and left == left_async == 0 and rig.waited(eval_s) and rig.waited(rest_s),
        f"eval of an empty slice took {format_duration(eval_s)}, that of the work before it being"
        f" {format_duration(rig.work_s)}, and left {left} of {built} operations before it, as async_eval left"
        f" {left_async}.",
        {
            "eval_s": eval_s,
            "work_s": rig.work_s,
            "after_async_eval_s": rest_s,
            "built_ops": built,
            "left_ops": left,
            "left_by_async_eval_ops": left_async,
        },
        differing(rig, (Earlier("eval of an empty slice", 0.5, 2.0, "times the work"), eval_s / rig.work_s)),
    )


def _fresh(rig: Rig) -> Observed:
    rig.quiet()
    upstream = rig.work()
    built = rig.pending_ops(upstream)
    empty_s = rig.timed(lambda: rig.mx.eval(rig.mx.zeros((0,))))
    left = rig.pending_ops(upstream)
    upstream_s = rig.timed(lambda: rig.mx.eval(upstream))
    return Observed(
        left == built > 0 and not rig.waited(empty_s) and rig.waited(upstream_s),
        f"eval of a new empty array took {format_duration(empty_s)} and left {left} of {built} operations of the stage"
        f" before it, whose own evaluation took {format_duration(upstream_s)}.",
        {"eval_s": empty_s, "later_eval_s": upstream_s, "built_ops": built, "left_ops": left},
    )


def _step(state: Any, message: Any) -> Any:
    return state * (1 - ALPHA) + message * ALPHA


def _grown(rig: Rig, evaluate: Evaluate, emit: Callable[[Any, Any], Any]) -> tuple[float, float]:
    """Return the operations and the bytes by which each message makes the state's graph and active memory grow.

    `emit` gives the output for the state and the message. The first messages are not counted.
    """
    before_ops, before_bytes, state = 0, 0, fresh_array(rig, (WIDTH,))
    settle(rig)
    for number in range(2 * MESSAGES):
        message = fresh_array(rig, (WIDTH,))
        state = _step(state, message)
        evaluate(emit(state, message), state)
        if number == MESSAGES - 1:
            before_ops, before_bytes = rig.pending_ops(state), _active(rig)
    ops, size = rig.pending_ops(state) - before_ops, _active(rig) - before_bytes
    return ops / MESSAGES, size / MESSAGES


def _active(rig: Rig) -> int:
    rig.quiet()
    return int(rig.mx.get_active_memory())


def _withheld(rig: Rig) -> Observed:
    ops, size = _grown(rig, lambda output, _: rig.mx.eval(output), lambda *_: rig.mx.zeros((0,)))
    return Observed(
        ops > 0 and size >= INPUT_BYTES,
        _growth_said("With the empty output evaluated", ops, size),
        _growth_numbers(ops, size),
        differing(rig, (Earlier("Active memory kept", STEP_BYTES, STEP_BYTES + 24, "bytes a message"), size)),
    )


def _state_covers(rig: Rig) -> Observed:
    ops, size = _grown(rig, rig.mx.eval, lambda *_: rig.mx.zeros((0,)))
    return _flat("With the state evaluated together with the empty output", ops, size)


def _output_covers(rig: Rig) -> Observed:
    ops, size = _grown(rig, lambda output, _: rig.mx.eval(output), lambda state, message: message - state)
    return _flat("With an output evaluated that is made from the newest state", ops, size)


def _flat(case: str, ops: float, size: float) -> Observed:
    held = ops == 0 and size < INPUT_BYTES / 2
    return Observed(held, _growth_said(case, ops, size), _growth_numbers(ops, size))


def _growth_said(case: str, ops: float, size: float) -> str:
    return (
        f"{case}, each of {MESSAGES} messages of {format_size(INPUT_BYTES)} added {ops:.3g} pending operations and"
        f" {size:.0f} B of active memory."
    )


def _growth_numbers(ops: float, size: float) -> dict[str, float | str | None]:
    return {"pending_per_message_ops": ops, "active_per_message_bytes": size, "messages": MESSAGES}


def _late_read(rig: Rig) -> Observed:
    early_s, late_s = _read_after(rig, EARLY_STEPS), _read_after(rig, LATE_STEPS)
    each_s = (late_s - early_s) / (LATE_STEPS - EARLY_STEPS)
    return Observed(
        late_s >= LATE_STEPS / EARLY_STEPS / 2 * early_s,
        f"Reading a state that was never evaluated took {format_duration(early_s)} after {EARLY_STEPS} messages and"
        f" {format_duration(late_s)} after {LATE_STEPS}, {format_duration(each_s)} a message.",
        {"early_read_s": early_s, "late_read_s": late_s, "each_message_s": each_s},
        differing(rig, (about("What a message adds to a late read", STEP_S), each_s)),
    )


def _read_after(rig: Rig, steps: int) -> float:
    message = state = fresh_array(rig, (WIDTH,))
    for _ in range(steps):
        state = _step(state, message)
    rig.quiet()
    return rig.timed(lambda: rig.mx.eval(state))


ZERO_SIZE = (
    Probe(
        "zero-size.connected",
        "Evaluating an empty slice evaluates everything before it.",
        _connected,
        ("timing", "memory"),
        reference=f"338 to 343 ms, as long as the work before it ({WHERE})",
    ),
    Probe(
        "zero-size.fresh",
        "Evaluating a new empty array evaluates nothing of the stage that made it.",
        _fresh,
        ("memory", "timing"),
        reference=f"the graph of the stage was left, and took 344 ms later ({WHERE})",
    ),
    Probe(
        "zero-size.withheld",
        "Behind a stage that withholds its output, pending operations and active memory of its state grow with every"
        " message.",
        _withheld,
        ("memory",),
        reference=f"{STEP_BYTES} bytes a message of {WIDTH} floats ({WHERE})",
    ),
    Probe(
        "zero-size.state-covers",
        "Evaluating the state together with the empty message keeps it from growing.",
        _state_covers,
        ("memory",),
        reference=f"flat ({WHERE})",
    ),
    Probe(
        "zero-size.output-covers",
        "An evaluated output that depends on the newest state keeps the state from growing too.",
        _output_covers,
        ("memory",),
    ),
    Probe(
        "zero-size.late-read",
        "The first read of a state that was never evaluated takes time for every message before it.",
        _late_read,
        ("timing", "memory"),
        reference=f"18 ms after 1000 messages, 186 ms after 10000: about 18.5 \u00b5s each ({WHERE})",
    ),
)
"""The probes of this group."""
