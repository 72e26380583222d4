"""The documents of `compare` and `history`: what the tables show, for programs. Numbers in SI, never NaN."""

from __future__ import annotations

from collections.abc import Iterator

import placement_cli
from placement_cli.comparing.history import History, Point, SetUp, Track
from placement_cli.comparing.stored import Key, StoredRow
from placement_cli.comparing.table import ComparisonTable, Line
from placement_cli.errors import EXIT_NAMES
from placement_cli.statistics.two_sample import LEVEL
from placement_cli.store.comparison_document import (
    ComparedRun,
    ComparedSeries,
    ComparisonDocument,
    ComparisonLine,
    SeriesName,
)
from placement_cli.store.history_document import (
    HistoryDocument,
    HistoryPoint,
    HistorySeries,
    HistorySetUp,
    HistoryStep,
    UnreadableFile,
)
from placement_cli.store.run_document import Diagnostic, ExitRecord, ToolRecord
from placement_cli.store.texts import encodable

DONE = ExitRecord(code=0, name=EXIT_NAMES[0])
"""Whatever is found, these commands end well: what they say is advisory."""


def comparison_json(table: ComparisonTable) -> str:
    """Return a comparison as JSON text (`placement.comparison`).

    `lines[].compared[]` holds a part for each run that is compared there: `run` is its number in `runs`, `ratio` above
    1 is slower or more, `ci` the interval of the ratio with its true coverage in `ci_level`, `clause` what decided.
    """
    notes = [f"{run.name}: {note}" for run in table.runs for note in run.notes]
    return ComparisonDocument(
        tool=_tool(),
        level=LEVEL,
        runs=[_run(table, number) for number in range(len(table.runs))],
        lines=[_line(line) for line in table.lines],
        exit=DONE,
        diagnostics=[Diagnostic(level="warning", code="note", text=encodable(note)) for note in notes],
    ).to_json()


def history_json(history: History) -> str:
    """Return a history as JSON text (`placement.history`): `set_ups[].series[]` with points and steps, oldest first."""
    return HistoryDocument(
        tool=_tool(),
        folder=history.folder,
        set_ups=[_set_up(each) for each in history.set_ups],
        unreadable=[UnreadableFile(path=each.path, reason=each.reason) for each in history.unreadable],
        exit=DONE,
        diagnostics=[],
    ).to_json()


def _tool() -> ToolRecord:
    return ToolRecord(name="placement", version=placement_cli.__version__)


def _run(table: ComparisonTable, number: int) -> ComparedRun:
    run = table.runs[number]
    return ComparedRun(
        name=run.name,
        origin=run.origin,
        tool=run.tool,
        started=run.started or None,
        fingerprint=run.fingerprint or None,
        facts={name: values[number] for name, values in table.facts.items()},
        differs=list(table.differs[number]),
        notes=list(run.notes),
        counts={kind.value: count for kind, count in table.counts(number).items()},
        alone=[_name(key) for key in table.alone[number]],
    )


def _name(key: Key) -> SeriesName:
    case, arm, metric = key
    return SeriesName(case=case, arm=arm, metric=metric)


def _line(line: Line) -> ComparisonLine:
    case, arm, metric = line.key
    base = next(row for row in line.rows if row).base
    return ComparisonLine(
        case=case,
        arm=arm,
        metric=metric,
        unit=base.unit,
        params=dict(line.params),
        base=line.base,
        base_median=line.base_median,
        base_n=len(base.values),
        compared=[_compared(number, row) for number, row in enumerate(line.rows) if row],
    )


def _compared(number: int, row: StoredRow) -> ComparedSeries:
    seen = row.interval
    return ComparedSeries(
        run=number,
        median=row.new_median,
        n=len(row.new.values),
        ratio=row.ratio,
        ci=None if seen is None else (seen.low, seen.high),
        ci_level=None if seen is None else seen.coverage,
        p=row.p_value,
        verdict=row.verdict.value,
        clause=row.clause,
        reason=row.reason,
    )


def _set_up(set_up: SetUp) -> HistorySetUp:
    return HistorySetUp(
        fingerprint=set_up.fingerprint,
        stable=dict(set_up.stable),
        tools=list(set_up.tools),
        runs=set_up.runs,
        series=[_series(track) for track in set_up.tracks],
    )


def _series(track: Track) -> HistorySeries:
    return HistorySeries(
        case=track.case,
        arm=track.arm,
        metric=track.metric,
        unit=track.unit,
        params=dict(track.params),
        points=[_point(point) for point in track.points],
        steps=list(_steps(track)),
    )


def _point(point: Point) -> HistoryPoint:
    return HistoryPoint(run=point.run, started=point.started or None, median=point.median, n=point.n_values)


def _steps(track: Track) -> Iterator[HistoryStep]:
    for step in track.steps:
        first = track.points[step.index]
        yield HistoryStep(
            index=step.index,
            run=first.run,
            started=first.started or None,
            before=step.before,
            after=step.after,
            ratio=step.ratio,
        )
