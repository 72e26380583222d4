"""Makes the cases of a scenario: its document, with what was set differently, at every point of its grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from placement_cli.bench.axes import canonical, format_value
from placement_cli.bench.grid import Axis, Grid, Point, grid_of
from placement_cli.bench.overrides import Override, override, quick_overrides
from placement_cli.bench.scenario_file import ScenarioFile
from placement_cli.bench.sites import Contest, place_arms, read_contest
from placement_cli.bench.wiring import wire
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.located.places import Given, at, quoted
from placement_cli.measure.specs import Case, Reading
from placement_cli.units import parse_duration

MAX_MESSAGES = 100_000
"""Most messages of one sample."""
MAX_RATE = 100_000.0
MIN_RATE = 0.01
"""Messages per second of a paced source."""
MAX_DURATION_S = 600.0
MIN_DURATION_S = 0.01
MAX_TOTAL_NODES = 65_536
"""Most nodes of all cases of a scenario together."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario ready to be measured.

    `control_case` is the id of the case whose base arm is measured twice, None where nothing is compared. `arms` are
    the names of all arms in the order written; `same` says for the id of a case which arms are left out there, and
    which arm each equals. `notes` are sentences that a reader of its results should know.
    """

    name: str
    question: str
    reading: Reading
    cases: tuple[Case, ...]
    control_case: str | None
    base: str
    arms: tuple[str, ...]
    axes: Mapping[str, tuple[ParameterValue, ...]]
    same: Mapping[str, Mapping[str, str]]
    origin: str
    notes: tuple[str, ...] = ()


def make_scenario(file: ScenarioFile, overrides: Sequence[Override] = (), *, quick: bool = False) -> Scenario:
    """Return the cases of the scenario in `file`.

    `quick` takes the values that the document keeps for a quick run; `overrides` come after that. Raises
    UsageError, with the place of what is wrong, for anything that cannot be measured as written.
    """
    written = grid_of(file)
    contest = read_contest(written.arms, _written_base(written))
    quicker = _changed(written, quick_overrides(written))
    quick_contest = read_contest(quicker.arms, quicker.chosen_base, usual_base=str(contest.base))
    grid, usual = (quicker, quick_contest) if quick else (written, contest)
    if overrides:
        grid = _changed(replace(grid, chosen_base=None), overrides)
        usual = read_contest(grid.arms, grid.chosen_base, usual_base=str(usual.base))
    scenario = _assembled(grid, usual, _control(written))
    _case(next(quicker.points()), quick_contest)  # so that what is wrong with it shows in a full run too
    return scenario


def _written_base(grid: Grid) -> Given | None:
    base = grid.document.base
    return None if base is None else Given(base, grid.places.of("base"))


def _changed(grid: Grid, changes: Iterable[Override]) -> Grid:
    for change in changes:
        grid = override(grid, change)
    return grid


def _assembled(grid: Grid, contest: Contest, control: Mapping[str, ParameterValue]) -> Scenario:
    cases: list[Case] = []
    same: dict[str, Mapping[str, str]] = {}
    nodes = 0
    for point in grid.points():
        case, twins = _case(point, contest)
        nodes += len(case.pipeline.nodes)
        if nodes > MAX_TOTAL_NODES:
            raise UsageError(f"{grid.places.origin}: its cases have more than {MAX_TOTAL_NODES} nodes together")
        cases.append(case)
        if twins:
            same[case.id] = twins
    document = grid.document
    return Scenario(
        name=document.name,
        question=document.question,
        reading=document.reading,
        cases=tuple(cases),
        control_case=_control_case(cases, control),
        base=str(contest.base),
        arms=tuple(str(spec) for spec in contest.arms),
        axes={name: tuple(given.value for given in axis) for name, axis in grid.axes.items()},
        same=same,
        origin=grid.places.origin,
    )


def _control_case(cases: Sequence[Case], wanted: Mapping[str, ParameterValue]) -> str | None:
    """Return the case that `wanted` describes, else the first, of those in which arms are compared."""
    compared = [case for case in cases if len(case.arms) > 1]
    matching = (case for case in compared if all(case.params.get(axis) == value for axis, value in wanted.items()))
    found = next(matching, next(iter(compared), None))
    return found.id if found else None


def _case(point: Point, contest: Contest) -> tuple[Case, Mapping[str, str]]:
    layout = wire(point)
    placed = place_arms(contest, layout)
    case = Case(
        id=point.id,
        scenario=point.grid.document.name,
        reading=point.grid.document.reading,
        pipeline=layout.pipeline,
        arms=placed.arms,
        base=str(contest.base),
        params=point.params,
        messages=_messages(point),
        rate=_rate(point),
        duration_s=_duration_s(point),
    )
    _check_paced(point, case)
    return case, placed.same


def _messages(point: Point) -> int:
    given = point.setting("messages")
    if given is None:
        return 0
    if not isinstance(given.value, int) or not 1 <= given.value <= MAX_MESSAGES:
        raise given.error(f"messages is {quoted(given.value)}; expected a whole number from 1 to {MAX_MESSAGES}")
    return given.value


def _rate(point: Point) -> float:
    given = point.setting("rate")
    if given is None:
        return 0.0
    if isinstance(given.value, str) or not MIN_RATE <= given.value <= MAX_RATE:
        expected = f"{MIN_RATE:g} to {MAX_RATE:g} messages per second"
        raise given.error(f"rate is {quoted(given.value)}; expected {expected}")
    return float(given.value)


def _duration_s(point: Point) -> float:
    """Return the duration in seconds; it is written as a number of them or with a unit, such as `500 ms`."""
    given = point.setting("duration")
    if given is None:
        return 0.0
    try:
        seconds = parse_duration(given.value) if isinstance(given.value, str) else float(given.value)
    except ValueError as error:
        raise given.error(f"duration: {error}") from None
    if not MIN_DURATION_S <= seconds <= MAX_DURATION_S:
        expected = f"{MIN_DURATION_S:g} to {MAX_DURATION_S:g} seconds"
        raise given.error(f"duration is {quoted(given.value)}; expected {expected}")
    return seconds


def _check_paced(point: Point, case: Case) -> None:
    if case.reading is not Reading.PACED:
        return
    messages = case.rate * case.duration_s
    if not 1 <= messages <= MAX_MESSAGES:
        duration = point.setting("duration")
        assert duration is not None, "a paced scenario has a duration"
        raise duration.error(
            f"{case.rate:g} messages per second for {case.duration_s:g} s are {messages:g} messages; "
            f"expected 1 to {MAX_MESSAGES}"
        )


def _control(grid: Grid) -> dict[str, ParameterValue]:
    """Return which case carries the control, as values of axes; raises UsageError for values no axis has."""
    wanted: dict[str, ParameterValue] = {}
    for axis, value in grid.document.control.items():
        if axis not in grid.axes:
            place = grid.places.of_key("control", axis)
            raise UsageError(f"{place}: {quoted(axis)} is no axis. {did_you_mean(axis, list(grid.axes))}")
        place = grid.places.of("control", axis)
        with at(place):
            wanted[axis] = canonical(value)
        if wanted[axis] not in _values(grid.axes[axis]):
            known = [format_value(item) for item in _values(grid.axes[axis])]
            hint = did_you_mean(format_value(wanted[axis]), known)
            raise UsageError(f"{place}: {quoted(value)} is no value of axis {axis!r}. {hint}")
    return wanted


def _values(axis: Axis) -> list[ParameterValue]:
    return [given.value for given in axis]
