"""PL501 clock-early: clocks stopped before the work is done. PL502 clock-setup: clocks that run while inputs are made.

A pair that ends above the line it began at is the way from one trial to the next, and no measurement.
"""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.seen import Seen, at, counted, function_of, run_share, seen
from placement_cli.diagnose.findings.thresholds import CLOCK_S, CLOCK_TIMES, GENERATED_LAZY, MAJORITY
from placement_cli.tracing.raw import RawInterval, RawProcess
from placement_cli.units import format_duration

TIMER = "timeit"
"""A module of Python that reads the clock for others, around what it is given."""


def clocks(process: RawProcess) -> Iterator[Seen]:
    """Yield intervals of a clock that leave work out, and those that take in how inputs are made."""
    for interval in process.intervals:
        if interval.count < 1 or interval.until_line < interval.place.line:
            continue
        if _early(interval):
            yield _told_early(process, interval)
        elif _makes_inputs(interval):
            yield _told_inside(process, interval)
        elif interval.lazy_before > 0 and interval.waits > 0:
            yield _told_lazy(process, interval)


def _lost(interval: RawInterval) -> int:
    return interval.unfinished - interval.excused


def _shown_s(interval: RawInterval) -> float:
    """Return what the clock showed in the pairs that nothing waited in, if all took alike."""
    return interval.elapsed_s * min(1.0, interval.unfinished / interval.count)


def _early(interval: RawInterval) -> bool:
    if _lost(interval) <= MAJORITY * interval.count or interval.ops + interval.submissions < 1:
        return False
    if interval.then is None:
        return True
    return interval.then_blocked_s >= max(CLOCK_S, CLOCK_TIMES * _shown_s(interval))


def _makes_inputs(interval: RawInterval) -> bool:
    """Whether generators ran in it, something was made of what they gave, and it was waited for."""
    return bool(interval.generated) and interval.waits > 0 and interval.ops > interval.generated_calls


def _between(interval: RawInterval) -> str:
    """Return where a clock ran; what reads it twice in a line, such as timeit, is at that line."""
    if interval.until_line == interval.place.line:
        return f"at line {interval.place.line}"
    return f"between lines {interval.place.line} and {interval.until_line}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wait_inside(interval: RawInterval) -> str:
    if interval.place.through == TIMER:
        return f"Call mx.eval on the outputs in what {TIMER} runs for line {interval.place.line}."
    return f"Call mx.eval on the outputs before the clock is read at line {interval.until_line}."


def _told_early(process: RawProcess, interval: RawInterval) -> Seen:
    work = [counted(interval.ops, "operation") + " built"] if interval.ops else []
    work += [counted(interval.submissions, "submission")] if interval.submissions else []
    after = (
        "and nothing waited for it later either"
        if interval.then is None
        else f"and the waits that followed, the longest at {at(interval.then)}, took "
        f"{format_duration(interval.then_blocked_s)} in all"
    )
    return seen(
        "PL501",
        "warning",
        interval.place,
        node=function_of(interval.place),
        says=(
            f"{_sentence(_between(interval))} {interval.clock} showed {format_duration(interval.elapsed_s)} in "
            f"{counted(interval.count, 'pair')} of reads, with {' and '.join(work)}; in {_lost(interval):,} of "
            f"these nothing waited for the work, {after}."
        ),
        fix=_wait_inside(interval),
        next_check="placement diagnose --probe timing.submission-only",
        stake=run_share(process, interval.then_blocked_s),
        thread=interval.thread,
        until_line=interval.until_line,
        pairs=interval.count,
        unfinished=_lost(interval),
        elapsed_s=interval.elapsed_s,
        then_blocked_s=interval.then_blocked_s,
    )


def _told_inside(process: RawProcess, interval: RawInterval) -> Seen:
    """Tell of generators inside: a warning where each of their lines ran once in every one of several trials.

    A generator that runs many times between two reads belongs to the work, and a single pair to the whole program.
    """
    each_trial = interval.count > 1 and interval.generated_calls <= interval.count * len(interval.generated)
    severity: Severity = "warning" if each_trial else "note"
    lines = _lines(interval.generated)
    return seen(
        "PL502",
        severity,
        interval.place,
        line=interval.generated[0],
        node=function_of(interval.place),
        says=(
            f"{_sentence(_between(interval))}, where {interval.clock} runs, random arrays were made at {lines}, "
            f"{counted(interval.generated_calls, 'time')} in {counted(interval.count, 'pair')} of reads, and computed "
            f"there: they are part of the {format_duration(interval.elapsed_s)} that it showed."
        ),
        fix=f"Make the inputs of {lines} before line {interval.place.line}, and evaluate them there with mx.eval.",
        next_check="placement diagnose --probe timing.lazy-input",
        stake=run_share(process, interval.elapsed_s),
        thread=interval.thread,
        pairs=interval.count,
        generated_calls=interval.generated_calls,
        elapsed_s=interval.elapsed_s,
    )


def _lines(lines: tuple[int, ...]) -> str:
    first = [str(line) for line in lines[:3]]
    more = f" and {len(lines) - 3} more lines" if len(lines) > 3 else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {', '.join(first)}{more}"


def _told_lazy(process: RawProcess, interval: RawInterval) -> Seen:
    often = interval.lazy_before >= GENERATED_LAZY and interval.lazy_before > MAJORITY * interval.count
    severity: Severity = "warning" if often else "note"
    made = "before it" if interval.lazy_line is None else f"at line {interval.lazy_line}"
    return seen(
        "PL502",
        severity,
        interval.place,
        line=interval.lazy_line,
        node=function_of(interval.place),
        says=(
            f"In {interval.lazy_before:,} of {counted(interval.count, 'pair')} of reads of {interval.clock} "
            f"{_between(interval)} random arrays made {made} were still lazy at the first read and computed before the "
            f"second: making them is part of the {format_duration(interval.elapsed_s)} that it showed."
        ),
        fix=f"Evaluate what is made {made} with mx.eval before the clock is read at line {interval.place.line}.",
        next_check="placement diagnose --probe timing.lazy-input",
        stake=run_share(process, interval.elapsed_s) * interval.lazy_before / interval.count,
        aspect="lazy",
        thread=interval.thread,
        pairs=interval.count,
        lazy_before=interval.lazy_before,
        elapsed_s=interval.elapsed_s,
    )
