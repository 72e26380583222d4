"""An ezmsg system as its exports tell of it: units, what leads from one to another, what was seen at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EZMSG = "ezmsg."


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit.

    `kind` is the path of its class, None where it is not told. `process` names the process it runs in. `rate_hz` is
    how often it was seen to publish, `out_per_in` how many messages it published for each that it received.
    `publishes` tells whether it has output streams, None where that is not told. `attributes` are what else the file
    says of it, under the names of keys of graph.yaml.
    """

    address: str
    kind: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    process: str = ""
    out_per_in: float | None = None
    rate_hz: float | None = None
    publishes: bool | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def class_name(self) -> str:
        """The name of its class, without the module."""
        return (self.kind or "").replace(":", ".").rsplit(".", 1)[-1]


@dataclass(frozen=True, slots=True)
class Wire:
    """Messages of `tail` go to `head`; a `leaky` reader drops those it has no time for."""

    tail: str
    head: str
    leaky: bool = False


@dataclass(frozen=True, slots=True)
class UnitGraph:
    """All units and wires; `external` are addresses of units that receive messages from outside."""

    units: Sequence[Unit]
    wires: Sequence[Wire]
    external: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def is_ezmsg(kind: str | None) -> bool:
    """Tell whether the path of a class names one of ezmsg."""
    return kind is not None and kind.startswith(EZMSG)


def is_sigproc(kind: str | None) -> bool:
    """Tell whether the path of a class names one of ezmsg-sigproc."""
    return kind is not None and kind.startswith("ezmsg.sigproc.")
