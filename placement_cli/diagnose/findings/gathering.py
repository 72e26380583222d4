"""All findings of a traced program, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from placement_cli.diagnose.finding import SEVERITIES, Finding
from placement_cli.diagnose.findings.backlog import backlog
from placement_cli.diagnose.findings.blocking import blocking
from placement_cli.diagnose.findings.clocks import clocks
from placement_cli.diagnose.findings.collected import collected
from placement_cli.diagnose.findings.crash import crash
from placement_cli.diagnose.findings.empty import empty
from placement_cli.diagnose.findings.growth import growth, passed_over
from placement_cli.diagnose.findings.memory import memory
from placement_cli.diagnose.findings.reading import reading
from placement_cli.diagnose.findings.seen import Seen
from placement_cli.diagnose.findings.stalls import stalls
from placement_cli.diagnose.findings.streams import streams
from placement_cli.diagnose.findings.withheld import withheld, withholds
from placement_cli.tracing.raw import RawProcess

Rule = Callable[[RawProcess], Iterator[Seen]]
RULES: tuple[Rule, ...] = (streams, clocks, reading, empty, blocking, stalls, memory)
"""Rules that look at one process and at nothing that another rule says; growth comes before them."""


def findings_of(processes: Sequence[RawProcess], exit_code: int | None = None) -> tuple[Finding, ...]:
    """Return what the records of a program show, by severity and then by what is at stake.

    What is at stake is a share: seconds of the run, or bytes of the most that MLX held. The same finding at the same
    place in several threads or processes is told once, with the numbers of the worst and the count. `exit_code` is
    that of the program, negative where a signal ended it; None when it is not known.
    """
    places: dict[tuple[str | int | None, ...], dict[tuple[int, str], Seen]] = {}
    for process in processes:
        for each in _of_one(process, exit_code):
            threads = places.setdefault(each.key, {})
            where = (process.pid, each.thread)
            threads[where] = min(threads.get(where, each), each, key=_rank)
    worst = sorted((_together(threads) for threads in places.values()), key=_rank)
    return tuple(each.finding for each in worst)


def _of_one(process: RawProcess, exit_code: int | None) -> Iterator[Seen]:
    """Yield what is seen in one process; what grows is told once, where it is built or where it is computed."""
    if not passed_over(process):
        held = list(collected(process))
        grown = list(withheld(process) if withholds(process) else growth(process, pins=not held))
        yield from (*grown, *held)
        if not any(each.finding.code in {"PL101", "PL103"} for each in (*grown, *held)):
            yield from backlog(process)
    for rule in RULES:
        yield from rule(process)
    yield from crash(process, exit_code)


def _rank(each: Seen) -> tuple[int, float, str, str, int]:
    """Return the order: severity, what is at stake, then code and place, so that equals come the same every time."""
    finding = each.finding
    return (SEVERITIES.index(finding.severity), -each.stake, finding.code, finding.file or "", finding.line or 0)


def _together(threads: Mapping[tuple[int, str], Seen]) -> Seen:
    """Return the worst of the same finding in several threads or processes, with their count."""
    worst = min(threads.values(), key=_rank)
    if len(threads) == 1:
        return worst
    processes = len({pid for pid, _ in threads})
    where = f"{processes} processes" if processes == len(threads) else f"{len(threads)} threads"
    finding = worst.finding
    told = replace(
        finding,
        says=f"{finding.says} The same was seen in {where}; these are the numbers of the worst.",
        evidence={**finding.evidence, "occurrences": len(threads)},
    )
    return replace(worst, finding=told)
