"""From a program that ran, and what was found about it, to the document of a trace."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.seen_records import (
    builds_of,
    compiled_of,
    errors_of,
    intervals_of,
    kept_of,
    lazy_of,
    misses_of,
    place_facts,
)
from placement_cli.diagnose.trace_gaps import gaps_of
from placement_cli.diagnose.trace_verdict import is_hidden, verdict_of
from placement_cli.errors import EXIT_NAMES
from placement_cli.store.run_document import ExitRecord, ToolRecord
from placement_cli.store.trace_document import (
    BuildRecord,
    LiveRecord,
    OverheadRecord,
    PointRecord,
    ProcessRecord,
    ProgramRecord,
    TraceDocument,
    TraceFinding,
    TraceMemory,
)
from placement_cli.tracing.raw import RawCost, RawLive, RawMemory, RawPoint, RawProcess

OWN_EXIT = "program"
"""The name of an exit code that is the program's own, whose meaning it alone knows."""
NOT_FINITE = "not finite"


def trace_document(ran: Ran, findings: Sequence[Finding], tool_version: str) -> TraceDocument:
    """Return the document of a run of a program, with what was found about it."""
    processes = ran.processes
    return TraceDocument(
        tool=ToolRecord(name="placement", version=tool_version),
        program=ProgramRecord(argv=list(ran.argv), exit=ran.exit_code, signal=ran.signal, duration_s=ran.wall_s),
        verdict=verdict_of(ran, findings),
        build=_build(processes),
        processes=[_process(process) for process in processes],
        points=_ranked(processes),
        builds=builds_of(processes),
        memory=[_memory(number, each) for number, process in enumerate(processes) for each in process.memory],
        intervals=intervals_of(processes),
        lazy=lazy_of(processes),
        kept=kept_of(processes),
        misses=misses_of(processes),
        errors=errors_of(processes),
        compiled=compiled_of(processes),
        findings=[_finding(each) for each in findings],
        overhead=_overhead(processes),
        unseen=list(dict.fromkeys(sentence for process in processes for sentence in process.unseen)),
        exit=_exit(ran),
        diagnostics=list(gaps_of(ran)),
    )


def _build(processes: Sequence[RawProcess]) -> BuildRecord:
    first = next((process for process in processes if process.mlx), None)
    if first is None:
        return BuildRecord(mlx=None, backend=None, device=None, python=None, variables={})
    return BuildRecord(
        mlx=first.mlx, backend=first.backend, device=first.device, python=first.python, variables=dict(first.variables)
    )


def _process(process: RawProcess) -> ProcessRecord:
    return ProcessRecord(
        pid=process.pid,
        parent=process.parent,
        argv=list(process.argv),
        duration_s=process.duration_s,
        ended=process.ended,
        mlx=process.mlx,
        calls=process.cost.calls,
        ops=process.cost.ops,
        live=None if process.live is None else _live(process.live),
    )


def _live(live: RawLive) -> LiveRecord:
    return LiveRecord(
        arrays=live.arrays, bytes=live.bytes, lazy=live.lazy, views=live.views, views_bytes=live.views_bytes
    )


def _ranked(processes: Sequence[RawProcess]) -> list[PointRecord]:
    """Return the points of all processes: hidden synchronizations first, then by the time they blocked."""
    points = [_point(number, each) for number, process in enumerate(processes) for each in process.points]
    return sorted(points, key=lambda point: (not point.hidden, -point.blocked_s))


def _point(process: int, point: RawPoint) -> PointRecord:
    return PointRecord(
        **place_facts(point.place),
        process=process,
        kind=point.kind,
        call=point.call,
        thread=point.thread,
        stream=point.stream,
        count=point.count,
        blocked_s=point.blocked_s,
        first_s=point.first_s,
        median_s=median(point.durations_s) if point.durations_s else point.first_s,
        longest_s=point.longest_s,
        arrays=point.arrays,
        bytes=point.bytes,
        hidden=is_hidden(point),
        checked_calls=point.checked_calls,
        pending_calls=point.pending_calls,
        empty_calls=point.empty_calls,
        zero_size_calls=point.zero_size_calls,
        failed=point.failed,
    )


def _memory(process: int, sample: RawMemory) -> TraceMemory:
    return TraceMemory(
        process=process,
        at_s=sample.at_s,
        active_bytes=sample.active,
        cache_bytes=sample.cache,
        peak_bytes=sample.peak,
        resident_bytes=sample.resident,
        pending_ops=sample.pending_ops,
    )


def _finding(finding: Finding) -> TraceFinding:
    return TraceFinding(
        code=finding.code,
        name=finding.name,
        severity=finding.severity,
        file=finding.file,
        line=finding.line,
        node=finding.node,
        says=finding.says,
        fix=finding.fix,
        next_check=finding.next_check,
        evidence=_evidence(finding.evidence),
    )


def _evidence(evidence: Mapping[str, float | str | None]) -> dict[str, float | str | None]:
    """Return the evidence; what is not finite is null, and NAME_reason says so."""
    told: dict[str, float | str | None] = {}
    for name, value in evidence.items():
        finite = not isinstance(value, float) or math.isfinite(value)
        told |= {name: value} if finite else {name: None, f"{name}_reason": NOT_FINITE}
    return told


def _overhead(processes: Sequence[RawProcess]) -> OverheadRecord:
    """Return what tracing cost in the processes that used MLX.

    A process measures what a call and an operation cost when it ends. For one that was killed the mean of the others
    stands; where none ended the share is not known.
    """
    traced = [process for process in processes if process.mlx]
    costs = [process.cost for process in traced]
    measured = [cost for cost in costs if cost.call_s > 0]
    call_s = _mean((cost.call_s, cost.calls) for cost in measured)
    op_s = _mean((cost.op_s, cost.ops) for cost in measured)
    known = bool(measured) or not any(cost.calls or cost.ops for cost in costs)
    duration_s = sum(process.duration_s for process in traced)
    return OverheadRecord(
        per_call_s=call_s,
        per_op_s=op_s,
        share=sum(_spent(cost, call_s, op_s) for cost in costs) / duration_s if known and duration_s > 0 else None,
        calls=sum(cost.calls for cost in costs),
        ops=sum(cost.ops for cost in costs),
        looks_s=sum(cost.looks_s for cost in costs),
        samples_s=sum(cost.samples_s for cost in costs),
    )


def _mean(weighted: Iterable[tuple[float, int]]) -> float:
    """Return the mean of what has a weight; 0 where nothing has one."""
    pairs = list(weighted)
    weight = sum(each for _, each in pairs)
    return sum(value * each for value, each in pairs) / weight if weight else 0.0


def _spent(cost: RawCost, call_s: float, op_s: float) -> float:
    """Return what tracing took in a process, by these costs where it measured none itself."""
    return cost.total_s if cost.call_s > 0 else call_s * cost.calls + op_s * cost.ops + cost.looks_s + cost.samples_s


def _exit(ran: Ran) -> ExitRecord:
    """Return the exit code; another one than 0 has the program's meaning, not that of this tool's table."""
    ours = ran.exit_code == 0 or ran.timed_out
    return ExitRecord(code=ran.exit_code, name=EXIT_NAMES[ran.exit_code] if ours else OWN_EXIT)
