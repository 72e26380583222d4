"""Errors and signals that ended a program: PL101 or PL901 where memory ran out, PL902 where the cause is elsewhere."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.growth import growing, while_lazy
from placement_cli.diagnose.findings.seen import Seen, at, counted, function_of, listed, memory_share, message_of, seen
from placement_cli.tracing.raw import RawError, RawProcess
from placement_cli.units import format_size

EXHAUSTED = (
    "resource limit",
    "unable to allocate",
    "out of memory",
    "insufficient memory",
    "bad_alloc",
    "maximum allowed buffer size",
)
"""What MLX, Metal, CUDA and C++ say, in lower case, when there is no more memory or no more buffers."""
ON_THE_CPU = "::eval_cpu]"
"""How an operation that failed on the CPU backend signs its message; MLX raises it at a later call."""
SHELL = 128
"""A shell gives the exit code 128 and more to a program that a signal ended."""


def crash(process: RawProcess, exit_code: int | None) -> Iterator[Seen]:
    """Yield what is known of errors for want of memory, late errors of the CPU, and signals."""
    for error in process.errors:
        message = error.message.lower()
        if any(text in message for text in EXHAUSTED):
            yield _exhausted(process, error, exit_code)
        elif ON_THE_CPU in error.message and error.kind != "synchronize" and _submitted_before(process, error):
            yield _late(process, error)
    number = _signal(exit_code)
    if not process.ended and number is not None and process.mlx:
        yield _killed(process, number)


def _signal(exit_code: int | None) -> int | None:
    """Return the number of the signal that ended the program; None for any other end."""
    if exit_code is None or 0 <= exit_code <= SHELL:
        return None
    number = -exit_code if exit_code < 0 else exit_code - SHELL
    return number if number in {int(each) for each in signal.Signals} else None


def _exhausted(process: RawProcess, error: RawError, exit_code: int | None) -> Seen:
    severity: Severity = "warning" if exit_code == 0 else "error"
    grown, last = growing(process), process.memory[-1] if process.memory else None
    names = listed(each.name for each in grown)
    held = "" if last is None else f" MLX had {format_size(last.active)} in use and {format_size(last.cache)} cached."
    pending = f" {names} had grown to {while_lazy(grown[0])[-1].ops:,} pending operations." if grown else ""
    return seen(
        "PL101" if grown else "PL901",
        severity,
        error.place,
        node=grown[0].name if grown else function_of(error.place),
        says=f"{error.type} at this line: {message_of(error)}.{held}{pending}",
        fix=(
            f"Evaluate {names} in every cycle, with mx.async_eval: what is pending keeps the buffers of all cycles."
            if grown
            else "Look at what is kept: references in containers, a cache without a limit (mx.set_cache_limit), "
            f"messages in flight; at {at(error.place)} it only showed."
        ),
        next_check=(
            f"mx.async_eval({' '.join(grown[0].name.split())})  # in every cycle; then trace again"
            if grown
            else "placement diagnose --probe ownership"
        ),
        stake=1.0,
        aspect="exhausted",
        thread=error.thread,
        times=error.count,
        at_s=error.at_s,
        active_bytes=None if last is None else last.active,
        cache_bytes=None if last is None else last.cache,
    )


def _submitted_before(process: RawProcess, error: RawError) -> bool:
    return any(point.kind == "async_eval" and point.first_at_s <= error.at_s for point in process.points)


def _late(process: RawProcess, error: RawError) -> Seen:
    submitted = [point for point in process.points if point.kind == "async_eval"]
    places = ", ".join(dict.fromkeys(at(point.place) for point in submitted[:3]))
    return seen(
        "PL902",
        "note",
        error.place,
        node=function_of(error.place),
        says=(
            f"{error.type} was raised here in {counted(error.count, 'call')}: {message_of(error)}. The "
            "CPU backend raises such errors at a later call on the same stream: another operation may have failed."
        ),
        fix=f"Use mx.eval instead of mx.async_eval around operations that can fail (submitted at {places}).",
        next_check=f"mx.eval(...)  # instead of mx.async_eval at {places}: the error then shows at its own line",
        stake=1.0,
        aspect="late",
        thread=error.thread,
        times=error.count,
        at_s=error.at_s,
    )


def _killed(process: RawProcess, number: int) -> Seen:
    last = process.memory[-1] if process.memory else None
    held = (
        "Nothing is known of its memory."
        if last is None
        else f"Its last sample shows {format_size(last.resident)} of process memory, {format_size(last.active)} in use "
        f"by MLX and {format_size(last.cache)} cached."
    )
    name = signal.Signals(number).name
    return seen(
        "PL902",
        "note",
        None,
        node=None,
        says=f"Process {process.pid} was ended by {name} before it could say why. {held}",
        fix=(
            "SIGKILL as a rule comes from the system when memory runs out; SIGABRT and SIGSEGV come from inside: then "
            "evaluate with mx.eval, step by step, to see which operation it is."
        ),
        next_check="import faulthandler; faulthandler.enable()  # at the start: it prints where each thread was",
        stake=memory_share(process, last.active + last.cache) if last is not None else 0.0,
        aspect="signal",
        signal=name,
        resident_bytes=None if last is None else last.resident,
        active_bytes=None if last is None else last.active,
        cache_bytes=None if last is None else last.cache,
    )
