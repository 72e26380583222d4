"""The medians of stored runs over time, by set-up and series, and where they stepped: pure, and advisory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from placement_cli.comparing.dates import moment
from placement_cli.comparing.recorded import Recorded, Series, Unit
from placement_cli.comparing.setups import setup_of
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.statistics.steps import Step, find_steps

_NUMBER = re.compile(r"([0-9]{1,400})")


@dataclass(frozen=True, slots=True)
class Point:
    """One run: its name, when it began (ISO 8601, empty where that is not known), and the median of its values."""

    run: str
    started: str
    median: float
    n_values: int


@dataclass(frozen=True, slots=True)
class Track:
    """One series over time, the oldest run first. `steps` tell where a new level began, by the number of its point.

    Runs that do not say when they began come first, by name; in names numbers count as such: run-2 before run-10.
    """

    case: str
    arm: str
    metric: str
    unit: Unit
    params: Mapping[str, ParameterValue]
    points: tuple[Point, ...]
    steps: tuple[Step, ...]

    @property
    def last_step(self) -> Step | None:
        """The newest step, None where the level never moved."""
        return self.steps[-1] if self.steps else None


@dataclass(frozen=True, slots=True)
class SetUp:
    """The runs of one set-up: its fingerprint (empty where nothing is known of it), its facts, and their series."""

    fingerprint: str
    stable: Mapping[str, Any]
    tools: tuple[str, ...]
    runs: int
    tracks: tuple[Track, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be read as a run, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """What the runs of a folder say over time. Set-ups with the newest run come first.

    Medians of different set-ups never stand in one series.
    """

    folder: str
    set_ups: tuple[SetUp, ...]
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def runs(self) -> int:
        """How many runs were read."""
        return sum(each.runs for each in self.set_ups)


def history_of(folder: str, runs: Iterable[Recorded], unreadable: Sequence[Unreadable] = ()) -> History:
    """Return the history of `runs`, read from `folder`; `unreadable` are the files there that were passed over."""
    groups: dict[str, list[Recorded]] = defaultdict(list)
    for run in sorted(runs, key=_when):
        groups[setup_of(run)].append(run)
    newest_first = sorted(groups.items(), key=lambda item: _when(item[1][-1]), reverse=True)
    return History(folder, tuple(_set_up(setup, own) for setup, own in newest_first), tuple(unreadable))


def _when(run: Recorded) -> tuple[float, tuple[str | int, ...]]:
    began = moment(run.started)
    return (began.timestamp() if began else float("-inf"), natural(run.name))


def natural(name: str) -> tuple[str | int, ...]:
    """Return what names are ordered by so that run-2 stands before run-10: texts and, in between, whole numbers."""
    return tuple(int(part) if place % 2 else part for place, part in enumerate(_NUMBER.split(name)))


def _set_up(setup: str, runs: Sequence[Recorded]) -> SetUp:
    found: dict[tuple[str, str, str], list[tuple[Recorded, Series]]] = defaultdict(list)
    for run in runs:
        for series in run.series:
            found[series.key].append((run, series))
    return SetUp(
        fingerprint=setup,
        stable=runs[-1].stable,
        tools=tuple(dict.fromkeys(run.tool for run in runs)),
        runs=len(runs),
        tracks=tuple(_track(own) for own in found.values()),
    )


def _track(own: Sequence[tuple[Recorded, Series]]) -> Track:
    newest = own[-1][1]
    points = [Point(run.name, run.started, median(each.values), len(each.values)) for run, each in own]
    medians = [point.median for point in points]
    return Track(
        case=newest.case,
        arm=newest.arm,
        metric=newest.metric,
        unit=newest.unit,
        params=newest.params,
        points=tuple(points),
        steps=find_steps(medians) if min(medians) > 0 else (),
    )
