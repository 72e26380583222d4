"""PL901 not-placement: kept references, and a cache that grows or is cleared. PL902 where nothing explains growth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from placement_cli.diagnose.findings.collected import left_lazy
from placement_cli.diagnose.findings.growth import growing
from placement_cli.diagnose.findings.seen import (
    Seen,
    active_growth,
    at,
    counted,
    evaluating,
    function_of,
    listed,
    memory_share,
    run_share,
    seen,
)
from placement_cli.diagnose.findings.thresholds import (
    CACHE_BYTES,
    CACHE_GREW,
    CACHE_TIMES,
    CLEARS,
    KEPT_BYTES,
    KEPT_SHARE,
    LOOKS,
    RUN_SHARE,
    SIZES,
)
from placement_cli.diagnose.findings.withheld import withholds
from placement_cli.tracing.raw import RawKept, RawMemory, RawPoint, RawProcess
from placement_cli.units import format_duration, format_percent, format_size


def memory(process: RawProcess) -> Iterator[Seen]:
    """Yield what holds memory although no evaluation point could give it back."""
    lazy = [each for each in process.kept if left_lazy(process, each)]
    kept = [each for each in process.kept if each not in lazy and _kept(process, each)]
    for each in kept:
        yield _references(process, each)
    yield from _cache(process)
    for point in process.points:
        if _clears(process, point):
            yield _cleared(process, point)
    explained = bool(kept or lazy or growing(process)) or withholds(process)
    if not explained and _rose(process.memory):
        yield _unexplained(process)


def _kept(process: RawProcess, kept: RawKept) -> bool:
    """Whether a container grew until the end, and its growth and that of active memory are about the same."""
    looks = kept.looks
    if len({look.bytes for look in looks}) < LOOKS or any(b.bytes < a.bytes for a, b in pairwise(looks)):
        return False
    grew, active = looks[-1].bytes - looks[0].bytes, active_growth(process)
    explains = looks[-1].bytes >= KEPT_SHARE * active and active >= KEPT_SHARE * grew
    return _until_the_end(kept) and looks[-1].bytes >= KEPT_BYTES and explains


def _until_the_end(kept: RawKept) -> bool:
    """Whether it grew in the second half of the time in which it was seen: a full ring buffer did not."""
    looks = kept.looks
    half_s = (looks[0].at_s + looks[-1].at_s) / 2
    # In time: the first looks come in bursts.
    middle = next(look for look in looks if look.at_s >= half_s)
    return looks[-1].bytes > middle.bytes


def _references(process: RawProcess, kept: RawKept) -> Seen:
    first, last = kept.looks[0], kept.looks[-1]
    name, active = listed([kept.name]), active_growth(process)
    what = "NumPy views of MLX arrays" if kept.views else "arrays"
    return seen(
        "PL901",
        "warning",
        kept.place,
        node=kept.name,
        says=(
            f"The {kept.container} {name} grew at every look, from {first.arrays:,} to {last.arrays:,} {what} and from "
            f"{format_size(first.bytes)} to {format_size(last.bytes)}, while active memory rose by "
            f"{format_size(active)}: references that are kept, which no evaluation point gives back."
        ),
        fix=_let_go(kept, name),
        next_check=_check_kept(kept),
        stake=memory_share(process, last.bytes),
        aspect="kept",
        arrays=last.arrays,
        kept_bytes=last.bytes,
        active_growth_bytes=active,
        looks=len(kept.looks),
    )


def _let_go(kept: RawKept, name: str) -> str:
    if kept.views:
        return (
            f"Where {name} is filled ({at(kept.place)}), copy with np.array(x) instead of np.asarray(x), so that the "
            "buffer of MLX goes back, or keep fewer."
        )
    return (
        f"Where {name} is filled ({at(kept.place)}), keep only what is needed: numbers instead of arrays, the last few "
        "(collections.deque with maxlen), or write out and drop the rest."
    )


def _check_kept(kept: RawKept) -> str:
    if kept.views:
        return "placement diagnose --probe ownership.numpy-view"
    name = " ".join(kept.name.split())
    return f"{name}.clear()  # near line {kept.place.line}, now and then; active memory must fall by what it holds"


def _cache(process: RawProcess) -> Iterator[Seen]:
    samples = process.memory
    points = evaluating(process)
    if not samples or not points:
        return
    last, used = samples[-1], max(sample.active for sample in samples) - samples[0].active
    # The middle in time: samples may come in bursts.
    half_s = (samples[0].at_s + last.at_s) / 2
    middle = next((sample.cache for sample in samples if sample.at_s >= half_s), last.cache)
    if last.cache < max(CACHE_BYTES, CACHE_TIMES * used) or last.cache < CACHE_GREW * middle:
        return
    point = max(points, key=lambda each: (min(each.sizes, SIZES), each.count))
    yield seen(
        "PL901",
        "warning",
        point.place,
        node=point.call,
        says=(
            f"The cache of free buffers reached {format_size(last.cache)}, where no more than {format_size(used)} "
            f"above the start was ever in use, and still grew in the second half of the run; {_sizes(point)}."
        ),
        fix=f"Bound the cache with mx.set_cache_limit, or pad what comes to {at(point.place)} to a few sizes.",
        next_check=f"mx.set_cache_limit({CACHE_BYTES})  # at the start; process memory must stay, and times too",
        stake=memory_share(process, last.cache),
        aspect="cache",
        thread=point.thread,
        cache_bytes=last.cache,
        used_bytes=used,
        sizes=point.sizes,
    )


def _sizes(point: RawPoint) -> str:
    if point.sizes < SIZES:
        return f"what {point.call} evaluates has hardly any sizes, so that they change within the graph"
    return f"{point.call} was given {point.sizes}{' or more' if point.sizes >= MOST_SIZES else ''} different sizes"


MOST_SIZES = 64
"""So many sizes are told apart (RawPoint.sizes)."""


def _clears(process: RawProcess, point: RawPoint) -> bool:
    clearing = point.kind == "memory" and "clear_cache" in point.call
    return clearing and point.count >= CLEARS and run_share(process, point.blocked_s) >= RUN_SHARE


def _cleared(process: RawProcess, point: RawPoint) -> Seen:
    share = run_share(process, point.blocked_s)
    return seen(
        "PL901",
        "warning",
        point.place,
        node=function_of(point.place),
        says=(
            f"{point.call} was called {counted(point.count, 'time')} and took {format_duration(point.blocked_s)} "
            f"({format_percent(share)} of the run), and what follows has to take its buffers anew."
        ),
        fix=f"Take {point.call} at {at(point.place)} out of the loop; bound the cache once with mx.set_cache_limit.",
        next_check="placement diagnose --probe ownership.clear-cache",
        stake=share,
        aspect="clear",
        thread=point.thread,
        calls=point.count,
        blocked_s=point.blocked_s,
    )


def _rose(samples: Sequence[RawMemory]) -> bool:
    """Whether active memory rose from quarter to quarter of the run, by no small amount."""
    if len(samples) < 2 * LOOKS:
        return False
    quarter = len(samples) // LOOKS
    means = [fmean(each.active for each in samples[n * quarter : (n + 1) * quarter]) for n in range(LOOKS)]
    steps = [after - before for before, after in pairwise(means)]
    # Loading at the start is one large step; what grows takes them evenly.
    return means[-1] - means[0] >= KEPT_BYTES and min(steps) >= (means[-1] - means[0]) / (2 * LOOKS)


def _unexplained(process: RawProcess) -> Seen:
    grew = active_growth(process)
    last = process.memory[-1]
    return seen(
        "PL902",
        "note",
        None,
        node=None,
        says=(
            f"Active memory rose through the whole run, by {format_size(grew)}, and neither a lazy variable nor a "
            "container was seen that grew with it: what holds it is not known."
        ),
        fix=(
            "Look for arrays kept where no look reaches: in closures, C extensions, caches of functions, or an "
            "exception that is still held; and for messages in flight that nothing waits for."
        ),
        next_check=(
            "import gc, mlx.core as mx\n"
            "arrays = [x for x in gc.get_objects() if isinstance(x, mx.array)]  # in two cycles, far apart\n"
            "print(len(arrays), sum(x.nbytes for x in arrays), mx.get_active_memory())"
        ),
        stake=memory_share(process, grew),
        aspect="memory",
        active_growth_bytes=grew,
        active_bytes=last.active,
        cache_bytes=last.cache,
        resident_bytes=last.resident,
    )
