"""The completion boundary: what is taken for a fence, and whom a wait holds up besides its caller."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import numbers_of, repeated, seconds, spoken, unlike, watch
from placement_cli.units import format_duration, format_size

TICK_S = 5e-4
"""How long the thread that looks for gaps sleeps between two looks; short against any work of a rig."""
SPARE_SIZE = 1 << 20
"""Elements of an array of 4 MiB, which when freed stays in the cache on every backend."""

LAZY_REFERENCE = "MLX 0.32.4, CPU: about 5 us with nothing in flight"
OTHER_REFERENCE = "MLX 0.32.4, CPU: 3.9 ms while another stream had 344 ms of work queued"
CACHE_REFERENCE = "MLX 0.32.4, CPU: clear_cache and set_cache_limit took 755 ms with as much in flight"
LOCK_REFERENCE = "MLX 0.32.4, CPU: save held up other threads for the 600 ms that it waited, eval did not"


def _synchronize_lazy(rig: Rig) -> Observed:
    call = watch(rig, lambda mx, _: mx.synchronize())
    held = call.leaves_lazy(rig)
    watched = {"synchronize": call}
    return Observed(held, spoken(rig, watched), numbers_of(rig, watched), unlike(rig, held, LAZY_REFERENCE))


def _synchronize_other(rig: Rig) -> Observed:
    stream = rig.mx.new_stream(rig.mx.default_device())
    default, other = repeated(rig, lambda: _synchronized(rig, stream))
    default_s, other_s = min(default), max(other)
    held = not rig.waited(default_s) and rig.waited(other_s)
    says = (
        f"With work of {format_duration(rig.work_s)} on another stream, synchronize() took"
        f" {format_duration(default_s)}, and synchronize of that stream another {format_duration(other_s)}."
    )
    numbers = seconds(rig, default_stream=default_s, other_stream=other_s)
    return Observed(held, says, numbers, unlike(rig, held, OTHER_REFERENCE))


def _synchronized(rig: Rig, stream: Any) -> tuple[float, float]:
    _begin_on(rig, stream)
    default_s = rig.timed(rig.mx.synchronize)
    return default_s, rig.timed(lambda: rig.mx.synchronize(stream))


def _begin_on(rig: Rig, stream: Any) -> Any:
    """Submit work to the stream and return it."""
    with rig.mx.stream(stream):
        array = rig.work()
    rig.mx.async_eval(array)
    return array


def _clear_cache(rig: Rig) -> Observed:
    cpu_build = not rig.mx.is_available(rig.mx.gpu)
    stream = rig.mx.new_stream(rig.mx.default_device())
    clear, limit, cached = repeated(rig, lambda: _cleared(rig, stream))
    clear_s, limit_s = min(clear), min(limit)
    held = rig.waited(clear_s) == rig.waited(limit_s) == cpu_build and min(cached) > 0
    says = (
        f"With work of {format_duration(rig.work_s)} in flight on another stream, clear_cache took"
        f" {format_duration(clear_s)} with {format_size(min(cached))} cached, and set_cache_limit"
        f" {format_duration(limit_s)}."
    )
    numbers = seconds(rig, clear_cache=clear_s, set_cache_limit=limit_s) | {"cached_bytes": min(cached)}
    return Observed(held, says, numbers, unlike(rig, held, CACHE_REFERENCE))


def _cleared(rig: Rig, stream: Any) -> tuple[float, float, float]:
    """Time clear_cache with a buffer in the cache, and set_cache_limit, each beside work in flight; and its bytes."""
    mx = rig.mx
    spare = mx.ones((SPARE_SIZE,))
    mx.eval(spare)
    array = _begin_on(rig, stream)
    del spare
    cached = mx.get_cache_memory()
    clear_s = rig.timed(mx.clear_cache)
    mx.eval(array)
    array = _begin_on(rig, stream)
    limits: list[int] = []
    limit_s = rig.timed(lambda: limits.append(mx.set_cache_limit(SPARE_SIZE)))
    mx.eval(array)
    mx.set_cache_limit(limits[0])
    return clear_s, limit_s, cached


def _lock(rig: Rig) -> Observed:
    with TemporaryDirectory() as folder:
        save = partial(rig.mx.save, str(Path(folder, "probe")))
        waits: dict[str, Callable[[Any], Any]] = {"eval": rig.mx.eval, "item": _item, "save": save}
        columns = repeated(rig, lambda: tuple(_gap(rig, wait) for wait in waits.values()))
    gaps = {name: min(column) for name, column in zip(waits, columns, strict=True)}
    held = rig.waited(gaps["save"]) and not rig.waited(gaps["eval"]) and not rig.waited(gaps["item"])
    listed = ", ".join(f"{format_duration(gap)} in {name}" for name, gap in gaps.items())
    says = f"During a wait of {format_duration(rig.work_s)} another thread was held up for {listed}."
    numbers = seconds(rig, **{f"{name}_gap": gap for name, gap in gaps.items()})
    return Observed(held, says, numbers, unlike(rig, held, LOCK_REFERENCE))


def _item(array: Any) -> Any:
    return array.item()


def _gap(rig: Rig, wait: Callable[[Any], Any]) -> float:
    """Return for how long at most a second thread did not run during a call that waits for work."""
    array, gaps, running, stop = rig.work(), [0.0], Event(), Event()
    ticker = Thread(target=_tick, args=(rig.now, gaps, running, stop))
    ticker.start()
    try:
        running.wait()
        wait(array)
    finally:
        stop.set()
        ticker.join()
    return max(gaps)


def _tick(now: Callable[[], float], gaps: list[float], running: Event, stop: Event) -> None:
    """Note how long passes between two looks at the clock, until told to stop."""
    last = now()
    running.set()
    while not stop.is_set():
        time.sleep(TICK_S)
        seen = now()
        gaps.append(seen - last)
        last = seen


FENCES: tuple[Probe, ...] = (
    Probe(
        "boundary.synchronize-lazy",
        "synchronize schedules nothing: what is lazy stays lazy.",
        _synchronize_lazy,
        ("timing",),
        reference=LAZY_REFERENCE,
    ),
    Probe(
        "boundary.synchronize-other",
        "synchronize() waits for the default stream of its thread alone, not for work on another stream.",
        _synchronize_other,
        ("timing", "ordering"),
        reference=OTHER_REFERENCE,
    ),
    Probe(
        "boundary.clear-cache",
        "On the CPU build clear_cache, with a buffer in the cache, and set_cache_limit wait for all streams; on Metal"
        " and CUDA builds they wait for none.",
        _clear_cache,
        ("timing", "memory"),
        reference=CACHE_REFERENCE,
    ),
    Probe(
        "boundary.lock",
        "While eval or item() waits, other Python threads run; while save waits, none does.",
        _lock,
        ("timing",),
        reference=LOCK_REFERENCE,
    ),
)
"""Probes of fences and of what waiting holds up; part of `boundary.BOUNDARY`."""
