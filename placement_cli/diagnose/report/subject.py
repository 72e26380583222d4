"""The process that a report is about, and words for what its threads and streams are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from placement_cli.tracing.raw import RawProcess


def subject_of(processes: Sequence[RawProcess], file: str | None, line: int | None) -> RawProcess | None:
    """Return the process that was at a place, or else the one with most to do with MLX; None where none has."""
    found = [process for process in processes if process.mlx]
    there = [process for process in found if file is not None and _was_at(process, file, line)]
    return max(there or found, key=_busy, default=None)


def _was_at(process: RawProcess, file: str, line: int | None) -> bool:
    seen = (process.points, process.builds, process.intervals, process.kept, process.errors, process.lazy)
    return any((each.place.file, each.place.line) == (file, line) for several in seen for each in several)


def _busy(process: RawProcess) -> tuple[int, int]:
    return (process.cost.ops, process.cost.calls)


def together(names: Iterable[str], most: int = 3) -> str:
    """Return names for a sentence, each once: `a, b and 2 more`."""
    every = list(dict.fromkeys(name for name in names if name))
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)
