"""The documents of `compare` and `history`: what the tables show, for programs. Numbers in SI, never NaN."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import placement_cli
from placement_cli.comparing.history import History, Track
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.stored import StoredRow
from placement_cli.comparing.table import ComparisonTable, Line
from placement_cli.errors import EXIT_NAMES
from placement_cli.statistics.two_sample import LEVEL

VERSION = "1.0.0"


def comparison_json(table: ComparisonTable) -> str:
    """Return a comparison as JSON text (`placement.comparison`).

    `lines[].compared[]` holds a part for each run that is compared there: `run` is its number in `runs`, `ratio` above
    1 is slower or more, `ci` the interval of the ratio with its true coverage in `ci_level`, `clause` what decided.
    """
    return _text(
        "placement.comparison",
        {
            "advisory": True,
            "level": LEVEL,
            "runs": [_run(table, number) for number in range(len(table.runs))],
            "lines": [_line(line) for line in table.lines],
        },
        [
            {"level": "warning", "code": "note", "text": f"{run.name}: {note}"}
            for run in table.runs
            for note in run.notes
        ],
    )


def history_json(history: History) -> str:
    """Return a history as JSON text (`placement.history`): `set_ups[].series[]` with points and steps, oldest first."""
    return _text(
        "placement.history",
        {
            "advisory": True,
            "folder": history.folder,
            "set_ups": [
                {
                    "fingerprint": each.fingerprint,
                    "stable": each.stable,
                    "tools": each.tools,
                    "runs": each.runs,
                    "series": [_track(track) for track in each.tracks],
                }
                for each in history.set_ups
            ],
            "unreadable": [{"path": each.path, "reason": each.reason} for each in history.unreadable],
        },
        [],
    )


def _text(schema: str, body: Mapping[str, Any], diagnostics: Sequence[Mapping[str, str]]) -> str:
    document = {
        "schema": schema,
        "schema_version": VERSION,
        "tool": {"name": "placement", "version": placement_cli.__version__},
        **body,
        "exit": {"code": 0, "name": EXIT_NAMES[0]},
        "diagnostics": diagnostics,
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _run(table: ComparisonTable, number: int) -> dict[str, Any]:
    run: Recorded = table.runs[number]
    return {
        "name": run.name,
        "origin": run.origin,
        "tool": run.tool,
        "started": run.started or None,
        "fingerprint": run.fingerprint or None,
        "facts": {name: values[number] for name, values in table.facts.items()},
        "differs": table.differs[number],
        "notes": run.notes,
        "counts": {kind.value: count for kind, count in table.counts(number).items()},
        "alone": [_key(key) for key in table.alone[number]],
    }


def _key(key: tuple[str, str, str]) -> dict[str, str]:
    return dict(zip(("case", "arm", "metric"), key, strict=True))


def _line(line: Line) -> dict[str, Any]:
    compared = [{"run": number, **_row(row)} for number, row in enumerate(line.rows) if row]
    base = next(row for row in line.rows if row).base
    return {
        **_key(line.key),
        "unit": line.unit,
        "params": line.params,
        "base": line.base,
        "base_median": line.base_median,
        "base_n": len(base.values),
        "compared": compared,
    }


def _row(row: StoredRow) -> dict[str, Any]:
    seen = row.interval
    return {
        "median": row.new_median,
        "n": len(row.new.values),
        "ratio": row.ratio,
        "ci": seen and [seen.low, seen.high],
        "ci_level": seen and seen.coverage,
        "p": row.p_value,
        "verdict": row.verdict.value,
        "clause": row.clause,
        "reason": row.reason,
    }


def _track(track: Track) -> dict[str, Any]:
    return {
        "case": track.case,
        "arm": track.arm,
        "metric": track.metric,
        "unit": track.unit,
        "params": track.params,
        "points": [
            {"run": each.run, "started": each.started or None, "median": each.median, "n": each.n_values}
            for each in track.points
        ],
        "steps": [
            {
                "index": step.index,
                "run": track.points[step.index].run,
                "started": track.points[step.index].started or None,
                "before": step.before,
                "after": step.after,
                "ratio": step.ratio,
            }
            for step in track.steps
        ],
    }
