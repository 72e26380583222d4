"""Probes of what mx.compile costs: the first call of a function, and tracing it again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from placement_cli.diagnose.probes.earlier import about, differing
from placement_cli.diagnose.probes.probe import Observed
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration

COMPILER = "g++"
"""What MLX's CPU backend compiles fused functions with; without it mx.compile changes nothing there."""
AGAIN = 20
"""How often what has been done once is done again; the median counts."""
SLOWER = 2.0
"""The first time was far slower when it took this many times as long as the later ones."""


def first_compile(rig: Rig) -> Observed:
    """Call a compiled function for the first time, with nothing compiled left on disk, and again."""
    reason = _no_compiling(rig)
    if reason is not None:
        return Observed(False, "", not_run=reason)
    array = rig.mx.ones((64, 64))
    rig.mx.eval(array)
    fused = rig.mx.compile(lambda x: rig.mx.exp(x * 0.25 + 0.5) * x)
    rig.quiet()
    with _cold_cache():
        first_s = rig.timed(lambda: rig.mx.eval(fused(array)))
        later_s = later(rig, lambda: rig.mx.eval(fused(array)))
    says = f"The first call took {format_duration(first_s)}, later ones {format_duration(later_s)}."
    numbers = {"first_s": first_s, "later_s": later_s}
    return Observed(
        first_s >= SLOWER * later_s, says, numbers, differing(rig, (about("The first call", 0.67), first_s))
    )


def retrace(rig: Rig) -> Observed:
    """Count how often a compiled function is traced for known and new shapes and numbers; nothing is evaluated."""
    reason = _no_compiling(rig)
    if reason is not None:
        return Observed(False, "", not_run=reason)
    traces = 0

    def traced(x: Any, factor: float) -> Any:
        nonlocal traces
        traces += 1
        return rig.mx.abs(x) * factor

    compiled = rig.mx.compile(traced)

    def count(calls: list[tuple[int, float]]) -> int:
        before = traces
        for size, factor in calls:
            compiled(rig.mx.ones((size,)), factor)
        return traces - before

    shapes = count([(3, 1.0), (4, 1.0), (5, 1.0)])
    known = count([(3, 1.0), (4, 1.0), (5, 1.0)])
    scalars = count([(3, 2.0), (3, 3.0), (3, 4.0)])
    says = (
        f"3 new shapes gave {_traces(shapes)}, the same ones again {_traces(known)}, 3 new Python numbers with a known"
        f" shape {_traces(scalars)}."
    )
    numbers = {"new_shapes_traces": shapes, "known_shapes_traces": known, "new_numbers_traces": scalars}
    return Observed((shapes, known, scalars) == (3, 0, 3), says, numbers)


def later(rig: Rig, call: Callable[[], Any]) -> float:
    """Return the median time of `call` in seconds when it has been made before."""
    return median(rig.timed(call) for _ in range(AGAIN))


def _no_compiling(rig: Rig) -> str | None:
    """Return why mx.compile changes nothing here, None where it does."""
    if "MLX_DISABLE_COMPILE" in os.environ:
        return "MLX_DISABLE_COMPILE is set, so that mx.compile changes nothing"
    if rig.backend == "cpu" and shutil.which(COMPILER) is None:
        return f"there is no C++ compiler ({COMPILER}), without which mx.compile changes nothing on the CPU"
    return None


def _traces(count: int) -> str:
    return "1 trace" if count == 1 else f"{count} traces"


@contextmanager
def _cold_cache() -> Iterator[None]:
    """Let MLX's CPU backend look for compiled functions in an empty folder inside the block.

    It keeps them under the folder for temporary files, from process to process.
    """
    before = os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="placement-", ignore_cleanup_errors=True) as folder:
        os.environ["TMPDIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("TMPDIR")
            if before is not None:
                os.environ["TMPDIR"] = before
