"""Replacing attributes for a while: every one is put back as it was."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

Make = Callable[[Any], Any]
"""Returns what takes the place of an original."""
Pairs = list[tuple[Any, Any]]
"""Originals with what took their place."""
ABSENT = object()


class Unbound(staticmethod):  # type: ignore[type-arg]  # It stands for functions of any kind.
    """A function of Python that does not turn into a method where a class holds it.

    Functions written in C do not: a class may say `clock = time.perf_counter` or `activation = mx.tanh`, and call that
    on an instance.
    """

    def __get__(self, instance: object, owner: type | None = None, /) -> Any:
        """Return the function as it is, whoever holds it."""
        return self

    def __reduce__(self) -> str:
        """Pickle it by its name, as functions are."""
        return self.__qualname__

    @property
    def __wrapped__(self) -> Any:
        """The original."""
        return self.__func__.__wrapped__  # type: ignore[attr-defined]  # functools.wraps has put it there.


def held_like(original: Any, hook: Callable[..., Any]) -> Any:
    """Return `hook` with the name of the original, binding to instances only where that does."""
    named = functools.wraps(original, updated=())(hook)
    # Asked of the type: a compiled function answers for the one it was made from.
    return named if hasattr(type(original), "__get__") else Unbound(named)


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
        setattr(owner, name, held_like(original, make(original)))
        self._replaced.append((owner, name, own))

    def add(self, owner: Any, name: str, value: Any) -> None:
        """Give a class an attribute that it does not have; where it has one, leave it."""
        if not hasattr(owner, name):
            setattr(owner, name, value)
            self._replaced.append((owner, name, ABSENT))

    def exchange(self, namespace: dict[str, Any], pairs: Pairs) -> None:
        """Exchange every name of a module that stands for an original, as after `from mlx.core import eval`."""
        news = {id(old): new for old, new in pairs}
        for name, value in list(namespace.items()):
            if id(value) in news:
                namespace[name] = news[id(value)]
                self._replaced.append((namespace, name, value))

    def pairs(self) -> Pairs:
        """Return originals of modules with what took their place."""
        return [
            (own, getattr(owner, name))
            for owner, name, own in self._replaced
            if own is not ABSENT and not isinstance(owner, dict | type)
        ]

    def restore(self, namespaces: Iterable[dict[str, Any]] = ()) -> None:
        """Put everything back, the last one first, then what `namespaces` took from modules while it was replaced."""
        pairs = self.pairs()
        olds = {id(new): old for old, new in pairs}
        while self._replaced:
            owner, name, own = self._replaced.pop()
            if isinstance(owner, dict):
                owner[name] = own
            elif own is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
        for namespace in namespaces:
            for name, value in list(namespace.items()):
                if id(value) in olds:
                    namespace[name] = olds[id(value)]
