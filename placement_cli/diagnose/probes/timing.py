"""Probes of what misleads a clock: work that was not waited for, done before, or charged to somebody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.diagnose.probes.earlier import WHERE, about, differing
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import TELLING, Rig
from placement_cli.diagnose.probes.timing_compile import SLOWER, first_compile, later, retrace
from placement_cli.units import format_duration, format_ratio

ARRAY_BYTES = 16 * 2**20
TRIALS = 3
CALLS = 100
"""Calls that are timed at once where one is as short as reading the clock."""
CHAIN = 400
"""Operations that are built to find what one costs."""
LONGER = 1.2
"""It took longer at all from this many times on; less is the noise of a busy machine."""
FAST_S = 1e-4
"""What takes less does no work worth mentioning."""


def submission_only(rig: Rig) -> Observed:
    """Time building, submitting and waiting of the same work; of some trials the shortest submission counts."""
    trials = [_submission(rig) for _ in range(TRIALS)]
    build_s, submit_s, whole_s = min(trials, key=lambda trial: trial[0] + trial[1])
    says = (
        f"Building took {format_duration(build_s)}, async_eval {format_duration(submit_s)}, and all of it with the"
        f" wait {format_duration(whole_s)}."
    )
    numbers = {"build_s": build_s, "submit_s": submit_s, "complete_s": whole_s, "ops": rig.links}
    return Observed(max(build_s, submit_s) < TELLING / 2 * whole_s, says, numbers)


def _submission(rig: Rig) -> tuple[float, float, float]:
    """Return how long building and submitting take, and all of it with the wait."""
    rig.quiet()
    build_s, array = _clocked(rig, rig.work)
    submit_s = rig.timed(lambda: rig.mx.async_eval(array))
    wait_s = rig.timed(lambda: rig.mx.eval(array))
    return build_s, submit_s, build_s + submit_s + wait_s


def evaluated_twice(rig: Rig) -> Observed:
    """Evaluate one array again and again."""
    array = rig.work()
    rig.quiet()
    first_s = rig.timed(lambda: rig.mx.eval(array))

    def again() -> None:
        for _ in range(CALLS):
            rig.mx.eval(array)

    again_s = later(rig, again) / CALLS
    says = f"The first evaluation took {format_duration(first_s)}, each one after it {format_duration(again_s)}."
    numbers = {"first_s": first_s, "again_s": again_s}
    return Observed(
        again_s < FAST_S < first_s, says, numbers, differing(rig, (about("An evaluation again", 2.3e-7), again_s))
    )


def first_use(rig: Rig) -> Observed:
    """Use operations that this process has not used yet, then use them again."""
    array = rig.mx.array([[float(row * column % 7) for column in range(8)] for row in range(8)])
    core = rig.mx
    uses: dict[str, Callable[[], Any]] = {
        "cumsum": lambda: core.eval(core.cumsum(array)),
        "fft": lambda: core.eval(core.fft.fft(array)),
        "sort": lambda: core.eval(core.sort(array)),
        "argmin": lambda: core.eval(core.argmin(array)),
        "logsumexp": lambda: core.eval(core.logsumexp(array)),
        "tril": lambda: core.eval(core.tril(array)),
    }
    rig.quiet()
    first_s = {name: rig.timed(use) for name, use in uses.items()}
    later_s = {name: later(rig, use) for name, use in uses.items()}
    whole_s, again_s = sum(first_s.values()), sum(later_s.values())
    says = (
        f"{', '.join(uses)} of 8 x 8 took {format_duration(whole_s)} together the first time,"
        f" {format_duration(again_s)} later: {format_ratio(whole_s / again_s)} times as long."
    )
    numbers = {f"{name}_first_s": took_s for name, took_s in first_s.items()}
    numbers |= {f"{name}_later_s": took_s for name, took_s in later_s.items()}
    return Observed(whole_s >= LONGER * again_s, says, numbers)


def first_touch(rig: Rig) -> Observed:
    """Fill an array of 16 MiB in memory that MLX has yet to ask for, then in what it has kept."""
    elements = ARRAY_BYTES // 4

    def fill() -> None:
        rig.mx.eval(rig.mx.full((elements,), 1.0))

    rig.mx.eval(rig.mx.full((1,), 1.0))
    rig.mx.clear_cache()
    rig.quiet()
    first_s, warm_s = rig.timed(fill), later(rig, fill)
    says = (
        f"Filling 16 MiB took {format_duration(first_s)} in new memory, {format_duration(warm_s)} in memory that MLX"
        f" had kept: {format_ratio(first_s / warm_s)} times as long."
    )
    differs = differing(rig, (about("Filling new memory", 8.2e-3), first_s), (about("Filling again", 0.8e-3), warm_s))
    return Observed(first_s >= SLOWER * warm_s, says, {"first_s": first_s, "warm_s": warm_s}, differs)


def lazy_input(rig: Rig) -> Observed:
    """Time trials on an input whose own making was left lazy."""
    rig.quiet()
    made = rig.work()
    first_s = rig.timed(lambda: rig.mx.eval(made + 1))
    later_s = later(rig, lambda: rig.mx.eval(made + 1))
    says = (
        f"The first trial took {format_duration(first_s)}, later ones {format_duration(later_s)}; making the input"
        f" takes {format_duration(rig.work_s)}."
    )
    numbers = {"first_s": first_s, "later_s": later_s, "work_s": rig.work_s}
    return Observed(rig.waited(first_s) and not rig.waited(later_s), says, numbers)


def build_cost(rig: Rig) -> Observed:
    """Time building chains of operations with and without Python numbers, and see that nothing was evaluated."""
    ones = rig.mx.ones((4,))
    rig.mx.eval(ones)
    rig.quiet()
    unary_s, lazy = _clocked(rig, lambda: _built(ones, abs))
    scalar_s, _ = _clocked(rig, lambda: _built(ones, lambda array: array * 2.0))
    pending = rig.pending_ops(lazy)
    unary_s, scalar_s = unary_s / CHAIN, scalar_s / CHAIN
    says = (
        f"An operation took {format_duration(unary_s)} to build, one with a Python number {format_duration(scalar_s)};"
        f" {pending} of {CHAIN} were still lazy after building."
    )
    numbers = {"unary_s": unary_s, "with_number_s": scalar_s, "pending_ops": pending}
    held = pending == CHAIN and max(unary_s, scalar_s) < FAST_S
    return Observed(held, says, numbers, differing(rig, (about("Building an operation", 0.57e-6), unary_s)))


def _built(array: Any, apply: Callable[[Any], Any]) -> Any:
    for _ in range(CHAIN):
        array = apply(array)
    return array


def _clocked(rig: Rig, call: Callable[[], Any]) -> tuple[float, Any]:
    start = rig.now()
    result = call()
    return rig.now() - start, result


SYMPTOMS = ("timing",)

TIMING = (
    Probe(
        "timing.submission-only",
        "A clock around building or async_eval measures a small share of the work.",
        submission_only,
        SYMPTOMS,
        reference=f"{WHERE}: 0.1 ms of 348 ms",
    ),
    Probe(
        "timing.evaluated-twice",
        "Evaluating an evaluated array again takes microseconds at most: nothing is computed.",
        evaluated_twice,
        SYMPTOMS,
        reference=f"{WHERE}: 0.23 \N{MICRO SIGN}s",
    ),
    Probe(
        "timing.first-use",
        "The first use of an operation in a process takes longer than later ones.",
        first_use,
        SYMPTOMS,
        reference="Metal: 10.6 ms against 0.2 ms, and 26 ms against 0.4 ms a kernel, by reports",
    ),
    Probe(
        "timing.first-compile",
        "The first call of a function given to mx.compile takes far longer than later ones.",
        first_compile,
        SYMPTOMS,
        reference=f"{WHERE}: 628 to 719 ms, as it runs a C++ compiler; 0.16 ms where an earlier process had done that",
    ),
    Probe(
        "timing.retrace",
        "A compiled function is traced once for each shape and each Python number, and not again for a known one.",
        retrace,
        SYMPTOMS,
        reference=f"{WHERE}: 3 shapes, 3 traces; 3 numbers, 3 traces",
    ),
    Probe(
        "timing.first-touch",
        "An array in new memory takes longer than one in memory that MLX has kept.",
        first_touch,
        ("timing", "memory"),
        reference=f"{WHERE}: 8.2 ms against 0.8 ms for 16 MiB",
    ),
    Probe(
        "timing.lazy-input",
        "An input that is still lazy when the clock starts is charged to the first trial.",
        lazy_input,
        SYMPTOMS,
    ),
    Probe(
        "timing.build-cost",
        "Building takes microseconds an operation and evaluates nothing.",
        build_cost,
        SYMPTOMS,
        reference=f"{WHERE}: 0.57 \N{MICRO SIGN}s for one operation on one array",
    ),
)
"""In the order they are shown."""
