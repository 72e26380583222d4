"""A trace on the terminal: the verdict, where the program evaluates, its memory, what was found, and what it cost."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.render.advice_report import BULLET, FIX, SEVERITIES
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sayings import diagnostics
from placement_cli.render.source_lines import Sources
from placement_cli.render.trace_tables import PointTable, plural
from placement_cli.store.trace_document import (
    EVENTS_DROPPED,
    OverheadRecord,
    TraceDocument,
    TraceFinding,
    TraceMemory,
)
from placement_cli.units import format_duration, format_percent, format_size

NEXT = "next: "
POINTS = "Evaluation points: hidden synchronizations first, then by the time they blocked"
MOST_PROCESSES = 4
"""Processes whose memory is shown, those with the highest peak."""
MOST_VARIABLES = 12
"""Environment variables that are shown."""
NONE = "Findings: none."

Parts = Iterator[RenderableType]


def print_trace(
    document: TraceDocument,
    console: Console,
    sources: Sources,
    top: int,
    *,
    timeline: bool = False,
    part: bool = False,
) -> None:
    """Print the whole trace, with the first `top` points.

    With `timeline` one was written, and what it lacks is told. With `part` it is about a part of a program, which has
    not ended.
    """
    sections = [
        _opening(document, part=part),
        _points(document, sources, top),
        _memory(document),
        _findings(document, sources),
        _closing(document, timeline=timeline),
    ]
    for number, section in enumerate(filter(None, map(list, sections))):
        if number:
            console.print()
        for each in section:
            console.print(each)


def print_trace_verdict(document: TraceDocument, console: Console, sources: Sources) -> None:
    """Print the verdict and what is wrong, a line each, for `-q`; before them the signal that ended the program."""
    if document.program.signal is not None:
        console.print(plain(f"{_ending(document)}."), soft_wrap=True)
    console.print(plain(document.verdict), soft_wrap=True)
    for finding in worst_first(document.findings):
        if finding.severity != "note":
            title = finding_title(finding, sources)
            console.print(plain(f"{finding.severity}: {title}: {finding.says}"), soft_wrap=True)


def worst_first(findings: Sequence[TraceFinding]) -> list[TraceFinding]:
    """Return the findings with the worst first, otherwise in their order."""
    order = list(SEVERITIES)
    return sorted(findings, key=lambda finding: order.index(finding.severity))


def finding_title(finding: TraceFinding, sources: Sources) -> str:
    """Return what a finding is called, where it is, and what it is about."""
    where = "" if finding.file is None else f" {sources.place(finding.file, finding.line)}"
    node = f" @{finding.node}" if finding.node is not None else ""
    return f"{finding.code} {finding.name}{where}{node}"


def finding_parts(finding: TraceFinding, sources: Sources, room: int) -> Parts:
    """Yield a finding, its fix and its next check behind its severity, in a column `room` wide."""
    mark = Text(finding.severity, style=SEVERITIES[finding.severity])
    yield Hanging(plain(f"{finding_title(finding, sources)}: {finding.says}"), mark, room)
    if finding.fix:
        yield Hanging(plain(finding.fix), Text(" " * room + FIX))
    lead = NEXT
    for line in finding.next_check.splitlines():
        # A check may be code, whose indentation means something.
        deep = len(line) - len(line.lstrip())
        yield Hanging(plain(line.strip()), Text(" " * room + lead + " " * deep))
        lead = " " * len(NEXT)


def _opening(document: TraceDocument, *, part: bool) -> Parts:
    yield Hanging(plain(document.verdict, "bold"))
    program, build = document.program, document.build
    duration = format_duration(program.duration_s)
    parts = [f"a part of {_name(document)}, {duration}" if part else f"{_ending(document)} after {duration}"]
    if build.mlx is not None:
        parts.append(f"MLX {build.mlx} on {build.backend}, {build.device}, Python {build.python}")
    if len(document.processes) > 1:
        parts.append(f"{len(document.processes)} processes")
    variables = [f"{name}={value}" for name, value in build.variables.items()]
    style = "dim" if program.signal is None else "yellow"
    yield Hanging(plain(", ".join([*parts, *variables[:MOST_VARIABLES]]), style))


def _name(document: TraceDocument) -> str:
    return document.program.argv[0] if document.program.argv else ""


def _ending(document: TraceDocument) -> str:
    """Return the name of the program and how it ended."""
    program, name = document.program, _name(document)
    if program.signal is None:
        return f"{name}: exit {program.exit}"
    try:
        ended_by = signal.Signals(program.signal).name
    except ValueError:
        ended_by = f"signal {program.signal}"
    return f"{name}: ended by {ended_by}, exit {program.exit}"


def _points(document: TraceDocument, sources: Sources, top: int) -> Parts:
    if document.points:
        yield Hanging(Text(POINTS, style="bold"))
        yield PointTable(document, sources, top)


def _memory(document: TraceDocument) -> Parts:
    """Yield a line for each process: what MLX and the system said at the end, and the most."""
    by_process: dict[int, list[TraceMemory]] = {}
    for sample in document.memory:
        by_process.setdefault(sample.process, []).append(sample)
    ranked = sorted(by_process.items(), key=lambda item: -max(sample.peak_bytes for sample in item[1]))
    for process, samples in ranked[:MOST_PROCESSES]:
        whose = f" of process {document.processes[process].pid}" if len(by_process) > 1 else ""
        yield Hanging(plain(f"Memory{whose}: {_memory_words(samples)}."))
    if len(ranked) > MOST_PROCESSES:
        left = plural(len(ranked) - MOST_PROCESSES, "further process", "further processes")
        yield Hanging(Text(f"Memory of {left} is not shown.", style="dim"))


def _memory_words(samples: Sequence[TraceMemory]) -> str:
    last = samples[-1]
    active = _end_and_most(last.active_bytes, [sample.active_bytes for sample in samples])
    cache = _end_and_most(last.cache_bytes, [sample.cache_bytes for sample in samples])
    resident = _end_and_most(last.resident_bytes, [sample.resident_bytes for sample in samples])
    peak = format_size(max(sample.peak_bytes for sample in samples))
    pending = plural(max(sample.pending_ops for sample in samples), "operation")
    return f"active {active}, cache {cache}, peak {peak}, resident {resident}; at most {pending} pending"


def _end_and_most(end: int, values: Sequence[int]) -> str:
    last, most = format_size(end), format_size(max(values))
    return last if most == last else f"{last} at the end and {most} at most"


def _findings(document: TraceDocument, sources: Sources) -> Parts:
    findings = document.findings
    if findings:
        yield Text("Findings", style="bold")
    elif document.points:
        yield Text(NONE, style="bold")
    room = max((len(finding.severity) for finding in findings), default=0) + 2
    for finding in worst_first(findings):
        yield from finding_parts(finding, sources, room)


def _closing(document: TraceDocument, *, timeline: bool) -> Parts:
    if document.overhead.calls or document.overhead.ops:
        yield Hanging(Text(overhead_words(document.overhead), style="dim"))
    if document.unseen:
        yield Text("Not seen", style="bold")
    for sentence in document.unseen:
        yield Hanging(plain(sentence), Text(BULLET))
    yield from diagnostics([each for each in document.diagnostics if timeline or each.code != EVENTS_DROPPED])


def overhead_words(overhead: OverheadRecord) -> str:
    """Return what tracing cost by its own measure: its share of the time, and what that consists of."""
    calls, ops = plural(overhead.calls, "call"), plural(overhead.ops, "operation")
    rest = (
        f"looks at variables {format_duration(overhead.looks_s)}, samples and writing "
        f"{format_duration(overhead.samples_s)}."
    )
    if overhead.share is None:
        return f"What tracing cost is not known, since no process came to an orderly end: {calls}, {ops}, {rest}"
    return (
        f"Tracing cost about {format_percent(overhead.share)} of the time by its own measure: {calls} at "
        f"{format_duration(overhead.per_call_s)}, {ops} at {format_duration(overhead.per_op_s)}, {rest}"
    )
