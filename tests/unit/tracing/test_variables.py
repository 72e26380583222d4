"""Arrays and containers are found by the names a program reaches them by, without running code of the program."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.tracing.contents import ENDS
from placement_cli.tracing.places import Places
from placement_cli.tracing.variables import OBJECTS_AT_MOST, Walk

RAN: list[str] = []
"""Code of the program that a walk ran: it must stay empty."""


@dataclass
class Held:
    state: Any


class Slotted:
    __slots__ = ("__weakref__", "state", "unset")

    def __init__(self, state: Any) -> None:
        self.state = state


class Claiming:
    """Claims another class, and computes what it does not have."""

    @property
    def __class__(self) -> type:  # type: ignore[override] # As proxies do.
        RAN.append("class")
        return dict

    def __getattr__(self, name: str) -> Any:
        RAN.append(name)
        raise ValueError(name)


class Computing(Held):
    @property
    def lazy(self) -> mx.array:
        """Would be computed."""
        RAN.append("property")
        return mx.zeros(1)


class Listing(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        RAN.append("iter")
        return super().__iter__()

    def __len__(self) -> int:
        RAN.append("len")
        return super().__len__()

    def __getitem__(self, index: Any) -> Any:
        RAN.append("getitem")
        return super().__getitem__(index)


class Mapping(dict[str, Any]):
    def items(self) -> Any:
        """Would be counted."""
        RAN.append("items")
        return super().items()

    values = items


def closure_over(array: mx.array) -> Callable[[], mx.array]:
    """Return a function that keeps an array."""

    def function() -> mx.array:
        return array

    return function


def generator_over(array: mx.array) -> Iterator[mx.array]:
    """Return a generator that waits with an array."""
    yield array
    yield array


def started(array: mx.array) -> Iterator[mx.array]:
    """Return a generator that has begun."""
    generator = generator_over(array)
    next(generator)
    return generator


Find = Callable[[Callable[[], Any]], list[str]]


@pytest.fixture
def found(alone: Callable[[Callable[[], Any]], Any]) -> Find:
    """Returns the names of arrays that a function can reach whose variable `subject` holds what is made."""

    def find(make: Callable[[], Any]) -> list[str]:
        def function() -> list[str]:
            subject = make()
            walk = Walk(Places(), (mx.array, np.ndarray)).over(sys._getframe())
            names = [name for name, value, _ in walk if type(value) is mx.array]
            return names if subject is not None else []

        names: list[str] = alone(function)
        return [each for each in names if not each.startswith("make.")]

    return find


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda array: array, "subject"),
        (lambda array: [None, array], "subject[1]"),
        (lambda array: (array,), "subject[0]"),
        (lambda array: deque([array]), "subject[0]"),
        (lambda array: {"mean": array}, "subject['mean']"),
        (lambda array: OrderedDict({3: array}), "subject[3]"),
        (Held, "subject.state"),
        (Slotted, "subject.state"),
        (lambda array: Held([{"deep": Slotted(array)}]), "subject.state[0]['deep'].state"),
        (closure_over, "subject.array"),
        (started, "subject.array"),
        (lambda array: Held(array).__repr__, "subject.__self__.state"),
        (lambda array: [*[None] * 100, array], "subject[100]"),
    ],
)
def test_an_array_has_the_name_by_which_it_is_reached(found: Find, make: Callable[[mx.array], Any], name: str) -> None:
    """In variables, containers, fields, slots, closures, waiting generators and bound methods: one name each."""
    assert found(lambda: make(mx.zeros(2))) == [name]


def test_an_object_met_twice_is_one_object(found: Find) -> None:
    """Also where it holds itself."""

    def make() -> list[Held]:
        held = Held([mx.zeros(2)])
        held.state.append(held)
        return [held, held]

    assert found(make) == ["subject[0].state[0]"]


def test_of_long_containers_both_ends_are_seen(found: Find) -> None:
    """A walk stays short."""
    ends = [*range(ENDS), *range(100 - ENDS, 100)]
    assert found(lambda: [mx.zeros(1) for _ in range(100)]) == [f"subject[{at}]" for at in ends]


def test_a_walk_comes_to_an_end() -> None:
    """In a program with more objects than can be looked at."""
    many = [[[Held(None) for _ in range(ENDS)] for _ in range(2 * ENDS)] for _ in range(2 * ENDS)]
    walk = Walk(Places(), (mx.array,))
    assert len(list(walk.over(sys._getframe()))) <= OBJECTS_AT_MOST
    assert many


def test_objects_of_the_standard_library_are_not_looked_into(found: Find) -> None:
    """Nor do classes and modules hold variables of a function."""
    assert found(lambda: Thread(args=(mx.zeros(1),))) == []
    assert found(lambda: [sys, Held]) == []


@pytest.mark.parametrize(
    "make",
    [Claiming, lambda: Computing(1), lambda: Listing([mx.zeros(1)] * 20), lambda: Mapping(a=mx.zeros(1))],
    ids=["proxy", "property", "list", "dict"],
)
def test_no_code_of_the_program_runs(found: Find, make: Callable[[], Any]) -> None:
    """Neither properties nor methods of its classes."""
    RAN.clear()
    found(make)
    assert RAN == []


def test_an_outer_function_comes_first() -> None:
    """What it holds has the same name wherever the program is just now."""
    mean = Held(mx.zeros(1))

    def inner(passed: Held) -> list[tuple[str, str]]:
        walk = Walk(Places(), (mx.array,)).over(sys._getframe())
        return [(name, frame.f_code.co_name) for name, value, frame in walk if type(value) is mx.array]

    found = inner(mean)
    assert found == [("mean.state", "test_an_outer_function_comes_first")]


def test_a_walk_keeps_nothing_alive() -> None:
    """What the function lets go of is gone at once, while the function is still running."""
    array = mx.zeros(2)
    held = Slotted([mx.zeros(3)])
    gone = [weakref.ref(array), weakref.ref(held.state[0]), weakref.ref(held)]
    for _ in Walk(Places(), (mx.array,)).over(sys._getframe()):
        pass
    array = held = None  # type: ignore[assignment] # It is let go of.
    assert [reference() for reference in gone] == [None, None, None]
    assert array is held


def test_a_function_that_asks_for_its_variables_is_left_alone() -> None:
    """What it was given stays as it was: neither emptied nor brought up to date."""

    def with_locals(number: int) -> dict[str, Any]:
        known = locals()
        number += 1
        list(Walk(Places(), (mx.array,)).over(sys._getframe()))
        return known

    def with_vars(number: int) -> dict[str, Any]:
        known = vars()
        number += 1
        list(Walk(Places(), (mx.array,)).over(sys._getframe()))
        return known

    assert with_locals(1)["number"] == with_vars(1)["number"] == 1


def test_a_function_that_asks_for_those_of_something_else_is_seen() -> None:
    """`vars(arguments)` is no reason to look away."""

    def main(arguments: Held) -> list[str]:
        array = mx.zeros(1)
        assert vars(arguments)
        assert array is not None
        return [name for name, value, _ in Walk(Places(), (mx.array,)).over(sys._getframe())]

    assert "array" in main(Held(1))
