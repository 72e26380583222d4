"""Any number of stored runs side by side: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from placement_cli.comparing.columns import Columns, Layout
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.setups import differing_facts
from placement_cli.comparing.stored import Key, StoredRow, stored_row
from placement_cli.errors import NothingComparable
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.statistics.verdict import VerdictKind


@dataclass(frozen=True, slots=True)
class Line:
    """One series in all runs. `rows` has a place for each run, None for the base and where the series is missing.

    `base` is the number of the run that the others are compared with: the first one that holds the series.
    """

    key: Key
    unit: str
    params: Mapping[str, ParameterValue]
    base: int
    base_median: float
    rows: tuple[StoredRow | None, ...]

    @property
    def verdicts(self) -> set[VerdictKind]:
        """What is said of it in any run."""
        return {row.verdict for row in self.rows if row}

    @property
    def claims(self) -> bool:
        """Whether anything is claimed of it."""
        return self.verdicts != {VerdictKind.INCONCLUSIVE}


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """Stored runs side by side; the first run is the base.

    `facts` are those that vary between the runs, and those asked for: a value for each run. `layout` says what tells
    the lines apart. `differs` says for each run which facts it does not share with the base. `alone` holds for each
    run the series that no other run holds.
    """

    runs: tuple[Recorded, ...]
    facts: Mapping[str, tuple[str, ...]]
    layout: Layout
    lines: tuple[Line, ...]
    differs: tuple[tuple[str, ...], ...]
    alone: tuple[tuple[Key, ...], ...]

    def counts(self, run: int, base: int | None = None) -> Mapping[VerdictKind, int]:
        """Return how often each verdict was reached on the run of this number, or there against one base alone."""
        lines = [line for line in self.lines if base in (None, line.base)]
        return Counter(row.verdict for line in lines for row in (line.rows[run],) if row)

    def bases(self, run: int) -> tuple[int, ...]:
        """Return the numbers of the runs that this run is compared with: the first, and others for what that lacks."""
        return tuple(sorted({line.base for line in self.lines if line.rows[run]}))


def comparison_table(
    runs: Sequence[Recorded], columns: Sequence[str] = (), spread: Mapping[Key, float] | None = None
) -> ComparisonTable:
    """Return `runs` side by side, the first as the base.

    Lines where a change is claimed come first, then those that are the same, then those of which nothing is claimed,
    each in the order of the files. `columns` are facts to show besides those that vary, such as `env.mlx_version`,
    `run.started`, `tool` or `params.rate`. `spread` is that between days, by series. Raises UsageError for an unknown
    column, NothingComparable when no series stands in two runs.
    """
    lines = sorted(_lines(runs, spread or {}), key=_order)
    if not lines:
        raise NothingComparable(_nothing(runs))
    asked = Columns.of(columns, runs)
    return ComparisonTable(
        runs=tuple(runs),
        facts=asked.facts(runs),
        layout=asked.layout([(line.key, line.params) for line in lines]),
        lines=tuple(lines),
        differs=tuple(differing_facts(runs[0], run) for run in runs),
        alone=tuple(_alone(runs)),
    )


def _lines(runs: Sequence[Recorded], spread: Mapping[Key, float]) -> Iterator[Line]:
    held = [{series.key: series for series in run.series} for run in runs]

    @cache
    def differs(base: int, new: int) -> tuple[str, ...]:
        return differing_facts(runs[base], runs[new])

    for key in dict.fromkeys(series.key for run in runs for series in run.series):
        base, *others = [number for number, series in enumerate(held) if key in series]
        if not others:
            continue
        first = held[base][key]
        rows = {n: stored_row(first, held[n][key], differs(base, n), spread.get(key)) for n in others}
        middle = next(iter(rows.values())).base_median
        yield Line(key, first.unit, first.params, base, middle, tuple(rows.get(n) for n in range(len(runs))))


def _order(line: Line) -> int:
    if line.verdicts & {VerdictKind.SLOWER, VerdictKind.FASTER}:
        return 0
    return 1 if line.claims else 2


def _alone(runs: Sequence[Recorded]) -> Iterator[tuple[Key, ...]]:
    held = Counter(series.key for run in runs for series in run.series)
    for run in runs:
        yield tuple(series.key for series in run.series if held[series.key] == 1)


def _nothing(runs: Sequence[Recorded]) -> str:
    def example(run: Recorded) -> str:
        first = " ".join(filter(None, run.series[0].key)) if run.series else "nothing"
        return f"{run.name} holds {first[:120]}" + (f" and {len(run.series) - 1} more" if len(run.series) > 1 else "")

    held = "; ".join(example(run) for run in runs[:4])
    return f"Nothing can be compared: no case, arm and metric stands in two of these runs. {held}."
