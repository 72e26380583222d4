"""What mx.compile makes of a function: calls that evaluate nothing, and state that grows unread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.diagnose.probes.earlier import Earlier, differing
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import repeated, seconds, unlike
from placement_cli.units import format_duration

FEW_CALLS, MANY_CALLS = 10, 50
"""After how many calls of a compiled function the operations behind its state are counted."""
GROWTH = Earlier("State that nothing reads", 0.9, 1.5, "operations a call")
"""It was 1.0; a build may add a conversion now and then."""

LAZY_REFERENCE = "MLX 0.32.4, CPU: 4 us for a call that was traced before"
STATE_REFERENCE = "MLX 0.32.4, CPU: 50 pending operations after 50 evaluations of the output, one a call"
UNTRACED = "mx.compile does not trace functions here: it is disabled, or has no compiler to work with"
"""Why a probe of compiled functions is not run."""


def traces(rig: Rig) -> bool:
    """Tell whether a compiled function runs its Python code once for two calls with the same shape."""
    runs: list[int] = []

    def counted(array: Any) -> Any:
        runs.append(1)
        return rig.mx.abs(array)

    compiled = rig.mx.compile(counted)
    compiled(rig.mx.array(3.0))
    compiled(rig.mx.array(4.0))
    return len(runs) == 1


def _compile_lazy(rig: Rig) -> Observed:
    if not traces(rig):
        return Observed(False, "", not_run=UNTRACED)
    compiled = rig.mx.compile(rig.mx.abs)
    first_s = rig.timed(lambda: compiled(rig.work()))
    calls, evals, befores, afters = repeated(rig, lambda: _called(rig, compiled))
    call_s, eval_s, before, after = min(calls), min(evals), int(befores[0]), int(min(afters))
    held = not rig.waited(call_s) and rig.waited(eval_s) and after >= before > 0
    says = (
        f"The first call took {format_duration(first_s)}, a later one {format_duration(call_s)}, and of the {before}"
        f" operations pending before it {after} with those it added were pending after; evaluating the result took"
        f" {format_duration(eval_s)}."
    )
    numbers = seconds(rig, first_call=first_s, call=call_s, eval=eval_s)
    numbers |= {"before_nodes": before, "after_nodes": after}
    return Observed(held, says, numbers, unlike(rig, held, LAZY_REFERENCE))


def _called(rig: Rig, compiled: Callable[[Any], Any]) -> tuple[float, float, int, int]:
    array, results = rig.work(), list[Any]()
    before = rig.pending_ops(array)
    call_s = rig.timed(lambda: results.append(compiled(array)))
    after = rig.pending_ops(*results)
    return call_s, rig.timed(lambda: rig.mx.eval(results)), before, after


def _compile_state(rig: Rig) -> Observed:
    if not traces(rig):
        return Observed(False, "", not_run=UNTRACED)
    few, many = _state_after(rig, read=False)
    few_read, many_read = _state_after(rig, read=True)
    per_call = (many - few) / (MANY_CALLS - FEW_CALLS)
    held = per_call >= GROWTH.low and many_read <= few_read
    says = (
        f"With the output evaluated in every call, {few} operations were pending behind the state after {FEW_CALLS}"
        f" calls and {many} after {MANY_CALLS}, {per_call:.2f} a call; {few_read} and {many_read} when the output"
        " depends on the state."
    )
    numbers = {"few_calls_nodes": few, "many_calls_nodes": many, "per_call_nodes": per_call}
    numbers |= {"few_calls_read_nodes": few_read, "many_calls_read_nodes": many_read}
    differs = unlike(rig, held, STATE_REFERENCE) or differing(rig, (GROWTH, per_call))
    return Observed(held, says, numbers, differs)


def _state_after(rig: Rig, *, read: bool) -> tuple[int, int]:
    """Call a compiled function and evaluate its output: return the operations behind the state after few and many.

    `read` makes the output depend on the state. The operations cannot be fused, so no kernel is compiled.
    """
    mx, counts = rig.mx, list[int]()
    state, message = [mx.ones((1, 1))], mx.ones((1, 1))
    mx.eval(state, message)

    def step(array: Any) -> Any:
        state[0] = state[0] + array
        return mx.matmul(state[0] if read else array, array)

    compiled = mx.compile(step, inputs=state, outputs=state)
    for number in range(1, MANY_CALLS + 1):
        mx.eval(compiled(message))
        if number in (FEW_CALLS, MANY_CALLS):
            counts.append(rig.pending_ops(state[0]))
    return counts[0], counts[1]


COMPILED: tuple[Probe, ...] = (
    Probe(
        "transforms.compile-lazy",
        "Calling a compiled function evaluates nothing: its result is as lazy as its argument.",
        _compile_lazy,
        ("timing",),
        reference=LAZY_REFERENCE,
    ),
    Probe(
        "transforms.compile-state",
        "State that a compiled function captures grows with every call while nothing evaluated depends on it, and does"
        " not when the output does.",
        _compile_state,
        ("memory",),
        reference=STATE_REFERENCE,
    ),
)
"""Probes of compiled functions; part of `transforms.TRANSFORMS`."""
