"""A call belongs to the innermost line of the program itself."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from placement_cli.tracing import raw
from placement_cli.tracing.places import HIDDEN, INSTALLED, PROGRAM, TIMEIT, Places
from placement_cli.tracing.raw import Place

LIBRARY = os.sep + "lib" + os.sep
PACKAGES = LIBRARY + "site-packages" + os.sep


def function_in(file: str, module: str, source: str, **known: Any) -> Callable[..., Any]:
    """Return the function `call` that a file holds."""
    names: dict[str, Any] = {"__name__": module, **known}
    exec(compile(source, file, "exec"), names)
    call: Callable[..., Any] = names["call"]
    return call


def frame_of() -> FrameType:
    """Return the frame of whoever calls."""
    return sys._getframe(1)


def chain(*files: tuple[str, str]) -> FrameType:
    """Return the innermost frame of functions that call one another, the first file being the outermost."""
    call: Callable[..., Any] = frame_of
    for file, module in reversed(files):
        call = function_in(file, module, "\ndef call():\n    return inner()\n", inner=call)
    frame: FrameType = call()
    return frame


@pytest.fixture
def places() -> Places:
    """Places in which one folder holds everything that is installed."""
    return Places((LIBRARY,))


def test_a_call_of_the_program_is_at_its_own_line(places: Places) -> None:
    """Nothing lies in between."""
    frame = chain(("/home/a.py", "a"))
    assert places.known[places.of(frame)] == Place("/home/a.py", 3, "call")


def test_what_lies_between_is_named_by_its_outermost_module(places: Places) -> None:
    """The program knows what it called, and not what that calls in turn."""
    installed = [(f"{PACKAGES}outer.py", "outer"), (f"{LIBRARY}inner.py", "inner")]
    frame = chain(("/home/a.py", "a"), *installed)
    assert places.known[places.of(frame)] == Place("/home/a.py", 3, "call", "outer")


def test_mlx_itself_goes_by_its_module(places: Places) -> None:
    """As for an optimizer, which evaluates on behalf of the program."""
    frame = chain(("/home/a.py", "a"), (f"{PACKAGES}mlx{os.sep}optimizers.py", "mlx.optimizers"))
    assert places.known[places.of(frame)].through == "mlx.optimizers"


def test_a_program_that_is_installed_is_known_by_its_innermost_line_outside_of_mlx() -> None:
    """As with `python -m package`, where no frame is of anybody else."""
    everything = Places((os.sep, "<"))
    frame = chain((f"{PACKAGES}tool.py", "tool"), (f"{PACKAGES}mlx{os.sep}nn.py", "mlx.nn"))
    assert everything.known[everything.of(frame)] == Place(f"{PACKAGES}tool.py", 3, "call")


def test_a_call_is_one_place(places: Places) -> None:
    """However often it is come by; another one is another, in the same line as well."""

    def both() -> tuple[int, int]:
        return places.of(frame_of()), places.of(frame_of())

    first, second = both(), both()
    assert first == second
    assert len(places.known) == len(set(first))


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        (__file__, PROGRAM),
        ("<string>", PROGRAM),
        (json.__file__, INSTALLED),
        (pytest.__file__, INSTALLED),
        ("<frozen runpy>", INSTALLED),
        (TIMEIT, INSTALLED),
        (np.__file__, HIDDEN),
        (raw.__file__, HIDDEN),
    ],
)
def test_a_file_is_whose_it_is_by_where_it_lies(file: str, owner: int) -> None:
    """The program's is everything that is neither installed nor made on the way."""
    assert Places().owner_of_file(file) == owner


def test_a_function_can_be_adopted(places: Places) -> None:
    """Wherever it lies, it counts as the program's from then on."""
    call = function_in(f"{PACKAGES}mlx{os.sep}x.py", "mlx.x", "def call(): pass")
    assert places.owner(call.__code__) == HIDDEN
    places.adopt(call.__code__)
    assert places.owner(call.__code__) == PROGRAM
