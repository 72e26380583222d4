"""Turns what pydantic finds wrong with a scenario into one sentence with file, line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.bench.scenario_schema import NodeEntry, ScenarioDocument, SourceEntry
from placement_cli.located import validation

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from placement_cli.errors import UsageError
    from placement_cli.located.places import Path, Places


def first_error(failure: ValidationError, places: Places) -> UsageError:
    """Return the error of a scenario that stands first in the file; missing keys come last, the version first."""
    return validation.first_error(failure, places, SCENARIO)


def _model_at(path: Path) -> type[BaseModel]:
    match path:
        case ():
            return ScenarioDocument
        case ("source",):
            return SourceEntry
        case _:
            return NodeEntry


SCENARIO = validation.Vocabulary("the scenario", _model_at)
"""How messages speak of scenarios."""
