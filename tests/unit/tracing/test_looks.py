"""Looks see which variables are lazy and which containers grow, and change nothing by that."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import count
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.tracing import looks as module
from placement_cli.tracing.looks import LOOKS_AT_MOST, Looks, grows, is_view, note
from placement_cli.tracing.places import Places
from placement_cli.tracing.raw import LazySample, RawKept, RawLazy


def nodes(array: mx.array) -> int:
    """Return how many operations are pending behind an array."""
    graph = StringIO()
    mx.export_to_dot(graph, array)
    return graph.getvalue().count("shape=rectangle")


class Counter:
    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = mx.zeros(2)

    def step(self) -> None:
        """Build one more operation."""
        self.total = mx.sin(self.total)


def counting() -> Callable[[], None]:
    """Return a function that keeps a total of its own."""
    total = mx.zeros(2)

    def step() -> None:
        nonlocal total
        total = mx.sin(total)

    return step


def generating() -> Iterator[None]:
    """Build one more operation each time."""
    total = mx.zeros(2)
    while True:
        total = mx.sin(total)
        yield


class Table(dict[str, mx.array]):
    def step(self) -> None:
        """Build one more operation."""
        self["total"] = mx.sin(self.get("total", mx.zeros(2)))


def lazy_of(looks: Looks) -> list[RawLazy]:
    """Return the variables that were lazy."""
    return looks.raw([])[0]


def kept_of(looks: Looks) -> list[RawKept]:
    """Return the containers that grew."""
    return looks.raw([])[1]


@pytest.mark.parametrize(
    ("make", "step", "name"),
    [
        (Counter, Counter.step, "subject.total"),
        (counting, lambda each: each(), "subject.total"),
        (generating, next, "subject.total"),
        (Table, Table.step, "subject['total']"),
        (lambda: [Counter()], lambda each: each[0].step(), "subject[0].total"),
    ],
)
def test_growing_state_is_found_under_one_name(
    looks: Looks,
    alone: Callable[[Callable[[], Any]], Any],
    make: Callable[[], Any],
    step: Callable[[Any], None],
    name: str,
) -> None:
    """In fields, slots, closures, generators, dictionaries and lists; each look counts what is pending."""

    def main() -> None:
        subject = make()
        for moment in range(1, 5):
            step(subject)
            looks.look(sys._getframe(), moment, moment, {})

    alone(main)
    (found,) = lazy_of(looks)
    assert found.name == name
    ops = [each.ops for each in found.looks]
    assert ops == list(range(ops[0], ops[0] + 4))
    assert grows(found.looks)


def test_a_variable_of_a_function_is_at_that_function(looks: Looks) -> None:
    """With the line that built it, where that was seen; an evaluation shows as nothing pending."""
    mean = mx.zeros(2) + 1
    looks.look(sys._getframe(), 1.0, 0, {id(mean): 0})
    mx.eval(mean)
    looks.look(sys._getframe(), 2.0, 1, {})
    places = Places()
    places.of(sys._getframe())
    ((found,), _) = looks.raw(places.known)
    assert (found.name, found.place.function) == ("mean", "test_a_variable_of_a_function_is_at_that_function")
    assert found.built == places.known[0]
    assert [each.ops > 0 for each in found.looks] == [True, False]


def test_a_look_evaluates_nothing(looks: Looks) -> None:
    """Neither what is lazy nor what is behind it: as many operations are pending as before."""
    array = mx.exp(mx.ones(3) * 2)
    before = nodes(array)
    looks.look(sys._getframe(), 1.0, 0, {})
    looks.census()
    assert nodes(array) == before > 0
    assert looks.is_lazy(array)


def peak_of_a_chain(look: Callable[[], Any]) -> int:
    """Return the peak bytes of twenty operations in a row, each of which can have its input's buffer."""
    array = mx.zeros((256, 1024))
    mx.eval(array)
    mx.clear_cache()
    mx.reset_peak_memory()
    for _ in range(20):
        array = mx.sin(array)
        look()
    mx.eval(array)
    return mx.get_peak_memory() - mx.get_active_memory()


def test_looks_cost_no_donation(looks: Looks) -> None:
    """A chain reuses one buffer as it does without anybody looking."""
    moments = iter(range(1, 100))
    bare = peak_of_a_chain(lambda: None)
    assert peak_of_a_chain(lambda: looks.look(sys._getframe(1), next(moments), 0, {})) == bare
    assert peak_of_a_chain(looks.census) == bare


def test_looks_keep_nothing_alive(looks: Looks) -> None:
    """Neither arrays nor the containers that were followed."""
    outputs = [mx.zeros(2) for _ in range(20)]
    lazy = mx.zeros(2) + 1
    gone = [weakref.ref(lazy), *map(weakref.ref, outputs)]
    for moment in (1.0, 2.0):
        looks.look(sys._getframe(), moment, 0, {})
    looks.census()
    del lazy, outputs
    assert not any(reference() for reference in gone)


@pytest.mark.parametrize("make", [list, deque])
def test_a_container_of_arrays_that_grows_is_followed(looks: Looks, make: Callable[[], Any]) -> None:
    """By how many there are and their bytes, judged by both ends."""
    outputs = make()
    for moment in range(1, 4):
        outputs.extend(mx.zeros(4) for _ in range(20))
        mx.eval(list(outputs))
        looks.look(sys._getframe(), moment, moment, {})
    (found,) = kept_of(looks)
    assert (found.name, found.container, found.views) == ("outputs", make.__name__, False)
    assert [(each.arrays, each.bytes) for each in found.looks] == [(20, 320), (40, 640), (60, 960)]


def test_numpy_views_are_told_from_copies(looks: Looks) -> None:
    """A view pins the buffer that it stands on."""
    views = {}
    for moment in range(1, 4):
        for number in range(10):
            views[moment, number] = np.asarray(mx.zeros(4))
        looks.look(sys._getframe(), moment, moment, {})
    (found,) = kept_of(looks)
    assert (found.name, found.container, found.views) == ("views", "dict", True)
    assert is_view(np.asarray(mx.zeros(1)), mx.array)
    assert not is_view(np.array(mx.zeros(1)), mx.array)


def test_a_container_that_stays_as_it_is_is_not_told(looks: Looks) -> None:
    """Such as the weights of a model."""
    weights = [mx.zeros(4) for _ in range(20)]
    for moment in (1.0, 2.0, 3.0):
        looks.look(sys._getframe(), moment, 0, {})
    assert kept_of(looks) == []
    assert weights


def test_a_census_counts_what_is_alive_whatever_else_is(looks: Looks) -> None:
    """A weak reference to nothing and a memoryview that was released are only somebody's objects."""
    released = memoryview(b"abc")
    released.release()
    dead = weakref.proxy(type("Weak", (), {})())
    lazy, view = mx.zeros(3) + 1, np.asarray(mx.zeros(5))
    looks.census()
    assert looks.live is not None
    assert looks.live.lazy >= 1
    assert looks.live.views >= 1
    assert looks.live.views_bytes >= view.nbytes
    assert weakref.ProxyType is type(dead)
    assert looks.is_lazy(lazy)


def test_a_series_stays_short_and_even() -> None:
    """The first and the last look are always there."""
    series: list[Any] = []
    for moment in range(1000):
        note(series, LazySample(moment, 0, 1))
        note(series, LazySample(moment, 0, 2))
    assert len(series) <= LOOKS_AT_MOST
    assert (series[0].at_s, series[-1].at_s) == (0, 999)


def test_a_graph_that_grows_all_the_time_is_counted_a_few_times(looks: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting takes long, here two milliseconds: later looks only see that it is lazy."""
    reads = count()
    monkeypatch.setattr(module, "perf_counter", lambda: next(reads) * 2e-3)
    state = mx.zeros(1)
    for moment in range(1, 30):
        for _ in range(400):
            state = state + 1
        looks.look(sys._getframe(), moment / 100, moment, {})
    (found,) = lazy_of(looks)
    assert 2 <= len(found.looks) < 29
    assert (found.last_at_s, found.last_evaluations) == (0.29, 29)
