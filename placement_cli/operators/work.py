"""Counting what primitives cost: ops, kernels, arithmetic and bytes, added up for an operator's features.

What runs a kernel was read off MLX 0.32 (`mlx/backend/common/common.cpp`, and `primitives.cpp` of the
backends `cpu` and `gpu`): the primitives in `VIEWS` only share the buffer of their input.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from placement_cli.operators.operator import Features, Shape

VIEWS: frozenset[str] = frozenset(
    (
        "AsStrided",
        "Broadcast",
        "BroadcastAxes",
        "Copy",
        "CustomTransforms",
        "Depends",
        "ExpandDims",
        "Flatten",
        "NumberOfElements",
        "Reshape",
        "Slice",
        "Split",
        "Squeeze",
        "StopGradient",
        "Transpose",
        "Unflatten",
        "View",
    )
)
"""Primitives, by the name `mx.export_to_dot` prints, that run no kernel.

`Flatten`, `Reshape`, `Unflatten` and `View` copy after all where strides leave no other way; the operators of
this folder apply them to contiguous arrays only.
"""


@dataclass(frozen=True, slots=True)
class Work:
    """The cost of some primitives; `+` adds two costs. Fields as in `Features`."""

    ops: int = 0
    kernels: int = 0
    flops: float = 0.0
    bytes_moved: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.ops + other.ops,
            self.kernels + other.kernels,
            self.flops + other.flops,
            self.bytes_moved + other.bytes_moved,
        )

    def features(self, output: Shape, state_bytes: int = 0) -> Features:
        """Return the features of an operator that does this work."""
        return Features(self.ops, self.kernels, self.flops, self.bytes_moved, state_bytes, output)


def total(*parts: Work) -> Work:
    """Return the sum of `parts`."""
    return sum(parts, Work())


def views(count: int) -> Work:
    """Return the cost of `count` primitives that only look at their input differently."""
    return Work(ops=count)


def broadcast(have: Shape, want: Shape) -> Work:
    """Return the cost of stretching an operand from shape `have` to `want`; nothing where they agree."""
    return views(int(have != want))


def kernel(read_bytes: float, written_bytes: float, flops: float = 0.0) -> Work:
    """Return the cost of one kernel."""
    return Work(1, 1, flops, read_bytes + written_bytes)


def elementwise(shape: Shape, item: int, operands: int = 1) -> Work:
    """Return the cost of one elementwise kernel over `shape` that reads `operands` arrays of that size.

    Operands that are broadcast from far fewer elements do not count.
    """
    elements = prod(shape)
    return kernel(operands * elements * item, elements * item, elements)


def copy(shape: Shape, item_in: int, item_out: int | None = None) -> Work:
    """Return the cost of copying `shape`: concatenation, or conversion to elements of `item_out` bytes."""
    elements = prod(shape)
    return kernel(elements * item_in, elements * (item_in if item_out is None else item_out))


def matmul(rows: int, inner: int, columns: int, item: int, batch: int = 1) -> Work:
    """Return the cost of one constant (rows, inner) matrix times `batch` arrays of shape (inner, columns)."""
    moved = rows * inner + batch * (inner + rows) * columns
    return Work(1, 1, 2.0 * batch * rows * inner * columns, float(moved * item))


def mean(shape: Shape, reduced: Shape, item: int) -> Work:
    """Return the cost of `mx.mean` from `shape` to `reduced`: a sum times one over the count.

    Where the ranks differ a view drops the axis; MLX leaves out the sum over a single element.
    """
    summed = kernel(prod(shape) * item, prod(reduced) * item, prod(shape)) if shape != reduced else Work()
    return total(summed, views(int(len(shape) != len(reduced))), views(1), elementwise(reduced, item))
