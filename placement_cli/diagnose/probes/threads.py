"""Probes of threads: what of one thread's arrays, streams and random numbers another thread can use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from placement_cli.diagnose.probes.attempts import Attempt, attempt, clocked, error_in, in_thread, longest_gap, told_of
from placement_cli.diagnose.probes.earlier import WHERE
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration

FOREIGN = "There is no Stream"
"""How the message begins with which MLX refuses work for a stream of another thread (0.31.2 on)."""
SYMPTOMS = ("crash", "ordering")


def lazy_handed_over(rig: Rig) -> Observed:
    """Evaluate in a new thread what this one built."""
    lazy = [rig.mx.ones((4,)) * 2 for _ in range(3)]
    calls = {"eval": lambda: rig.mx.eval(lazy[0]), "async_eval": lambda: rig.mx.async_eval(lazy[1])}
    calls["tolist"] = lazy[2].tolist
    return _refused({name: in_thread(call) for name, call in calls.items()}, "in the other thread")


def lazy_returned(rig: Rig) -> Observed:
    """Evaluate in this thread what another one built."""
    built = in_thread(lambda: rig.mx.ones((4,)) * 2)
    return _refused({"eval": attempt(lambda: rig.mx.eval(built))}, "in the thread it was returned to")


def evaluated_handed_over(rig: Rig) -> Observed:
    """Compute in a new thread with what this one evaluated."""
    array = rig.mx.ones((4,)) * 2
    rig.mx.eval(array)
    found = in_thread(lambda: _plus_one(array).tolist())
    return Observed(found == [3.0] * 4, f"Adding 1 to an evaluated array of twos {told_of(found)}.", error_in(found))


def in_flight_handed_over(rig: Rig) -> Observed:
    """Compute in a new thread with what this one submitted and did not wait for."""
    rig.quiet()
    array = rig.work()
    submit_s = rig.timed(lambda: rig.mx.async_eval(array))
    found = in_thread(lambda: clocked(rig, lambda: _plus_one(array).item()))
    if isinstance(found, Exception):
        return Observed(False, f"Adding 1 to an array in flight {told_of(found)}.", error_in(found))
    value, read_s = found
    numbers = {"submit_s": submit_s, "read_s": read_s, "work_s": rig.work_s, "value": value}
    says = f"The other thread waited {format_duration(read_s)} for work of {format_duration(rig.work_s)} and read 1 + 1"
    return Observed(value == 2.0 and rig.waited(read_s), f"{says} as {value:g}.", numbers)


def foreign_stream(rig: Rig) -> Observed:
    """Use this thread's new stream in another thread, as an argument and in a `with`."""
    stream = rig.mx.new_stream(rig.mx.default_device())
    ones = rig.mx.ones((4,))
    rig.mx.eval(ones)

    def inside() -> None:
        with rig.mx.stream(stream):
            rig.mx.eval(ones + 1)

    calls = {"argument": lambda: rig.mx.eval(rig.mx.add(ones, ones, stream=stream)), "with": inside}
    return _refused({name: in_thread(call) for name, call in calls.items()}, "in the other thread")


def thread_local_stream(rig: Rig) -> Observed:
    """Use one thread-local stream in two threads."""
    if not hasattr(rig.mx, "new_thread_local_stream"):
        return Observed(False, "", not_run="this MLX has no new_thread_local_stream (MLX 0.31.2 and later have it)")
    stream = rig.mx.new_thread_local_stream(rig.mx.default_device())
    one = rig.mx.ones((1,))
    rig.mx.eval(one)

    def use() -> Any:
        return rig.mx.add(one, one, stream=stream).item()

    here, there = attempt(use), in_thread(use)
    says = f"1 + 1 on it {told_of(here)} in the thread that made it, and {told_of(there)} in another one."
    return Observed(here == there == 2.0, says, error_in(there))


def gil_released(rig: Rig) -> Observed:
    """Let a thread look at the clock while this one waits, and find the longest time that it could not."""
    waits: dict[str, Callable[[Any], Any]] = {
        "eval": rig.mx.eval,
        "item": lambda array: array.item(),
        "synchronize": lambda array: (rig.mx.async_eval(array), rig.mx.synchronize()),
    }
    gaps = {name: longest_gap(rig, partial(wait, rig.work())) for name, wait in waits.items()}
    told = ", ".join(f"{format_duration(gap_s)} in {name}" for name, gap_s in gaps.items())
    says = f"The other thread stood still for at most {told}; the waits took about {format_duration(rig.work_s)} each."
    locked = [name for name, gap_s in gaps.items() if gap_s >= rig.work_s / 2]
    others = [name for name in locked if name != "eval"]
    differs = f"Python's lock was held in {' and '.join(others)}." if others else None
    numbers = {f"{name}_gap_s": gap_s for name, gap_s in gaps.items()}
    return Observed("eval" not in locked, says, {**numbers, "work_s": rig.work_s}, differs)


def synchronize_foreign(rig: Rig) -> Observed:
    """Synchronize in another thread a stream of this one that has work in flight."""
    stream = rig.mx.new_stream(rig.mx.default_device())
    rig.quiet()
    with rig.mx.stream(stream):
        array = rig.work()
        rig.mx.async_eval(array)
    found = in_thread(lambda: clocked(rig, lambda: rig.mx.synchronize(stream)))
    rig.mx.eval(array)
    if isinstance(found, Exception):
        return Observed(rig.backend != "cpu", f"It {told_of(found)}.", {"work_s": rig.work_s, **error_in(found)})
    took_s = found[1]
    says = f"It took {format_duration(took_s)} with {format_duration(rig.work_s)} of work on that stream."
    held = rig.backend == "cpu" and rig.waited(took_s)
    return Observed(held, says, {"synchronize_s": took_s, "work_s": rig.work_s, **error_in(found)})


def random_state(rig: Rig) -> Observed:
    """Draw in two threads after a seed in one of them."""

    def draw() -> float:
        return float(rig.mx.random.uniform(shape=(1,)).item())

    rig.mx.random.seed(7)
    first = draw()
    rig.mx.random.seed(7)
    elsewhere = in_thread(draw)
    again = draw()
    if isinstance(elsewhere, Exception):
        return Observed(False, f"Drawing in another thread {told_of(elsewhere)}.", error_in(elsewhere))
    says = (
        f"After the same seed this thread drew {first:.4f} and, with a draw of another thread in between, {again:.4f};"
        f" that one drew {elsewhere:.4f}."
    )
    numbers = {"first": first, "again": again, "elsewhere": elsewhere}
    return Observed(first == again and elsewhere != first, says, numbers)


def _plus_one(array: Any) -> Any:
    return array + 1


def _refused(attempts: dict[str, Attempt], where: str) -> Observed:
    """Observe whether all attempts were refused for being on a stream of another thread."""
    held = all(isinstance(found, Exception) and FOREIGN in str(found) for found in attempts.values())
    told = "; ".join(f"{name} {told_of(found)}" for name, found in attempts.items())
    numbers = {f"{name}_error": error_in(found)["error"] for name, found in attempts.items()}
    return Observed(held, f"{where.capitalize()}: {told}.", numbers)


THREADS = (
    Probe(
        "threads.lazy-handed-over",
        "Evaluating in one thread an array that another one built and left lazy raises 'There is no Stream'.",
        lazy_handed_over,
        SYMPTOMS,
        reference=f"{WHERE}: RuntimeError for eval, async_eval and reading",
    ),
    Probe(
        "threads.lazy-returned",
        "An array that a worker thread built and returned lazy cannot be evaluated by the thread that gets it.",
        lazy_returned,
        SYMPTOMS,
        reference=f"{WHERE}: RuntimeError",
    ),
    Probe(
        "threads.evaluated-handed-over",
        "An evaluated array can be used in any thread.",
        evaluated_handed_over,
        SYMPTOMS,
        reference=f"{WHERE}: works",
    ),
    Probe(
        "threads.in-flight-handed-over",
        "An array that is still being computed can be used in any thread, which waits for it when it reads.",
        in_flight_handed_over,
        SYMPTOMS,
        reference=f"{WHERE}: works and waits",
    ),
    Probe(
        "threads.foreign-stream",
        "A stream from mx.new_stream works in the thread that made it alone.",
        foreign_stream,
        SYMPTOMS,
        reference=f"{WHERE}: RuntimeError, as an argument and in a with",
    ),
    Probe(
        "threads.thread-local-stream",
        "A stream from mx.new_thread_local_stream works in every thread.",
        thread_local_stream,
        SYMPTOMS,
        reference=f"{WHERE}: works",
    ),
    Probe(
        "threads.gil-released",
        "Other Python threads run on while mx.eval waits.",
        gil_released,
        ("timing",),
        reference=f"{WHERE}: released in eval, item and synchronize",
    ),
    Probe(
        "threads.synchronize-foreign",
        "mx.synchronize of a stream of another thread waits for it on the CPU, and raises on a GPU.",
        synchronize_foreign,
        ("timing", *SYMPTOMS),
        reference=f"{WHERE}: waits; Metal and CUDA: raises, by reading the source of 0.32.2",
    ),
    Probe(
        "threads.random-state",
        "Random numbers have a state of their own in each thread: a seed in one does not reach another.",
        random_state,
        ("ordering",),
        reference="MLX 0.32.2, by reading the source: one state a thread",
    ),
)
"""In the order they are shown."""
