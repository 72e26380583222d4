"""Reads a scenario file into a validated document that remembers where everything stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from placement_cli.bench.scenario_schema import REFERENCE, SETTINGS, ScenarioDocument
from placement_cli.bench.validation_errors import first_error
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import Path, Places, quoted, shown_path
from placement_cli.located.yaml import YamlLimits, read_yaml, read_yaml_file
from placement_cli.measure.specs import Reading

LIMITS = YamlLimits("a scenario", max_bytes=256 * 1024, max_depth=8, max_values=4096)
"""The shipped scenarios have 4 KiB and five levels."""


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario as written: its document, and the place of each key and value in it."""

    document: ScenarioDocument
    places: Places

    @property
    def origin(self) -> str:
        """How messages call the file."""
        return self.places.origin


def load_scenario(path: FilePath) -> ScenarioFile:
    """Read and validate the scenario in the file `path`.

    Raises UsageError with file, line and column for a file that is missing, too large, not YAML, or no scenario.
    Values of axes are checked later, when cases are made of them.
    """
    return _validated(*read_yaml_file(path, shown_path(path), LIMITS))


def parse_scenario(text: str, origin: str) -> ScenarioFile:
    """Validate the scenario in `text`, which messages call `origin`; raises UsageError."""
    return _validated(*read_yaml(text, origin, LIMITS))


def _validated(data: Any, places: Places) -> ScenarioFile:
    if not isinstance(data, dict):
        raise places.error((), "expected a mapping with the keys of a scenario")
    try:
        document = ScenarioDocument.model_validate(data)
    except ValidationError as failure:
        raise first_error(failure, places) from None
    _check_settings(document, places)
    _check_references(document, places)
    return ScenarioFile(document, places)


def _check_settings(document: ScenarioDocument, places: Places) -> None:
    """Check that the settings are those that the reading takes."""
    for key, needed in setting_rules(document.reading).items():
        given = getattr(document, key) is not None
        if given and needed is False:
            raise UsageError(f"{places.of_key(key)}: reading {document.reading} takes no {key}")
        if needed and not given:
            raise places.error(("reading",), f"reading {document.reading} needs the key {key!r}")


def setting_rules(reading: Reading) -> Mapping[str, bool | None]:
    """Return for each setting whether `reading` needs it (True), refuses it (False) or takes it (None)."""
    paced = reading is Reading.PACED
    counted = reading in {Reading.QUEUE, Reading.PENDING}
    return {"messages": False if paced else counted or None, "rate": paced, "duration": paced}


def _check_references(document: ScenarioDocument, places: Places) -> None:
    """Check that every `$NAME` means something and that every axis is used."""
    used: set[str] = set()
    for path, value in _referring(document):
        if not isinstance(value, str) or not value.startswith(REFERENCE):
            continue
        name = value.removeprefix(REFERENCE)
        settings = () if path[0] in SETTINGS else [key for key in SETTINGS if getattr(document, key) is not None]
        known = [*document.axes, *settings]
        if name not in known:
            raise places.error(path, f"{quoted(value)} is no axis of this scenario. {did_you_mean(name, known)}")
        used.add(name)
    for axis in document.axes:
        if axis not in used:
            raise UsageError(f"{places.of_key('axes', axis)}: axis {axis!r} is never used; write ${axis} somewhere")


def _referring(document: ScenarioDocument) -> list[tuple[Path, Any]]:
    """Return every value that may be a reference, and its path."""
    found: list[tuple[Path, Any]] = [((key,), getattr(document, key)) for key in SETTINGS]
    found += [(("source", key), getattr(document.source, key)) for key in ("chunk", "dtype")]
    for name, node in document.nodes.items():
        found += [(("nodes", name, key), getattr(node, key)) for key in ("op", "repeat", "branches")]
        found += [(("nodes", name, "params", key), value) for key, value in node.params.items()]
    return found
