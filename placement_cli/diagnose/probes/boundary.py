"""The completion boundary: what builds, what schedules, what is left lazy; and all probes of that group."""

from __future__ import annotations

import copy
from typing import Any

from placement_cli.diagnose.probes.boundary_fences import FENCES
from placement_cli.diagnose.probes.boundary_reach import REACH
from placement_cli.diagnose.probes.boundary_waits import WAITS
from placement_cli.diagnose.probes.earlier import Earlier, differing
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import (
    Call,
    numbers_of,
    repeated,
    seconds,
    spoken,
    unlike,
    watch,
    watch_all,
)
from placement_cli.units import format_duration

BUILDING = Earlier("Building an operation", 0.0, 30e-6, "s")
"""It took 0.57 to 3.1 us; up to ten times that is a slower or busy machine, more is not building alone."""
SUBMITTING = Earlier("async_eval", 0.0, 3e-3, "s")
"""It took 0.1 ms with 3 operations; here there may be ten times as many, and the machine be busy."""

BUILD_REFERENCE = "MLX 0.32.4, CPU: 0.57 us per operation, 3.1 us with Python scalars in it"
ASYNC_REFERENCE = "MLX 0.32.4, CPU: 3 pending operations became 0 in 0.1 ms while 348 ms of work were left"
FLIGHT_REFERENCE = "MLX 0.32.4, CPU: async_eval does not wait for work in flight; eval of what is there took 0.23 us"
LAZY_REFERENCE = "MLX 0.32.4, CPU: none of them evaluated or waited"
OPERAND_REFERENCE = "MLX 0.32.4, CPU: lazy with the MLX array on the left, evaluated and waited for on the right"


def _build(rig: Rig) -> Observed:
    build, evaluate = repeated(rig, lambda: _built(rig))
    build_s, eval_s = min(build), min(evaluate)
    nodes = rig.pending_ops(rig.work())
    held = not rig.waited(build_s) and rig.waited(eval_s) and nodes > 0
    per_op_s = build_s / max(nodes, 1)
    says = (
        f"Building {nodes} operations took {format_duration(build_s)}, {format_duration(per_op_s)} each, and left them"
        f" pending; evaluating them took {format_duration(eval_s)}."
    )
    numbers = seconds(rig, build=build_s, eval=eval_s) | {"pending_nodes": nodes}
    differs = unlike(rig, held, BUILD_REFERENCE) or differing(rig, (BUILDING, per_op_s))
    return Observed(held, says, numbers, differs)


def _built(rig: Rig) -> tuple[float, float]:
    made: list[Any] = []
    build_s = rig.timed(lambda: made.append(rig.work()))
    return build_s, rig.timed(lambda: rig.mx.eval(made))


def _async_eval(rig: Rig) -> Observed:
    call = watch(rig, lambda mx, array: mx.async_eval(array))
    (rest,) = repeated(rig, lambda: (_rest(rig),))
    rest_s = max(rest)
    held = not rig.waited(call.took_s) and rig.waited(rest_s) and call.after == 0 < call.before
    says = (
        f"async_eval returned after {format_duration(call.took_s)}, and {call.before} pending operations had become"
        f" {call.after}; {format_duration(rest_s)} of work were left."
    )
    numbers = seconds(rig, submit=call.took_s, rest=rest_s)
    numbers |= {"before_nodes": call.before, "after_nodes": call.after}
    differs = unlike(rig, held, ASYNC_REFERENCE) or differing(rig, (SUBMITTING, call.took_s))
    return Observed(held, says, numbers, differs)


def _rest(rig: Rig) -> float:
    """Return how long is left to wait after the work was submitted."""
    array = rig.work()
    rig.mx.async_eval(array)
    return rig.timed(lambda: rig.mx.eval(array))


def _in_flight(rig: Rig) -> Observed:
    again, wait, done = repeated(rig, lambda: _three_times(rig))
    again_s, wait_s, done_s = min(again), max(wait), min(done)
    held = not rig.waited(again_s) and rig.waited(wait_s) and not rig.waited(done_s)
    says = (
        f"Of the array in flight async_eval took {format_duration(again_s)} and eval {format_duration(wait_s)};"
        f" once it was there eval took {format_duration(done_s)}."
    )
    numbers = seconds(rig, async_in_flight=again_s, eval_in_flight=wait_s, eval_done=done_s)
    return Observed(held, says, numbers, unlike(rig, held, FLIGHT_REFERENCE))


def _three_times(rig: Rig) -> tuple[float, float, float]:
    array = rig.work()
    rig.mx.async_eval(array)
    again_s = rig.timed(lambda: rig.mx.async_eval(array))
    wait_s = rig.timed(lambda: rig.mx.eval(array))
    return again_s, wait_s, rig.timed(lambda: rig.mx.eval(array))


LAZY_CALLS: dict[str, Call] = {
    "len": lambda mx, array: len(mx.reshape(array, (1,))),
    "shape": lambda _, array: (array.shape, array.dtype, array.size, array.nbytes),
    "hash": lambda _, array: hash(array),
    "equal": lambda _, array: array == 1,
    "array_equal": lambda mx, array: mx.array_equal(array, array),
    "iter": lambda mx, array: list(mx.reshape(array, (1,))),
    "indexing": lambda mx, array: mx.reshape(array, (1,))[0],
    "copy": lambda _, array: copy.copy(array),
    "deepcopy": lambda _, array: copy.deepcopy(array),
}


def _lazy_calls(rig: Rig) -> Observed:
    watched = watch_all(rig, LAZY_CALLS)
    odd = [name for name, call in watched.items() if not call.leaves_lazy(rig)]
    says = spoken(rig, watched) + (f" Not lazy: {', '.join(odd)}." if odd else "")
    return Observed(not odd, says, numbers_of(rig, watched), unlike(rig, not odd, LAZY_REFERENCE))


def _numpy_operand(rig: Rig) -> Observed:
    import numpy as np

    one = np.ones(1, np.float32)
    left = watch(rig, lambda _, array: array + one)
    right = watch(rig, lambda _, array: one + array)
    held = left.leaves_lazy(rig) and right.waits(rig)
    watched = {"array_plus_numpy": left, "numpy_plus_array": right}
    return Observed(held, spoken(rig, watched), numbers_of(rig, watched), unlike(rig, held, OPERAND_REFERENCE))


BOUNDARY: tuple[Probe, ...] = (
    Probe(
        "boundary.build",
        "Building an expression computes nothing: it returns at once and leaves its operations pending.",
        _build,
        ("timing", "memory"),
        reference=BUILD_REFERENCE,
    ),
    Probe(
        "boundary.async-eval",
        "async_eval schedules its arguments and detaches their graph, and returns long before the work is done.",
        _async_eval,
        ("timing", "memory"),
        reference=ASYNC_REFERENCE,
    ),
    Probe(
        "boundary.in-flight",
        "Of an array in flight async_eval returns at once and eval waits; of one that is there eval returns at once.",
        _in_flight,
        ("timing",),
        reference=FLIGHT_REFERENCE,
    ),
    *WAITS,
    Probe(
        "boundary.lazy-calls",
        "Length, shape, hash, comparison, iteration, indexing and copying of an array neither evaluate it nor wait.",
        _lazy_calls,
        ("timing", "memory"),
        reference=LAZY_REFERENCE,
    ),
    Probe(
        "boundary.numpy-operand",
        "An MLX array plus a NumPy array stays lazy; a NumPy array plus an MLX array evaluates it and waits.",
        _numpy_operand,
        ("timing",),
        reference=OPERAND_REFERENCE,
    ),
    *REACH,
    *FENCES,
)
"""All probes of the completion boundary, in the order they are shown."""
