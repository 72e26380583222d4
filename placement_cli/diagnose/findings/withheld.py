"""PL103 withheld: a state piles up while evaluations receive nothing but arrays of zero elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.growth import active_between, by_function, growing, place_of, root_of, while_lazy
from placement_cli.diagnose.findings.seen import Seen, at, counted, evaluating, listed, memory_share, seen
from placement_cli.diagnose.findings.thresholds import BUFFERS, KEPT_BYTES, MAJORITY, MANY_OPS, REPEATED
from placement_cli.tracing.raw import RawLazy, RawPoint, RawProcess
from placement_cli.units import format_size


def withholds(process: RawProcess) -> bool:
    """Whether most evaluations with arrays received none that has elements."""
    empty, calls = _zero_size(process)
    return empty >= REPEATED and empty > MAJORITY * calls


def withheld(process: RawProcess) -> Iterator[Seen]:
    """Yield one finding for each function whose variables pile up, where most evaluations got empty messages.

    Such a state may be evaluated when a message comes at last: thousands of operations until then are a finding too.
    """
    if not withholds(process):
        return
    grown = growing(process)
    piled = [lazy for lazy in process.lazy if lazy in grown or _piles(lazy)]
    for alike in by_function(piled):
        yield _told(process, alike)


def _zero_size(process: RawProcess) -> tuple[int, int]:
    """Return how many evaluations received nothing but arrays without elements, and how many received arrays."""
    points = evaluating(process)
    calls = sum(point.count - point.empty_calls for point in points)
    return sum(point.zero_size_calls for point in points), calls


def _piles(lazy: RawLazy) -> bool:
    return any(look.ops >= MANY_OPS for look in lazy.looks)


def _told(process: RawProcess, alike: Sequence[RawLazy]) -> Seen:
    root = root_of(alike)
    looks, place = while_lazy(root), place_of(root)
    most, held = max(look.ops for look in looks), active_between(process, looks)
    severity: Severity = "warning" if most >= MANY_OPS or held >= KEPT_BYTES else "note"
    empty, calls = _zero_size(process)
    pending = sum(look.ops > 0 for look in looks)
    names = listed(lazy.name for lazy in alike)
    says = (
        f"{names} had up to {counted(most, 'operation')} pending, and some at {pending} of {len(root.looks)} looks, "
        f"while {empty:,} of {counted(calls, 'evaluation')} received nothing but arrays of zero elements, which do not "
        "hang on it."
    )
    if held >= KEPT_BYTES:
        says += f" Active memory rose by {format_size(held)} meanwhile."
    behind = _emptiest(process)
    where = "" if behind is None else f", and not at {at(behind.place)} alone"
    return seen(
        "PL103",
        severity,
        place,
        node=root.name,
        says=says,
        fix=(
            f"Evaluate {names} on every message, with mx.async_eval after {at(place)}, before the stage that withholds "
            f"output{where}."
        ),
        next_check="placement diagnose --probe zero-size.fresh",
        stake=max(most / BUFFERS, memory_share(process, held)),
        ops_most=most,
        looks=len(root.looks),
        zero_size_calls=empty,
        calls=calls,
        active_growth_bytes=held,
    )


def _emptiest(process: RawProcess) -> RawPoint | None:
    return max(evaluating(process), key=lambda point: point.zero_size_calls, default=None)
