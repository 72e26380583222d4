"""Counting what primitives cost."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from placement_cli.operators.operator import Features
from placement_cli.operators.work import VIEWS, Work, broadcast, copy, elementwise, matmul, mean, total, views


def test_work_adds_up_field_by_field() -> None:
    """The sum of two costs has the sums of their counts."""
    assert total(Work(1, 1, 2.0, 3.0), views(2), Work(1, 1, 1.0, 1.0)) == Work(4, 2, 3.0, 4.0)
    assert total() == Work()


def test_work_becomes_features() -> None:
    """Output and state are added to the counts."""
    assert Work(2, 1, 3.0, 4.0).features((5, 6), 7) == Features(2, 1, 3.0, 4.0, 7, (5, 6))


def test_an_elementwise_kernel_reads_its_operands_and_writes_one_result() -> None:
    """Bytes count every operand and the result once, arithmetic one an element."""
    assert elementwise((3, 4), 4, operands=2) == Work(1, 1, 12.0, 144.0)


def test_a_copy_may_change_the_size_of_elements() -> None:
    """Conversion reads the one and writes the other size."""
    assert copy((3, 4), 4, 2) == Work(1, 1, 0.0, 72.0)


def test_a_product_with_a_constant_reads_it_once() -> None:
    """A batch shares the matrix on the left: (2, 3) @ 5 x (3, 4)."""
    assert matmul(2, 3, 4, item=1, batch=5) == Work(1, 1, 2.0 * 5 * 2 * 3 * 4, 6 + 5 * 12 + 5 * 8)


def test_stretching_to_the_same_shape_is_no_op() -> None:
    """MLX leaves a broadcast out where there is nothing to do."""
    assert broadcast((2, 1), (2, 1)) == Work()
    assert broadcast((2, 1), (2, 3)) == views(1)


@pytest.mark.parametrize(("keepdims", "channels"), [(True, 4), (False, 4), (True, 1)])
def test_a_mean_is_counted_as_mlx_builds_it(pending: Any, keepdims: bool, channels: int) -> None:
    """The cost of a mean has as many ops and kernels as the graph, with the axis kept or dropped."""
    x = mx.array([[1.0] * channels] * 3)
    result = mx.mean(x, axis=1, keepdims=keepdims)
    names = pending(result)
    work = mean((3, channels), tuple(result.shape), 4)
    assert (work.ops, work.kernels) == (len(names), sum(name not in VIEWS for name in names))


def test_views_share_the_buffer_of_their_input(pending: Any) -> None:
    """No view asks for memory: a slice of an evaluated array evaluates within the bytes already active."""
    x = mx.zeros((64, 64))
    mx.eval(x)
    before = mx.get_active_memory()
    shown = [x[3:], x[::2], mx.unflatten(x, 0, (8, 8)), x.T, mx.broadcast_to(x, (2, 64, 64)), x[None]]
    shown += [mx.as_strided(x, (3, 4), (1, 1)), *mx.split(x, [5]), mx.flatten(x)]
    assert set(pending(*shown)) <= VIEWS
    mx.eval(shown)
    assert mx.get_active_memory() == before
