"""What is missing from a trace, which a reader must know before they rely on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.diagnose.program.running import Ran
from placement_cli.store.run_document import Diagnostic
from placement_cli.store.trace_document import EVENTS_DROPPED
from placement_cli.tracing.raw import RawProcess
from placement_cli.units import format_duration

NAMED = 3
"""So many processes are named in a sentence; of more, how many there are."""


def gaps_of(ran: Ran) -> Iterator[Diagnostic]:
    """Yield what a reader must know before they rely on the trace."""
    if ran.timed_out:
        after = f"after {format_duration(ran.wall_s)}"
        yield Diagnostic(level="warning", code="time-limit", text=f"The time limit ended the program {after}.")
    cut = [process for process in ran.processes if not process.ended]
    if cut:
        yield Diagnostic(level="warning", code="record-unfinished", text=_cut_short(cut))
    if dropped := _dropped(ran.processes):
        yield Diagnostic(level="info", code=EVENTS_DROPPED, text=dropped)
    for sentence in ran.passed_over:
        yield Diagnostic(level="warning", code="record-passed-over", text=sentence)


def _cut_short(processes: Sequence[RawProcess]) -> str:
    """Say up to when processes were recorded that did not come to their end."""
    if len(processes) == 1:
        (process,) = processes
        first = format_duration(process.duration_s)
        return f"Process {process.pid} was killed, or outlived the program: what is told covers its first {first}."
    named = [f"{each.pid} after {format_duration(each.duration_s)}" for each in processes[:NAMED]]
    more = f" and {len(processes) - NAMED} more" if len(processes) > NAMED else ""
    return (
        f"{len(processes)} processes were killed, or outlived the program; what is told of them ends with their last "
        f"record: {', '.join(named)}{more}."
    )


def _dropped(processes: Sequence[RawProcess]) -> str:
    """Say which calls a timeline lacks; nothing where it has all. A record without an end holds no single calls."""
    told = ""
    ended = [process for process in processes if process.ended and process.events_dropped]
    if ended:
        shown, dropped = sum(len(each.events) for each in ended), sum(each.events_dropped for each in ended)
        whose = f"process {ended[0].pid}" if len(ended) == 1 else f"each of {len(ended)} processes"
        told = f"The timeline holds the first calls of {whose}, {shown:,} in all, without the {dropped:,} after them."
    cut = sum(not process.ended and process.events_dropped > 0 for process in processes)
    if cut:
        whose = "a process" if cut == 1 else f"{cut} processes"
        told += f"{' It' if told else 'The timeline'} holds no calls of {whose} without an orderly end."
    return f"{told} Counts and times are of all calls." if told else ""
