"""Laying one layer of settings over another: what one file, the environment or the options set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from placement_cli.errors import UsageError
from placement_cli.settings.limits import LimitEntry
from placement_cli.settings.settings import CheckSettings, Set, Settings

EITHER = ("scenarios", "graph")
"""Fields of which the one replaces the other."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source sets: fields of CheckSettings, and the entries of `limits`, None when it says nothing of them."""

    check: Mapping[str, Set[Any]] = field(default_factory=dict)
    limits: tuple[LimitEntry, ...] | None = None


def overlaid(settings: Settings, layer: Layer) -> Settings:
    """Return `settings` with all that `layer` sets in place of what was there; lists are replaced, never joined.

    A layer with a graph takes scenarios of lower ones away, and the other way round. Raises UsageError for both in one.
    """
    changes = dict(layer.check)
    given = [name for name in EITHER if name in changes]
    if len(given) == len(EITHER):
        origins = " and ".join(dict.fromkeys(changes[name].origin for name in EITHER))
        raise UsageError(f"{origins}: scenarios and a graph do not go together; expected one of them.")
    if given:
        [other] = {*EITHER} - {*given}
        changes[other] = getattr(CheckSettings(), other)
    limits = settings.limits if layer.limits is None else layer.limits
    return Settings(replace(settings.check, **changes), limits)
