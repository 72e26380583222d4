"""The grid of a scenario: its axes, and the values that one point of it gives to what the document says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod

from placement_cli.bench.axes import canonical, check_count, check_different, format_value, parse_values
from placement_cli.bench.scenario_file import ScenarioFile
from placement_cli.bench.scenario_schema import REFERENCE, ScenarioDocument
from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.located.places import Given, Places, at

MAX_CASES = 4096
"""Most cases of one scenario; hundreds already take hours."""

Axis = tuple[Given, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A scenario with its axes written out, before or after something was set differently.

    `arms` and `base` are what will be measured. `chosen_base` is set when the base was named outside the main
    part of the document: then it must be one of the arms.
    """

    document: ScenarioDocument
    places: Places
    axes: Mapping[str, Axis]
    arms: Axis
    chosen_base: Given | None = None

    def points(self) -> Iterator[Point]:
        """Yield the points of the grid, the last axis fastest; raises UsageError when there are too many."""
        count = prod(len(axis) for axis in self.axes.values())
        if count > MAX_CASES:
            sizes = " x ".join(f"{len(axis)} ({name})" for name, axis in self.axes.items())
            raise UsageError(f"{self.places.origin}: {sizes} are {count} cases; expected at most {MAX_CASES}")
        for values in product(*self.axes.values()):
            yield Point(self, dict(zip(self.axes, values, strict=True)))


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the grid: a value for every axis."""

    grid: Grid
    values: Mapping[str, Given] = field(default_factory=dict)

    @property
    def params(self) -> dict[str, ParameterValue]:
        """The values of the axes."""
        return {name: given.value for name, given in self.values.items()}

    @property
    def id(self) -> str:
        """The name of the case: `scenario[axis=value,...]`."""
        name = self.grid.document.name
        inside = ",".join(f"{axis}={format_value(given.value)}" for axis, given in self.values.items())
        return f"{name}[{inside}]" if inside else name

    def given(self, value: ParameterValue, *path: str | int) -> Given:
        """Return `value`, which stands at `path`, with a reference replaced by what it stands for here."""
        if not isinstance(value, str) or not value.startswith(REFERENCE):
            place = self.grid.places.of(*path)
            with at(place):
                return Given(canonical(value), place)
        name = value.removeprefix(REFERENCE)
        if name in self.values:
            return self.values[name]
        return self.given(getattr(self.grid.document, name), name)

    def setting(self, key: str) -> Given | None:
        """Return the setting called `key`, None when the document has none."""
        value = getattr(self.grid.document, key)
        return None if value is None else self.given(value, key)


def grid_of(file: ScenarioFile) -> Grid:
    """Return the grid of `file` as its main part says; raises UsageError for values no axis can have."""
    document, places = file.document, file.places
    axes = {name: axis_values(values, places, "axes", name) for name, values in document.axes.items()}
    arms = tuple(Given(arm, places.of("arms", index)) for index, arm in enumerate(document.arms))
    return Grid(document, places, axes, arms)


def axis_values(values: tuple[ParameterValue, ...], places: Places, *path: str) -> Axis:
    """Return the values of the axis at `path`, lists and ranges in text written out."""
    axis: list[Given] = []
    for index, value in enumerate(values):
        place = places.of(*path, index)
        with at(place):
            items = parse_values(value) if isinstance(value, str) else (canonical(value),)
            axis += [Given(item, place) for item in items]
            check_count(len(axis))
    with at(places.of(*path)):
        check_different([given.value for given in axis])
    return tuple(axis)
