"""Probes of MLX's memory counters: what they tell apart, and what resetting, clearing and limiting do to them."""

from __future__ import annotations

from typing import Any

from placement_cli.diagnose.probes.earlier import WHERE, Earlier, differing
from placement_cli.diagnose.probes.footprint import BUFFER_BYTES, fresh_array, settle
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration, format_size

STEPS = 6
"""Evaluations that are in flight together; with the work before them few enough not to stall the host anywhere."""
CPU_CACHE_BYTES = 32 * 2**20
"""Default limit of the CPU build's cache (`no_gpu/allocator.cpp` of MLX)."""
ANY_LIMIT_BYTES = 2**40
"""A limit that evicts nothing; it is set only because MLX tells a limit when it is replaced."""


def _active(rig: Rig) -> int:
    return int(rig.mx.get_active_memory())


def _cached(rig: Rig) -> int:
    return int(rig.mx.get_cache_memory())


def _counters(rig: Rig) -> Observed:
    source, before = fresh_array(rig), settle(rig)
    ahead = rig.work()
    rig.mx.async_eval(ahead)
    held = _active(rig)
    live = source
    for _ in range(STEPS):
        live = rig.mx.negative(live)
        rig.mx.async_eval(live)
    in_flight = _active(rig) - held
    rig.quiet()
    del ahead
    after, cached = _active(rig) - before + BUFFER_BYTES, _cached(rig)
    kept = _live_bytes(source, live)
    small = BUFFER_BYTES // 2
    return Observed(
        in_flight >= kept + small and abs(after - kept) < small and cached >= in_flight - kept,
        f"{STEPS} evaluations in flight held {format_size(in_flight)} beyond their input; after waiting"
        f" {format_size(after)} were active for {format_size(kept)} of live arrays, and {format_size(cached)} cached.",
        {"in_flight_bytes": in_flight, "active_bytes": after, "live_bytes": kept, "cache_bytes": cached},
    )


def _live_bytes(*arrays: Any) -> int:
    return sum(int(array.nbytes) for array in arrays)


def _reset_peak(rig: Rig) -> Observed:
    array = fresh_array(rig)
    rig.quiet()
    rig.mx.reset_peak_memory()
    peak, active = int(rig.mx.get_peak_memory()), _active(rig)
    return Observed(
        peak == 0 and active >= array.nbytes,
        f"Right after reset_peak_memory the peak was {format_size(peak)} while {format_size(active)} were active.",
        {"peak_bytes": peak, "active_bytes": active},
        differing(rig, (Earlier("The peak right after it was reset", 0, 0, "bytes"), peak)),
    )


def _clear_cache(rig: Rig) -> Observed:
    settle(rig)
    live, dropped = fresh_array(rig), fresh_array(rig)
    del dropped
    cached, active = _cached(rig), _active(rig)
    rig.mx.clear_cache()
    left, still = _cached(rig), _active(rig)
    return Observed(
        cached > 0 and left == 0 and still == active >= live.nbytes,
        f"clear_cache took the cache from {format_size(cached)} to {format_size(left)}, and active memory from"
        f" {format_size(active)} to {format_size(still)}.",
        {
            "cache_before_bytes": cached,
            "cache_after_bytes": left,
            "active_before_bytes": active,
            "active_after_bytes": still,
        },
    )


def _clearing_s(rig: Rig) -> float:
    """Return how long clearing the cache takes while a stream is at work."""
    rig.quiet()
    ahead = rig.work()
    rig.mx.async_eval(ahead)
    took_s = rig.timed(rig.mx.clear_cache)
    rig.quiet()
    return took_s


def _clear_cache_waits(rig: Rig) -> Observed:
    took_s = _clearing_s(rig)
    return Observed(rig.waited(took_s), _cleared(rig, took_s), {"clear_cache_s": took_s, "work_s": rig.work_s})


def _clear_cache_returns(rig: Rig) -> Observed:
    took_s = _clearing_s(rig)
    return Observed(not rig.waited(took_s), _cleared(rig, took_s), {"clear_cache_s": took_s, "work_s": rig.work_s})


def _cleared(rig: Rig, took_s: float) -> str:
    work = format_duration(rig.work_s)
    return f"clear_cache took {format_duration(took_s)} right after work of {work} was begun."


def _cache_limit_bytes(rig: Rig) -> int:
    limit = int(rig.mx.set_cache_limit(ANY_LIMIT_BYTES))
    rig.mx.set_cache_limit(limit)
    return limit


def _cache_limit(rig: Rig) -> Observed:
    limit = _cache_limit_bytes(rig)
    return Observed(
        limit == CPU_CACHE_BYTES,
        f"The limit of the cache is {format_size(limit)}.",
        {"cache_limit_bytes": limit},
        differing(rig, (Earlier("The limit of the cache", CPU_CACHE_BYTES, CPU_CACHE_BYTES, "bytes"), limit)),
    )


def _cache_limit_is_memory_limit(rig: Rig) -> Observed:
    cache = _cache_limit_bytes(rig)
    memory = int(rig.mx.set_memory_limit(ANY_LIMIT_BYTES))
    rig.mx.set_memory_limit(memory)
    return Observed(
        cache == memory,
        f"The limit of the cache is {format_size(cache)}, that of memory {format_size(memory)}.",
        {"cache_limit_bytes": cache, "memory_limit_bytes": memory},
    )


GPUS = ("metal", "cuda")
COUNTERS = (
    Probe(
        "ownership.counters",
        "Active memory includes what is in flight; after waiting it falls to the live arrays, and the cache holds the"
        " rest.",
        _counters,
        ("memory",),
    ),
    Probe(
        "ownership.reset-peak",
        "reset_peak_memory sets the peak to 0, not to the active memory.",
        _reset_peak,
        ("memory",),
        reference=f"0 while 4 MiB were active ({WHERE})",
    ),
    Probe(
        "ownership.clear-cache",
        "clear_cache empties the cache and leaves active memory as it is.",
        _clear_cache,
        ("memory",),
    ),
    Probe(
        "ownership.clear-cache-waits",
        "clear_cache waits until the streams of the CPU are done.",
        _clear_cache_waits,
        ("timing", "memory"),
        backends=("cpu",),
        reference=f"waited for all of the work ({WHERE})",
    ),
    Probe(
        "ownership.clear-cache-returns",
        "clear_cache does not wait for a stream of a GPU.",
        _clear_cache_returns,
        ("timing", "memory"),
        backends=GPUS,
    ),
    Probe(
        "ownership.cache-limit",
        f"The cache of the CPU build holds {format_size(CPU_CACHE_BYTES)} at most by default.",
        _cache_limit,
        ("memory",),
        backends=("cpu",),
        reference=f"{format_size(CPU_CACHE_BYTES)} ({WHERE})",
    ),
    Probe(
        "ownership.cache-limit-memory",
        "On a GPU the default limit of the cache is the memory limit.",
        _cache_limit_is_memory_limit,
        ("memory",),
        backends=GPUS,
    ),
)
"""The probes of the counters."""
