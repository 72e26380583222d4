"""What is laid over the planner module of ezmsg-sigproc, in layers that can be taken off in any order."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from placement_cli.ezmsg.installed import PLANNER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from placement_cli.ezmsg.planning import Planner

NAMESPACE = "ezmsg."
"""Modules below this may have imported the planner by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Values for constants of the module, and a planner made from the one beneath it (None: no other planner)."""

    constants: Mapping[str, float]
    planner: Callable[[Planner], Planner] | None = None


class Overlay:
    """The layers over one module, the last on top; without any the module is as it was before the first.

    Not for several threads at once.
    """

    def __init__(self) -> None:
        """Begin without layers."""
        self._layers: list[Layer] = []
        self._own_values: dict[str, Any] = {}
        self._own_planner: Planner | None = None
        self._planner: Planner | None = None

    def add(self, module: ModuleType, layer: Layer) -> None:
        """Lay `layer` on top; `module` has all names that it sets."""
        for name in layer.constants:
            self._own_values.setdefault(name, getattr(module, name))
        if layer.planner and self._own_planner is None:
            self._own_planner = self._planner = getattr(module, PLANNER)
        self._layers.append(layer)
        self._apply(module)

    def remove(self, module: ModuleType, layer: Layer) -> None:
        """Take `layer` off, whatever lies on it; nothing happens when it is off already."""
        if layer not in self._layers:
            return
        self._layers.remove(layer)
        self._apply(module)
        self._forget_unused()

    def own_planner(self, module: ModuleType) -> Planner:
        """Return the planner that the module had before any layer."""
        planner: Planner = self._own_planner or getattr(module, PLANNER)
        return planner

    def _apply(self, module: ModuleType) -> None:
        values = dict(self._own_values)
        planner = self._own_planner
        for layer in self._layers:
            values.update(layer.constants)
            if layer.planner and planner:
                planner = layer.planner(planner)
        for name, value in values.items():
            setattr(module, name, value)
        for holder, name in _holders(self._planner) if self._planner else ():
            setattr(holder, name, planner)
        self._planner = planner

    def _forget_unused(self) -> None:
        """Keep no value that no layer covers: it may change from now on."""
        covered = {name for layer in self._layers for name in layer.constants}
        self._own_values = {name: value for name, value in self._own_values.items() if name in covered}
        if not any(layer.planner for layer in self._layers):
            self._own_planner = self._planner = None


OVERLAY = Overlay()
"""The one over the planner module: like that module's constants, it belongs to the process."""


def _holders(function: Planner) -> Iterator[tuple[ModuleType, str]]:
    """Yield every module of ezmsg that holds `function`, also those imported since, and under which name."""
    for path, module in list(sys.modules.items()):
        if path.startswith(NAMESPACE) and isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if value is function:
                    yield module, name
