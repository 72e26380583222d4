"""PL304 wrong-stream: a synchronize that misses work. PL302 cross-thread: lazy arrays used in another thread."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.findings.seen import Seen, at, counted, function_of, message_of, run_share, seen
from placement_cli.diagnose.findings.thresholds import MISSED_S, MISSED_TIMES
from placement_cli.tracing.raw import RawBuild, RawError, RawMiss, RawProcess
from placement_cli.units import format_duration

FOREIGN_STREAM = "There is no Stream"
"""How MLX begins when a thread evaluates what belongs to a stream of another one."""


def streams(process: RawProcess) -> Iterator[Seen]:
    """Yield calls of synchronize that did not cover work, and evaluations that failed for their thread."""
    for miss in process.misses:
        if _missed(miss):
            yield _miss(process, miss)
    for error in process.errors:
        if error.message.lstrip().startswith(FOREIGN_STREAM):
            yield _foreign(process, error)


def _missed(miss: RawMiss) -> bool:
    if miss.then is None:
        return True
    return miss.then_blocked_s >= max(MISSED_S, MISSED_TIMES * miss.waited_s)


def _miss(process: RawProcess, miss: RawMiss) -> Seen:
    waited = f"{counted(miss.count, 'call')} of mx.synchronize waited for {miss.synchronized}"
    after = (
        "and nothing waited for it afterwards"
        if miss.then is None
        else f"and the next wait, at {at(miss.then)}, took {format_duration(miss.then_blocked_s)}"
    )
    return seen(
        "PL304",
        "warning",
        miss.place,
        node=function_of(miss.place),
        says=(f"{waited}, in {format_duration(miss.waited_s)}, while work was under way on {miss.uncovered}; {after}."),
        fix=(
            f"At {at(miss.place)} call mx.eval on the outputs, which waits for whatever computes them, or "
            f"mx.synchronize with the stream they are on ({miss.uncovered})."
        ),
        next_check="placement diagnose --probe boundary.synchronize-other",
        stake=run_share(process, miss.then_blocked_s),
        thread=miss.thread,
        synchronized=miss.synchronized,
        uncovered=miss.uncovered,
        waited_s=miss.waited_s,
        then_blocked_s=miss.then_blocked_s,
        calls=miss.count,
    )


def _foreign(process: RawProcess, error: RawError) -> Seen:
    builders = [build for build in process.builds if build.thread != error.thread]
    built = max(builders, key=lambda build: build.ops, default=None)
    return seen(
        "PL302",
        "error",
        error.place,
        node=function_of(error.place),
        says=(
            f"Thread {error.thread or '(without a name)'} evaluated a lazy array of another thread: "
            f"{message_of(error)} ({counted(error.count, 'time')}){_built(built)}."
        ),
        fix=(
            f"Call mx.async_eval in the thread that builds the array, before it is handed to the one at "
            f"{at(error.place)}; the same for what is made at the start, such as weights and zeros."
        ),
        next_check="placement diagnose --probe threads.lazy-handed-over",
        stake=1.0,
        thread=error.thread,
        times=error.count,
        in_thread=error.thread,
        at_s=error.at_s,
        built_at=None if built is None else at(built.place),
    )


def _built(build: RawBuild | None) -> str:
    return (
        "" if build is None else f"; most of what other threads built was built by {build.thread} at {at(build.place)}"
    )
