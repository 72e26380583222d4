"""Evaluation points of a trace on the terminal: a table with place and source under each row, or a paragraph each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from placement_cli.render.grid import column_widths, row_lines, rule, total_width
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import harmless, plain
from placement_cli.render.source_lines import Sources, cut
from placement_cli.store.trace_document import PointRecord, TraceDocument
from placement_cli.units import format_duration, format_percent, format_size

HEADINGS = ("point", "calls", "blocked", "share", "median", "longest", "arrays", "bytes")
INDENT = "    "
HIDDEN_STYLE = "yellow"


class PointTable:
    """The first `top` points of a trace, each with its place and its line of source."""

    def __init__(self, document: TraceDocument, sources: Sources, top: int) -> None:
        self._points = document.points[:top]
        self._left_out = document.points[top:]
        self._processes = document.processes
        self._sources = sources
        self._many_processes = len({point.process for point in document.points}) > 1
        self._many_threads = len({(point.process, point.thread) for point in document.points}) > 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table where it fits, paragraphs where it does not."""
        columns = options.max_width
        rows = [(_kind(point), *map(Text, self._quantities(point))) for point in self._points]
        widths = column_widths([[*map(Text, HEADINGS)], *rows])
        if total_width(widths) <= columns:
            yield from row_lines([*map(Text, HEADINGS)], widths)
            yield rule(total_width(widths))
            for point, row in zip(self._points, rows, strict=True):
                yield from row_lines(row, widths)
                yield from self._below(point, columns)
        else:
            for point in self._points:
                yield Hanging(Text(f"{_kind(point).plain}: {self._in_words(point)}", style=_kind(point).style))
                yield from self._below(point, columns)
        yield from self._rest()

    def _quantities(self, point: PointRecord) -> tuple[str, ...]:
        return (
            f"{point.count:,}",
            format_duration(point.blocked_s),
            format_percent(self._share(point)),
            format_duration(point.median_s),
            format_duration(point.longest_s),
            str(point.arrays),
            format_size(point.bytes),
        )

    def _in_words(self, point: PointRecord) -> str:
        _, blocked, share, median, longest, arrays, size = self._quantities(point)
        times = f"median {median}, longest {longest}"
        return f"{plural(point.count, 'call')} blocked {blocked} ({share}), {times}, arrays {arrays}, {size} in all"

    def _share(self, point: PointRecord) -> float:
        """Return which part of its process's time the point blocked."""
        duration_s = self._processes[point.process].duration_s
        return point.blocked_s / duration_s if duration_s > 0 else 0.0

    def _below(self, point: PointRecord, columns: int) -> Iterator[RenderableType]:
        where = [f"{self._sources.place(point.file, point.line)} in {point.function}"]
        where += [f"through {point.through}"] if point.through else []
        where += [f"thread {point.thread}"] if self._many_threads else []
        where += [f"process {self._processes[point.process].pid}"] if self._many_processes else []
        yield Hanging(plain(", ".join([*where, *_oddities(point)])), Text(INDENT))
        if source := self._sources.line(point.file, point.line):
            yield Text(INDENT + cut(source, columns - len(INDENT)), style="dim")

    def _rest(self) -> Iterator[RenderableType]:
        if self._left_out:
            blocked = format_duration(sum(point.blocked_s for point in self._left_out))
            yield Hanging(Text(f"Further points: {len(self._left_out):,}, which blocked {blocked}.", style="dim"))


def _kind(point: PointRecord) -> Text:
    hidden = " (hidden)" if point.hidden else ""
    return Text(harmless(point.kind) + hidden, style=HIDDEN_STYLE if point.hidden else "")


def _oddities(point: PointRecord) -> Sequence[str]:
    """Return what is unusual about the calls of a point."""
    counts = (
        (point.empty_calls, "without arrays"),
        (point.zero_size_calls, "with zero elements"),
        (point.failed, "that failed"),
    )
    return [f"{plural(number, 'call')} {what}" for number, what in counts if number]


def plural(number: int, noun: str) -> str:
    """Return a number, thousands apart, with its noun, such as `1 call` or `3,210 calls`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
