"""Which series of runs are looked at: globs over the ids of cases and over metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import NothingComparable, did_you_mean
from placement_cli.located.globs import glob_matches

MOST_NAMED = 8
"""Names that are listed where none is near."""


def chosen(runs: Sequence[Recorded], cases: Sequence[str] = (), metrics: Sequence[str] = ()) -> tuple[Recorded, ...]:
    """Return `runs` with the series whose case and metric match one of the globs each; without globs, all.

    A glob for cases also matches what stands before the brackets of an id. Raises NothingComparable for a glob that
    matches nothing in any run.
    """
    every = [series for run in runs for series in run.series]
    for glob in cases:
        if not any(_is_case(glob, series) for series in every):
            raise _nothing("-k", glob, [series.case for series in every], runs)
    for glob in metrics:
        if not any(glob_matches(glob, series.metric) for series in every):
            raise _nothing("--metric", glob, [series.metric for series in every], runs)
    return tuple(replace(run, series=tuple(s for s in run.series if _wanted(s, cases, metrics))) for run in runs)


def _wanted(series: Series, cases: Sequence[str], metrics: Sequence[str]) -> bool:
    of_case = not cases or any(_is_case(glob, series) for glob in cases)
    return of_case and (not metrics or any(glob_matches(glob, series.metric) for glob in metrics))


def _is_case(glob: str, series: Series) -> bool:
    return glob_matches(glob, series.case) or glob_matches(glob, series.case.partition("[")[0])


def _nothing(option: str, glob: str, known: Sequence[str], runs: Sequence[Recorded]) -> NothingComparable:
    near = did_you_mean(glob, list(dict.fromkeys(known)), MOST_NAMED)
    # What was asked for may be what was left out, which notes tell.
    notes = "".join(f" {run.name}: {note}" for run in runs[:MOST_NAMED] for note in run.notes)
    return NothingComparable(f"{option} {glob}: matches nothing in these runs. {near}{notes}")
