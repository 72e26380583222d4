"""Records with what the program's source adds: which pairs of reads are subtracted, where containers grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from placement_cli.diagnose.program.source import Source, parsed
from placement_cli.tracing.raw import Place, RawInterval, RawKept, RawLazy, RawProcess

ReadText = Callable[[str], str | None]
"""Returns the text of a file; None where it cannot be read."""
TIMER = "timeit"
"""A module that reads clocks for others, and subtracts what it reads."""


def read_text(file: str) -> str | None:
    """Return the text of a source file; None where there is none."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def refined(processes: Sequence[RawProcess], read: ReadText = read_text) -> tuple[RawProcess, ...]:
    """Return the records with pairs of reads that are no measurement left out, and better lines for variables."""
    sources = _Sources(read)
    return tuple(_refined(process, sources) for process in processes)


class _Sources:
    def __init__(self, read: ReadText) -> None:
        self._read = read
        self._known: dict[str, Source | None] = {}

    def of(self, file: str) -> Source | None:
        if file not in self._known:
            text = self._read(file)
            self._known[file] = None if text is None else parsed(text)
        return self._known[file]


def _refined(process: RawProcess, sources: _Sources) -> RawProcess:
    files = sorted({each.place.file for each in process.points} | {each.place.file for each in process.builds})
    return replace(
        process,
        intervals=tuple(each for each in process.intervals if _measures(each, sources)),
        kept=tuple(_grown(each, files, sources) for each in process.kept),
        lazy=tuple(_built(each, sources) for each in process.lazy),
    )


def _measures(interval: RawInterval, sources: _Sources) -> bool:
    """Tell whether a program computes the difference of two reads; between others lies what nobody measured."""
    if interval.place.through == TIMER:
        return True
    source = sources.of(interval.place.file)
    if source is None:
        return False
    return source.subtracts(interval.place.line, interval.until_line)


def _grown(kept: RawKept, files: Sequence[str], sources: _Sources) -> RawKept:
    others = [file for file in files if file != kept.place.file]
    for file in (kept.place.file, *others):
        source = sources.of(file)
        line = None if source is None else source.growing_line(kept.name, kept.place.line)
        if line is not None:
            return replace(kept, place=Place(file, line, kept.place.function))
    return kept


def _built(lazy: RawLazy, sources: _Sources) -> RawLazy:
    source = sources.of(lazy.place.file)
    if lazy.built is not None or source is None:
        return lazy
    line = source.assigned_line(lazy.name, lazy.place.line)
    return lazy if line is None else replace(lazy, built=replace(lazy.place, line=line))
