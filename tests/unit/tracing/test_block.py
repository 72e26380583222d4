"""A part of a program is traced from within, and is as before afterwards."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import mlx.core as mx
import pytest
from mlx.core import eval as evaluate

from placement_cli.tracing.block import is_traced, tracing

KEPT = [mx.eval]
"""The original, where names of modules are not exchanged."""


def test_names_taken_before_are_seen_and_put_back() -> None:
    """`from mlx.core import eval` at the top of a file."""
    with tracing() as block:
        evaluate(mx.zeros(2) + 1)
        assert evaluate is mx.eval is not KEPT[0]
    assert evaluate is mx.eval is KEPT[0]
    assert block.process is not None
    assert [(point.call, point.count) for point in block.process.points] == [("mx.eval", 1)]


def test_names_taken_inside_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is imported there has the original afterwards."""
    late = ModuleType("late")
    monkeypatch.setitem(sys.modules, "late", late)
    with tracing():
        exec("from mlx.core import eval as mine", vars(late))
        assert late.mine is not KEPT[0]
    assert late.mine is KEPT[0]


def test_all_threads_are_recorded() -> None:
    """Each under its name."""

    def work() -> None:
        mx.eval(mx.zeros(2) + 1)

    with tracing() as block:
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
        work()
    assert block.process is not None
    assert sorted(point.thread for point in block.process.points) == ["MainThread", "worker"]


def test_an_exception_ends_the_block_with_its_record() -> None:
    """It is the program's, and what was seen until then is there."""

    def program() -> None:
        mx.eval(mx.zeros(2) + 1)
        raise KeyError

    with pytest.raises(KeyError), tracing() as block:
        program()
    assert block.process is not None
    assert block.process.ended
    assert len(block.process.points) == 1
    assert not is_traced()


def test_a_block_within_another_one_changes_nothing() -> None:
    """The outer one records all of it."""
    with tracing() as outer:
        with tracing() as inner:
            mx.eval(mx.zeros(2) + 1)
        assert is_traced()
        mx.eval(mx.zeros(2) + 1)
    assert inner.process is None
    assert outer.process is not None
    assert sum(point.count for point in outer.process.points) == 2


def test_blocks_one_after_another_are_apart() -> None:
    """Each has what happened in it, from its own beginning."""
    found = []
    for count in (1, 2):
        with tracing() as block:
            for _ in range(count):
                mx.eval(mx.zeros(2) + 1)
        assert block.process is not None
        found.append([point.count for point in block.process.points])
        assert block.process.points[0].first_at_s < block.process.duration_s
    assert found == [[1], [2]]


def test_an_empty_block_is_a_record() -> None:
    """With nothing in it, and no sign that something went wrong."""
    with tracing() as block:
        pass
    assert block.process is not None
    assert (block.process.points, block.process.unseen, block.process.lazy) == ((), (), ())
