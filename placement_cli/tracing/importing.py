"""Being told when a module is imported, before the program can take anything from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

Told = Callable[[Any], None]


def when_imported(told: Mapping[str, Told]) -> Callable[[], None]:
    """Call `told[name]` with each module as soon as it is imported, at once where it is; return how to end that."""
    waiting = dict(told)
    for name in list(waiting):
        if name in sys.modules:
            waiting.pop(name)(sys.modules[name])
    finder = _Finder(waiting)
    sys.meta_path.insert(0, finder)

    def forget() -> None:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)

    return forget


class _Finder(MetaPathFinder):
    def __init__(self, waiting: dict[str, Told]) -> None:
        self._waiting = waiting

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in self._waiting:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, spec, self._waiting)
        return spec


class _Loader(Loader):
    """Loads as the loader it stands for, steps out of the way, and tells."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def __init__(self, loader: Any, spec: ModuleSpec, waiting: dict[str, Told]) -> None:
        self._loader, self._spec, self._waiting = loader, spec, waiting

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self._spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        # Asking where a module lies is not importing it, so that it is waited for until then.
        told = self._waiting.pop(self._spec.name, None)
        if told is not None:
            told(module)
