"""Replacing attributes for a while: every one is put back as it was."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Make = Callable[[Any], Any]
"""Returns what takes the place of an original."""
ABSENT = object()


class Patches:
    """Attributes that were replaced, and what they were."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, make: Make) -> None:
        """Replace the attribute `name` of a module or class by what `make` returns for it; nothing where it has none.

        What takes its place keeps name, module, documentation and qualified name, so that pickles and messages stay
        as they are.
        """
        original = getattr(owner, name, None)
        if original is None:
            return
        own = vars(owner).get(name, ABSENT)
        hook = functools.wraps(original)(make(original))
        setattr(owner, name, hook)
        self._replaced.append((owner, name, own))

    def add(self, owner: Any, name: str, value: Any) -> None:
        """Give a class an attribute that it does not have; where it has one, leave it."""
        if not hasattr(owner, name):
            setattr(owner, name, value)
            self._replaced.append((owner, name, ABSENT))

    def exchange(self, namespace: dict[str, Any], old: Any, new: Any) -> None:
        """Exchange every name of a module that stands for `old`, as after `from mlx.core import eval`."""
        for name, value in list(namespace.items()):
            if value is old:
                namespace[name] = new
                self._replaced.append((namespace, name, old))

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return originals of modules with what took their place."""
        return [
            (own, getattr(owner, name))
            for owner, name, own in self._replaced
            if own is not ABSENT and not isinstance(owner, dict | type)
        ]

    def restore(self) -> None:
        """Put everything back, the last one first."""
        while self._replaced:
            owner, name, own = self._replaced.pop()
            if isinstance(owner, dict):
                owner[name] = own
            elif own is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
