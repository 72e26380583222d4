"""Executing a bound plan with MLX: blocks are slices of x, joined or indexed into the output at the end.

MLX arrays cannot be written in place, so what sections compute is joined into one array; where this is not in
the order of the outputs already, one indexing call puts it there.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np

from placement_cli.blocks.binding import channels_of
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import WrongInput
from placement_cli.blocks.numpy_product import checked_channels, stepped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.blocks.binding import BoundRun, BoundSection
    from placement_cli.blocks.extents import Numbers
    from placement_cli.blocks.plan import BlockPlan, Run, Section

Array = Any
Step = Callable[[Any], list[Any]]
"""Computes one run: maps the channels of a section to its outputs, in one array or several neighbouring ones."""


def mlx_product(plan: BlockPlan, sections: tuple[BoundSection, ...], dtype: Any) -> Callable[[Any], Any]:
    """Return the callable that maps x of shape (..., n_in), an array of MLX, to `x @ W` lazily.

    `dtype` is the element type of MLX that the weights have (None: what MLX makes of NumPy's, float32 for
    float64). The callable raises WrongInput for another number of channels, and when neither x nor the
    weights are floating-point or complex, which MLX does not multiply as matrices.
    """
    product = _MlxProduct(plan, sections, dtype)
    inner = mx.compile(product) if plan.compiled else product

    def bound(x: Any) -> Any:
        checked_channels(x.shape, plan.n_in)
        if not mx.issubdtype(mx.result_type(x, product.weightless), mx.inexact):
            raise WrongInput(f"MLX does not multiply matrices of {x.dtype}; convert x or the weights to a float type")
        if x.ndim == 2:
            return inner(x)
        flat = x.reshape(prod(x.shape[:-1]), plan.n_in)
        return inner(flat).reshape(*x.shape[:-1], plan.n_out)

    return bound


class _MlxProduct:
    """Maps x (n x n_in) to the product; `weightless` is a scalar of the type of the weights."""

    def __init__(self, plan: BlockPlan, sections: tuple[BoundSection, ...], dtype: Any) -> None:
        writing = [bound for bound in sections if not bound.section.accumulates]
        self.weightless = _weightless(sections, dtype)
        self._pieces = [_pieces_of(bound, dtype) for bound in writing]
        self._added = [_pieces_of(bound, dtype) for bound in sections if bound.section.accumulates]
        self._join = _joining(plan, writing)

    def __call__(self, x: Array) -> Array:
        y = self._join([piece for pieces in self._pieces for piece in pieces(x)], x, self.weightless)
        for pieces in self._added:
            y = y + pieces(x)[0]
        return y


def _weightless(sections: tuple[BoundSection, ...], dtype: Any) -> Array:
    for bound in sections:
        for run in bound.runs:
            return mx.zeros((1,), dtype or mx.array(run.weights[:0]).dtype)
    return mx.zeros((1,), dtype or mx.float32)


def _pieces_of(bound: BoundSection, dtype: Any) -> Step:
    """Return what computes the outputs of a section, in the order of its runs."""
    steps = [_step_of(run, lambda array: _on_mlx(array, dtype)) for run in bound.runs]
    index = bound.section.in_index
    channels = None if index is None else mx.array(index.array)

    def pieces(x: Array) -> list[Array]:
        read = x if channels is None else mx.take(x, channels, axis=1)
        return [piece for step in steps for piece in step(read)]

    return pieces


def _on_mlx(array: NDArray[Any], dtype: Any) -> Array:
    return mx.array(array) if dtype is None else mx.array(array, dtype)


def _joining(plan: BlockPlan, writing: list[BoundSection]) -> Callable[[list[Array], Array, Array], Array]:
    """Return what puts the pieces of all sections in the order of the outputs, zeros where there are none."""
    outputs = [_outputs(bound.section, piece) for bound in writing for piece in _written(bound)]
    order = _in_place(outputs, plan.n_out)
    places = _places(outputs, plan.n_out)

    def join(pieces: list[Array], x: Array, weightless: Array) -> Array:
        dtype = mx.result_type(x, weightless)
        if order is not None:
            parts = [pieces[part] if kept else mx.zeros((len(x), part), dtype) for kept, part in order]
            return parts[0] if len(parts) == 1 else mx.concatenate(parts, axis=1)
        spare = mx.zeros((len(x), 1), dtype)  # what outputs without a piece are taken from
        return mx.take(mx.concatenate([*pieces, spare], axis=1), places, axis=1)

    return join


def _written(bound: BoundSection) -> list[tuple[int, int]]:
    """Return (start, stop) of the section's outputs in every piece, piece by piece."""
    spans: list[tuple[int, int]] = []
    for run in bound.section.runs:
        if run.kind in ONE_BY_ONE:
            spans += [(columns.start, columns.stop) for _, columns in run.blocks()]
        else:
            spans.append((run.column_start, run.column_start + run.width))
    return spans


def _outputs(section: Section, span: tuple[int, int]) -> Numbers:
    return channels_of(section.out_index, span[0], span[1] - span[0])


def _in_place(outputs: list[Numbers], n_out: int) -> list[tuple[bool, int]] | None:
    """Return the order of pieces (True, number) and of zeros between them (False, width); None: not by slices."""
    order: list[tuple[bool, int]] = []
    reached = 0
    for number in sorted(range(len(outputs)), key=lambda number: int(outputs[number][0])):
        columns = outputs[number]
        if columns[0] < reached or (np.diff(columns) != 1).any():
            return None
        if columns[0] > reached:
            order.append((False, int(columns[0]) - reached))
        order.append((True, number))
        reached = int(columns[-1]) + 1
    return [*order, (False, n_out - reached)] if reached < n_out or not order else order


def _places(outputs: list[Numbers], n_out: int) -> Array:
    """Return for every output its place in all pieces joined; of several the last, of none the one behind."""
    total = sum(len(columns) for columns in outputs)
    places = np.full(n_out, total, np.intp)
    at = 0
    for columns in outputs:
        places[columns] = np.arange(at, at + len(columns))
        at += len(columns)
    return mx.array(places)


ONE_BY_ONE = (Kind.DENSE, Kind.LOOP, Kind.THIN)
"""Kinds that compute one block a call."""


def _step_of(bound: BoundRun, on_mlx: Callable[[NDArray[Any]], Array]) -> Step:
    match bound.run.kind:
        case Kind.ELEMENTWISE:
            return _elementwise(bound.run, on_mlx(bound.weights))
        case Kind.SHARED_SUM:
            return _shared_sum(bound, on_mlx)
        case Kind.BATCH | Kind.GATHER_MM:
            return _batch(bound.run, on_mlx(bound.weights))
        case Kind.MASKED_MM:
            return _masked(bound, on_mlx)
        case _:
            return _loop(bound.run, on_mlx(bound.weights))


def _loop(run: Run, weights: Array) -> Step:
    blocks = [(rows, weights[i]) for i, (rows, _) in enumerate(run.blocks())]
    mx.eval([block for _, block in blocks])  # not again with every x
    return lambda x: [x[:, rows] @ block for rows, block in blocks]


def _batch(run: Run, weights: Array) -> Step:
    shape = (run.count, run.rows)
    adjoining = run.row_step in (run.rows, -run.rows)
    low = min(run.row_start, run.row_start + (run.count - 1) * run.row_step)
    rows = slice(low, low + run.count * run.rows)
    channels = mx.array(_windows(run))
    numbers = mx.arange(run.count, dtype=mx.uint32)

    def batch(x: Array) -> list[Array]:
        read = x[:, rows] if adjoining else mx.take(x, channels, axis=1)
        read = read.reshape(len(x), *shape).transpose(1, 0, 2)
        if run.row_step == -run.rows:
            read = read[::-1]
        if run.kind is Kind.GATHER_MM and read.dtype == weights.dtype == mx.float32:
            products = mx.gather_mm(read, weights, numbers, numbers)
        else:  # on the CPU gather_mm has no other element type
            products = read @ weights
        return [products.transpose(1, 0, 2).reshape(len(x), run.width)]

    return batch


def _windows(run: Run) -> Numbers:
    """Return the channels that all blocks of a run read, block by block."""
    starts = run.row_start + run.row_step * np.arange(run.count)
    return np.ravel(starts[:, None] + np.arange(run.rows))


def _elementwise(run: Run, diagonal: Array) -> Step:
    rows = stepped(run)
    return lambda x: [x[:, rows] * diagonal]


def _shared_sum(bound: BoundRun, on_mlx: Callable[[NDArray[Any]], Array]) -> Step:
    run, diagonal = bound.run, on_mlx(bound.weights)
    constants = on_mlx(np.asarray(bound.constants)).reshape(-1, 1)
    rows = slice(run.row_start, run.row_start + run.rows * run.count)

    def shared_sum(x: Array) -> list[Array]:
        read = x[:, rows]
        sums = read.reshape(len(x), run.count, run.rows).sum(axis=2, keepdims=True) * constants
        scaled = (read * diagonal).reshape(len(x), run.count, run.rows)
        return [(scaled + sums).reshape(len(x), run.width)]

    return shared_sum


def _masked(bound: BoundRun, on_mlx: Callable[[NDArray[Any]], Array]) -> Step:
    run, weights = bound.run, on_mlx(bound.weights[0])
    tiles = mx.array(np.asarray(bound.tiles))

    def masked(x: Array) -> list[Array]:
        if x.dtype == weights.dtype == mx.float32:
            return [mx.block_masked_mm(x, weights, run.tile, mask_rhs=tiles)]
        return [x @ weights]  # on the CPU block_masked_mm has no other element type

    return masked
