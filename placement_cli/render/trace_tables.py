"""Evaluation points of a trace on the terminal: a table with place and source under each row, or a paragraph each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from placement_cli.render.grid import column_widths, row_lines, rule, total_width
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import harmless, plain
from placement_cli.render.source_lines import Sources, cut
from placement_cli.render.trace_rows import PointRow, rows_of
from placement_cli.store.trace_document import PointRecord, TraceDocument
from placement_cli.units import format_duration, format_percent, format_size

HEADINGS = ("point", "calls", "blocked", "share", "median", "longest", "arrays", "bytes")
INDENT = "    "
HIDDEN_STYLE = "yellow"
FEW = 3
"""So many threads at one line are named; of more, all but one of these, and how many there are."""


class PointTable:
    """The first `top` lines with points, each with its place and its source."""

    def __init__(self, document: TraceDocument, sources: Sources, top: int) -> None:
        rows = rows_of(document.points)
        self._rows, self._left_out = rows[:top], rows[top:]
        self._processes = document.processes
        self._sources = sources
        self._many_processes = len({point.process for point in document.points}) > 1
        self._many_threads = len({(point.process, point.thread) for point in document.points}) > 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table where it fits, paragraphs where it does not."""
        columns = options.max_width
        cells = [(_kind(row), *map(Text, self._quantities(row))) for row in self._rows]
        widths = column_widths([[*map(Text, HEADINGS)], *cells])
        if total_width(widths) <= columns:
            yield from row_lines([*map(Text, HEADINGS)], widths)
            yield rule(total_width(widths))
            for row, line in zip(self._rows, cells, strict=True):
                yield from row_lines(line, widths)
                yield from self._below(row, columns)
        else:
            for row in self._rows:
                yield Hanging(Text(f"{_kind(row).plain}: {self._in_words(row)}", style=_kind(row).style))
                yield from self._below(row, columns)
        yield from self._rest()

    def _quantities(self, row: PointRow) -> tuple[str, ...]:
        return (
            f"{row.total(lambda point: point.count):,}",
            format_duration(row.blocked_s),
            format_percent(max(map(self._share, row.points))),
            format_duration(row.middle(lambda point: point.median_s)),
            format_duration(row.longest_s),
            f"{row.middle(lambda point: point.arrays):.0f}",
            format_size(row.total(lambda point: point.bytes)),
        )

    def _in_words(self, row: PointRow) -> str:
        _, blocked, share, median, longest, arrays, size = self._quantities(row)
        calls = plural(row.total(lambda point: point.count), "call")
        each = "" if len(row.points) == 1 else " of one thread"
        times = f"median {median}, longest {longest}"
        return f"{calls} blocked {blocked} ({share}{each}), {times}, arrays {arrays}, {size} in all"

    def _share(self, point: PointRecord) -> float:
        """Return which part of its process's time the point blocked."""
        duration_s = self._processes[point.process].duration_s
        return point.blocked_s / duration_s if duration_s > 0 else 0.0

    def _below(self, row: PointRow, columns: int) -> Iterator[RenderableType]:
        first = row.first
        where = [f"{self._sources.place(first.file, first.line)} in {first.function}"]
        where += [f"through {first.through}"] if first.through else []
        where += self._who(row)
        yield Hanging(plain(", ".join([*where, *_oddities(row)])), Text(INDENT))
        if source := self._sources.line(first.file, first.line):
            yield Text(INDENT + cut(source, columns - len(INDENT)), style="dim")

    def _who(self, row: PointRow) -> list[str]:
        """Return which threads it was, as far as there are several in the program."""
        if len(row.points) > 1:
            return [self._together(row)]
        process = [f"process {self._processes[row.first.process].pid}"] if self._many_processes else []
        return [f"thread {row.first.thread}", *process] if self._many_threads else []

    def _together(self, row: PointRow) -> str:
        """Return how many threads or processes it was, and how long the first of them were blocked."""
        processes = len({point.process for point in row.points})
        named = [
            f"{self._name(point, processes, len(row.points))} {format_duration(point.blocked_s)}"
            for point in row.points[: FEW if len(row.points) <= FEW else FEW - 1]
        ]
        named += [f"{len(row.points) - len(named):,} more"] if len(row.points) > len(named) else []
        kind = "processes" if processes == len(row.points) else "threads"
        return f"in {len(row.points):,} {kind} ({', '.join(named[:-1])} and {named[-1]})"

    def _name(self, point: PointRecord, processes: int, threads: int) -> str:
        """Return the name of a thread among those of one row: its own, that of its process, or both."""
        if processes == 1:
            return point.thread
        process = f"process {self._processes[point.process].pid}"
        return process if processes == threads else f"{point.thread} of {process}"

    def _rest(self) -> Iterator[RenderableType]:
        if self._left_out:
            blocked = format_duration(sum(row.blocked_s for row in self._left_out))
            yield Hanging(Text(f"Further points: {len(self._left_out):,}, which blocked {blocked}.", style="dim"))


def _kind(row: PointRow) -> Text:
    hidden = " (hidden)" if row.hidden else ""
    return Text(harmless(row.first.kind) + hidden, style=HIDDEN_STYLE if row.hidden else "")


def _oddities(row: PointRow) -> Sequence[str]:
    """Return what is unusual about the calls of a point."""
    counts = (
        (row.total(lambda point: point.empty_calls), "call", "without arrays"),
        (row.total(lambda point: point.zero_size_calls), "call", "with zero elements"),
        (row.total(lambda point: point.failed), "more call", "failed"),
        (sum(not point.count and not point.failed for point in row.points), "more call", "under way at the end"),
    )
    return [f"{plural(number, noun)} {what}" for number, noun, what in counts if number]


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a number, thousands apart, with its noun, such as `1 call` or `3,210 calls`."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"
