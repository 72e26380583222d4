"""Turns what a person asks for (names, paths, `--set`, `--quick`) into scenarios ready to be measured."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.cases import Scenario, make_scenario
from placement_cli.bench.catalog import find_scenario, shipped_scenarios
from placement_cli.bench.overrides import Override, known_keys, parse_override
from placement_cli.bench.scenario_file import ScenarioFile, load_scenario
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import quoted


def select_scenarios(wanted: Sequence[str] = (), sets: Sequence[str] = (), *, quick: bool = False) -> list[Scenario]:
    """Return the scenarios that `wanted` names, all shipped ones when it names none, with `sets` applied.

    Of several scenarios each takes the keys it has; a key that none of them has is an error. Raises UsageError.
    """
    paths = [find_scenario(name) for name in wanted] or list(shipped_scenarios().values())
    files = [load_scenario(path) for path in paths]
    _check_names(files)
    changes = [parse_override(text) for text in sets]
    _check_changes(changes, files)
    return [make_scenario(file, _changes_for(file, changes, files), quick=quick) for file in files]


def _check_names(files: Sequence[ScenarioFile]) -> None:
    """Refuse two scenarios of one name: their cases could not be told apart."""
    seen: dict[str, ScenarioFile] = {}
    for file in files:
        first = seen.setdefault(file.document.name, file)
        if first is not file:
            place = file.places.of("name")
            raise UsageError(
                f"{place}: scenario {file.document.name!r} is asked for twice (also {first.origin}); "
                f"expected one of each name"
            )


def _check_changes(changes: Sequence[Override], files: Sequence[ScenarioFile]) -> None:
    keys: set[str] = set()
    known = list(dict.fromkeys(key for file in files for key in known_keys(file.document)))
    for change in changes:
        if change.key not in known:
            names = ", ".join(file.document.name for file in files)
            one = f"{quoted(change.key)} is nothing that {names} has"
            what = one if len(files) == 1 else f"no scenario has {quoted(change.key)}"
            raise UsageError(f"{change.place}: {what}. {did_you_mean(change.key, known)}")
        if change.key in keys:
            raise UsageError(f"{change.place}: {change.key} is set twice; expected all values in one --set")
        keys.add(change.key)


def _changes_for(file: ScenarioFile, changes: Sequence[Override], files: Sequence[ScenarioFile]) -> list[Override]:
    known = known_keys(file.document)
    return [change for change in changes if change.key in known or len(files) == 1]
