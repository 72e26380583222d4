"""Modules are met as soon as they are imported, and not before."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from placement_cli.tracing.importing import when_imported

Make = Callable[[str], str]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes a module that can be imported, and returns its name."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def write(source: str = "value = 1\n") -> str:
        name = f"met_{len(made)}_{tmp_path.name}"
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()
        made.append(name)
        return name

    yield write
    for name in made:
        sys.modules.pop(name, None)


def test_a_module_is_told_of_when_it_is_complete(make: Make) -> None:
    """Once; whoever imports it gets it afterwards."""
    name = make("value = 1\nlater = 2\n")
    told: list[Any] = []
    forget = when_imported({name: lambda module: told.append(module.later)})
    assert told == []
    importlib.import_module(name)
    importlib.import_module(name)
    forget()
    assert told == [2]


def test_a_module_that_is_there_is_told_of_at_once(make: Make) -> None:
    """As in a program that begins to trace in its middle."""
    name = make()
    module = importlib.import_module(name)
    told: list[ModuleType] = []
    when_imported({name: told.append})()
    assert told == [module]


def test_asking_where_a_module_lies_is_not_importing_it(make: Make) -> None:
    """Many programs ask first whether there is one."""
    name = make()
    told: list[Any] = []
    forget = when_imported({name: told.append})
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert spec.origin.endswith(f"{name}.py")
    assert told == []
    importlib.import_module(name)
    forget()
    assert len(told) == 1


def test_a_module_is_as_it_would_have_been(make: Make) -> None:
    """Its loader is its own, and so is how it is found again."""
    name = make()
    forget = when_imported({name: lambda module: None})
    module = importlib.import_module(name)
    forget()
    assert type(module.__loader__).__name__ == "SourceFileLoader"
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
    assert importlib.reload(module) is module


def test_a_module_that_fails_is_not_told_of_until_it_does_not(make: Make) -> None:
    """The error is the program's, and it may try again."""
    name = make("import sys\nif not hasattr(sys, 'now'): raise LookupError('not yet')\n")
    told: list[Any] = []
    forget = when_imported({name: told.append})
    with pytest.raises(LookupError, match="not yet"):
        importlib.import_module(name)
    assert told == []
    sys.now = True  # type: ignore[attr-defined] # What the module waits for.
    try:
        importlib.import_module(name)
    finally:
        del sys.now  # type: ignore[attr-defined] # As above.
        forget()
    assert len(told) == 1


def test_a_module_that_is_not_there_is_not_found(make: Make) -> None:
    """As without anybody waiting for it."""
    forget = when_imported({"no_such_module_anywhere": lambda module: None})
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module_anywhere")
    forget()


def test_forgetting_leaves_nothing_behind(make: Make) -> None:
    """Neither among the finders, nor for a module that comes later."""
    before = list(sys.meta_path)
    name = make()
    told: list[Any] = []
    forget = when_imported({name: told.append})
    forget()
    forget()
    assert sys.meta_path == before
    importlib.import_module(name)
    assert told == []
