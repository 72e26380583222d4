"""Who held memory: live references, work in flight and graphs, the cache, and the process beyond MLX."""

from __future__ import annotations

from placement_cli.diagnose.findings.collected import left_lazy
from placement_cli.store.diagnosis_document import Bound, Holder, Moment, OwnershipRecord
from placement_cli.tracing.raw import KeptSample, RawKept, RawMemory, RawProcess
from placement_cli.tracing.recorder import FIRST_CENSUS_NS

COUNTED = "arrays that the garbage collector knows, in nominal bytes"
CONTAINERS = "containers of arrays that were looked at, without single variables"
ACTIVE_LESS = "MLX's active memory less the live references"
CACHE = "MLX's counter of its cache"
RESIDENT = "resident memory of the process less what MLX has active and cached"


def ownership_of(process: RawProcess | None) -> list[OwnershipRecord]:
    """Return a row for each holder, at the highest sample of active memory and at the end; none without a process."""
    if process is None or not process.memory:
        return []
    top = max(process.memory, key=lambda sample: sample.active)
    return [*_at_the_highest(process, top), *_at_the_end(process, process.memory[-1])]


def _at_the_highest(process: RawProcess, top: RawMemory) -> list[OwnershipRecord]:
    """Tell by the containers that were looked at: walking over all objects would have disturbed the program."""
    # What is lazy in a container has no buffer yet.
    filled = [kept for kept in process.kept if left_lazy(process, kept) is None]
    looks = [look for look in (_look_at(kept, top.at_s) for kept in filled) if look is not None]
    held = min(top.active, sum(look.bytes for look in looks))
    live = _row(
        "live-references",
        "highest",
        top.at_s,
        held if looks else None,
        "at-least",
        CONTAINERS,
        arrays=sum(look.arrays for look in looks) if looks else None,
        reason=None if looks else "no container of arrays was seen to grow until then",
    )
    flying = _row("in-flight-or-graphs", "highest", top.at_s, top.active - held, "at-most", ACTIVE_LESS)
    return [live, flying, *_measured(process, "highest", top)]


def _look_at(kept: RawKept, at_s: float) -> KeptSample | None:
    """Return the last look at a container until a moment."""
    return next((look for look in reversed(kept.looks) if look.at_s <= at_s), None)


def _at_the_end(process: RawProcess, last: RawMemory) -> list[OwnershipRecord]:
    return [_live_at_the_end(process, last), _flying_at_the_end(process, last), *_measured(process, "end", last)]


def _counted_at_the_end(process: RawProcess) -> bool:
    """Whether arrays were counted when the process ended; a long one may have been counted on its way."""
    return process.ended and process.live is not None and process.duration_s * 1e9 < FIRST_CENSUS_NS


def _live_at_the_end(process: RawProcess, last: RawMemory) -> OwnershipRecord:
    live = process.live
    if live is None:
        reason = "nothing was counted: the process did not come to an orderly end"
        return _row("live-references", "end", last.at_s, None, "about", COUNTED, reason=reason)
    at_end = _counted_at_the_end(process)
    rests_on = COUNTED if at_end else f"{COUNTED}; counted at the end or at a look before"
    bound: Bound = "about" if live.arrays or not at_end else "exact"
    return _row(
        "live-references", "end", last.at_s if at_end else None, live.bytes, bound, rests_on, arrays=live.arrays
    )


def _flying_at_the_end(process: RawProcess, last: RawMemory) -> OwnershipRecord:
    live, size, reason = process.live, None, None
    if live is None or not _counted_at_the_end(process):
        reason = "live references were not counted at that moment"
    elif last.active < live.bytes:
        reason = "live arrays share buffers, or are lazy and have none: their nominal bytes exceed active memory"
    else:
        size = last.active - live.bytes
    bound: Bound = "about" if live is None or live.arrays else "exact"
    return _row("in-flight-or-graphs", "end", last.at_s, size, bound, ACTIVE_LESS, reason=reason)


def _measured(process: RawProcess, moment: Moment, sample: RawMemory) -> list[OwnershipRecord]:
    """Return the rows of what is measured: the cache, and where buffers are resident memory the rest of the process."""
    beyond, reason = sample.resident - sample.active - sample.cache, None
    if process.backend != "cpu":
        reason = "whether buffers of a GPU are resident memory of the process is not known here"
    elif beyond < 0:
        reason = "resident memory is less than what MLX has: part of it was never touched, or is swapped out"
    return [
        _row("cache", moment, sample.at_s, sample.cache, "exact", CACHE),
        _row(
            "process-beyond-mlx",
            moment,
            sample.at_s,
            beyond if reason is None else None,
            "about",
            RESIDENT,
            reason=reason,
        ),
    ]


def _row(
    holder: Holder,
    moment: Moment,
    at_s: float | None,
    size: int | None,
    bound: Bound,
    rests_on: str,
    *,
    arrays: int | None = None,
    reason: str | None = None,
) -> OwnershipRecord:
    return OwnershipRecord(
        holder=holder,
        moment=moment,
        at_s=at_s,
        bytes=size,
        bound=bound,
        arrays=arrays,
        rests_on=rests_on,
        reason=reason,
    )
