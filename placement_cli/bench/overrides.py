"""What `--set KEY=VALUES` and the `quick` part of a scenario change.

    AXIS=1,2,4              other values for an axis
    arms=async,window:4     other arms;  base=sync  another base
    messages=100            a setting (messages, rate, duration), also with several values
    NODE.PARAM=0.5,1        a parameter of a node (all copies);  source.chunk, source.dtype  what comes in

A setting or parameter that is set this way becomes an axis of its own, so that names of cases tell what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from placement_cli.bench.axes import parse_values
from placement_cli.bench.grid import Axis, Grid, axis_values
from placement_cli.bench.scenario_file import setting_rules
from placement_cli.bench.scenario_schema import CHOICES, REFERENCE, SETTINGS, ScenarioDocument
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.pipeline import SOURCE, ParameterValue
from placement_cli.located.places import Given, at, quoted
from placement_cli.operators.catalog import OPERATORS

OPTION = "--set"


@dataclass(frozen=True, slots=True)
class Override:
    """One key and its new values; `place` is where the key was given."""

    key: str
    values: Axis
    place: str


def parse_override(text: str) -> Override:
    """Read the argument of one `--set`; raises UsageError."""
    key, equals, values = text.partition("=")
    key = key.strip()
    place = f"{OPTION} {quoted(text)}"
    if not equals or not key or not values.strip():
        raise UsageError(f"{place}: expected KEY=VALUE or KEY=VALUE,VALUE")
    with at(place):
        items: tuple[ParameterValue, ...] = (
            tuple(item.strip() for item in values.split(",")) if key in CHOICES else parse_values(values)
        )
    return Override(key, tuple(Given(item, place) for item in items), place)


def quick_overrides(grid: Grid) -> list[Override]:
    """Return what the document says under `quick`."""
    overrides = []
    for key, values in grid.document.quick.items():
        if key in CHOICES:
            places = [grid.places.of("quick", key, index) for index in range(len(values))]
            axis = tuple(Given(value, place) for value, place in zip(values, places, strict=True))
        else:
            axis = axis_values(values, grid.places, "quick", key)
        overrides.append(Override(key, axis, grid.places.of_key("quick", key)))
    return overrides


def known_keys(document: ScenarioDocument) -> list[str]:
    """Return every key that `--set` takes for a scenario, parameters of its nodes last."""
    rules = setting_rules(document.reading)
    keys = [*document.axes, *CHOICES, *(key for key in SETTINGS if rules[key] is not False)]
    keys += [f"{SOURCE}.{key}" for key in ("chunk", "dtype")]
    keys += [f"{name}.{key}" for name in document.nodes for key in _parameters(document, name)]
    return list(dict.fromkeys(keys))


def _parameters(document: ScenarioDocument, name: str) -> list[str]:
    """Return the parameters of a node: those of its operator, or those given where that is not known here."""
    entry = document.nodes[name]
    operator = OPERATORS.get(entry.op)
    return [parameter.name for parameter in operator.parameters] if operator else list(entry.params)


def override(grid: Grid, change: Override) -> Grid:
    """Return `grid` with `change` made; raises UsageError for a key the scenario does not have."""
    known = known_keys(grid.document)
    if change.key not in known:
        what = f"{quoted(change.key)} is nothing that scenario {grid.document.name} has"
        raise UsageError(f"{change.place}: {what}. {did_you_mean(change.key, known)}")
    if change.key in grid.axes:
        return replace(grid, axes={**grid.axes, change.key: change.values})
    if change.key == "arms":
        return replace(grid, arms=change.values)
    if change.key == "base":
        if len(change.values) != 1:
            raise UsageError(f"{change.place}: expected one arm as the base, not {len(change.values)}")
        return replace(grid, chosen_base=change.values[0])
    document = _refer(grid.document, change)
    return replace(grid, document=document, axes={**grid.axes, change.key: change.values})


def _refer(document: ScenarioDocument, change: Override) -> ScenarioDocument:
    """Return `document` with the value called `change.key` replaced by a reference to the axis of that name."""
    reference = f"{REFERENCE}{change.key}"
    if change.key in SETTINGS:
        _check_free(getattr(document, change.key), change)
        return document.model_copy(update={change.key: reference})
    owner, _, key = change.key.rpartition(".")
    if owner == SOURCE:
        _check_free(getattr(document.source, key), change)
        source = document.source.model_copy(update={key: reference})
        return document.model_copy(update={"source": source})
    entry = document.nodes[owner]
    _check_free(entry.params.get(key), change)
    params: Mapping[str, ParameterValue] = {**entry.params, key: reference}
    nodes = {**document.nodes, owner: entry.model_copy(update={"params": params})}
    return document.model_copy(update={"nodes": nodes})


def _check_free(value: ParameterValue | None, change: Override) -> None:
    """Refuse to replace a value that follows an axis: the axis would be left without effect."""
    if isinstance(value, str) and value.startswith(REFERENCE):
        axis = value.removeprefix(REFERENCE)
        raise UsageError(f"{change.place}: {change.key} follows the axis {axis!r}; set {axis}=... instead")
