"""Executing a bound plan with NumPy: blocks read views of x and write views of y, nothing is copied between."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import WrongInput

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from placement_cli.blocks.binding import BoundRun, BoundSection
    from placement_cli.blocks.extents import Numbers
    from placement_cli.blocks.plan import BlockPlan, Run

Array = Any
Step = Callable[[Any, Any], object]
"""Computes one run: reads channels of its first argument, writes its columns of the second."""
Product = Callable[[Any, Any], Any]
"""Maps x (n x n_in, of the type of the result) and that type to the product."""

SCATTERED_ZEROS = 4
"""More gaps than this between the columns that are written, and the whole output is zeroed at once."""
FEW_SCATTERED = 4
"""Outputs are written out of order when they are less than one in so many of the range they lie in."""


class NumpyProduct:
    """Maps x of shape (..., n_in) to `x @ W` of shape (..., n_out).

    The element type is that of the dense product. Raises WrongInput for another number of channels.
    """

    __slots__ = ("_dtype", "_n_in", "_n_out", "_product")

    def __init__(self, plan: BlockPlan, sections: tuple[BoundSection, ...], dtype: DTypeLike) -> None:
        """Prepare the steps of every section."""
        self._n_in, self._n_out = plan.n_in, plan.n_out
        self._dtype = np.dtype(dtype)
        self._product = _product_of(plan, sections)

    def __call__(self, x: Any) -> Array:
        """Return `x @ W`."""
        # a chunk of one sample takes microseconds: what is asked of every x must take nearly nothing
        if type(x) is np.ndarray and x.ndim == 2 and x.shape[1] == self._n_in and x.dtype == self._dtype:
            return self._product(x, self._dtype)
        return self._general(np.asarray(x))

    def _general(self, x: Array) -> Array:
        checked_channels(x.shape, self._n_in)
        dtype = np.result_type(x.dtype, self._dtype)
        flat = x if x.ndim == 2 else x.reshape(prod(x.shape[:-1]), self._n_in)
        y = self._product(flat.astype(dtype, copy=False), dtype)
        return y if x.ndim == 2 else y.reshape(*x.shape[:-1], self._n_out)


def checked_channels(shape: tuple[int, ...], n_in: int) -> None:
    """Raise WrongInput unless the last axis of `shape` has `n_in` channels."""
    if not shape or shape[-1] != n_in:
        raise WrongInput(f"x has shape {tuple(shape)}; these weights take (..., {n_in}), channels last")


def _product_of(plan: BlockPlan, sections: tuple[BoundSection, ...]) -> Product:
    steps = tuple(_section_step(bound, first=i == 0) for i, bound in enumerate(sections))
    if _is_dense(plan, sections):
        weights = sections[0].runs[0].weights[0]
        return lambda x, _: np.matmul(x, weights)
    n_out, zeros, empty = plan.n_out, plan.zero_columns, np.empty
    if len(steps) == 1 and not zeros:
        (only,) = steps

        def product(x: Array, dtype: Any) -> Array:
            y = empty((x.shape[0], n_out), dtype)
            only(x, y)
            return y

        return product
    return lambda x, dtype: _by_sections(steps, x, _zeroed(x.shape[0], plan, dtype))


def _is_dense(plan: BlockPlan, sections: tuple[BoundSection, ...]) -> bool:
    shapes = [run.weights.shape for bound in sections for run in bound.runs if run.run.kind is Kind.DENSE]
    return shapes == [(1, plan.n_in, plan.n_out)] and not plan.formulation.permuted


def _by_sections(steps: tuple[Step, ...], x: Array, y: Array) -> Array:
    for step in steps:
        step(x, y)
    return y


def _zeroed(n_samples: int, plan: BlockPlan, dtype: Any) -> Array:
    """Return the output, zero where no section writes."""
    if len(plan.zero_columns) > SCATTERED_ZEROS:
        return np.zeros((n_samples, plan.n_out), dtype)
    y = np.empty((n_samples, plan.n_out), dtype)
    for start, stop in plan.zero_columns:
        y[:, start:stop] = 0
    return y


def _section_step(bound: BoundSection, *, first: bool) -> Step:
    section = bound.section
    steps = tuple(_step_of(run) for run in bound.runs)
    step: Step = steps[0] if len(steps) == 1 else lambda x, y: _by_sections(steps, x, y)
    if section.in_index is not None:
        step = _gathering(step, section.in_index.array)
    if section.accumulates:
        return _accumulating(step)
    return step if section.out_index is None else _scattering(step, section.out_index.array, first=first)


def _gathering(step: Step, index: Numbers) -> Step:
    return lambda x, y: step(x.take(index, axis=1), y)


def _scattering(step: Step, index: Numbers, *, first: bool) -> Step:
    """Return the step followed by putting its outputs in their places.

    Reading outputs in order is several times faster than writing them out of order, so this is done over the
    whole range they lie in where nothing else in that range is written before, or all of it is theirs.
    """
    low, width = int(index.min()), int(index.max()) - int(index.min()) + 1
    if len(index) < width and not (first and len(index) * FEW_SCATTERED >= width):
        return _written_out_of_order(step, index)
    places = np.full(width, len(index), np.intp)  # one behind the outputs: a column of zeros
    places[index - low] = np.arange(len(index))
    zeros = int(len(index) < width)
    part = slice(low, low + width)

    def scatter(x: Array, y: Array) -> None:
        written = np.empty((x.shape[0], len(index) + zeros), y.dtype)
        step(x, written)
        if zeros:
            written[:, -1] = 0
        written.take(places, axis=1, out=y[:, part], mode="clip")  # any other mode copies once more

    return scatter


def _written_out_of_order(step: Step, index: Numbers) -> Step:
    def scatter(x: Array, y: Array) -> None:
        written = np.empty((x.shape[0], len(index)), y.dtype)
        step(x, written)
        y[:, index] = written

    return scatter


def _accumulating(step: Step) -> Step:
    def add(x: Array, y: Array) -> None:
        more = np.empty_like(y)
        step(x, more)
        np.add(y, more, out=y)

    return add


def _step_of(bound: BoundRun) -> Step:
    match bound.run.kind:
        case Kind.ELEMENTWISE:
            return _elementwise(bound.run, bound.weights)
        case Kind.SHARED_SUM:
            return _shared_sum(bound)
        case Kind.BATCH | Kind.GATHER_MM:
            return _batch(bound.run, bound.weights)
        case _:
            return _loop(bound)


def _loop(bound: BoundRun) -> Step:
    """Return the products one by one; of block_masked_mm, which is of MLX alone, the one with its whole matrix."""
    blocks = tuple(zip(bound.run.blocks(), bound.weights, strict=True))
    steps = tuple((rows, weights, columns) for (rows, columns), weights in blocks)
    matmul = np.matmul

    def loop(x: Array, y: Array) -> None:
        for rows, weights, columns in steps:
            matmul(x[:, rows], weights, out=y[:, columns])

    return loop


def _batch(run: Run, weights: NDArray[Any]) -> Step:
    n_blocks, n_rows, n_columns = weights.shape
    adjoining = run.row_step == run.rows
    rows = slice(run.row_start, run.row_start + run.rows * run.count)
    columns = slice(run.column_start, run.column_start + run.width)

    def batch(x: Array, y: Array) -> None:
        read = _split(x, rows, n_blocks, n_rows) if adjoining else windows(x, run)
        np.matmul(read, weights, out=_split(y, columns, n_blocks, n_columns))

    return batch


def _split(channels: Array, part: slice, n_blocks: int, width: int) -> Array:
    """Return `part` of n x channels, blocks of `width` side by side, as a view of blocks x n x width."""
    if channels.shape[1] != n_blocks * width:
        channels = channels[:, part]
    return channels.reshape(len(channels), n_blocks, width).transpose(1, 0, 2)


def windows(x: Array, run: Run) -> Array:
    """Return a view (blocks, samples, rows) of the inputs that every block of `run` reads; they may overlap."""
    sample_step, channel_step = x.strides
    shape = (run.count, len(x), run.rows)
    steps = (run.row_step * channel_step, sample_step, channel_step)
    if x.flags.c_contiguous:  # the same view at a tenth of the price, which is that of a small product
        return np.ndarray(shape, x.dtype, x, run.row_start * channel_step, steps)
    return as_strided(x[:, run.row_start :], shape, steps, writeable=False)


def _elementwise(run: Run, diagonal: NDArray[Any]) -> Step:
    rows = stepped(run)
    columns = slice(run.column_start, run.column_start + run.width)

    def elementwise(x: Array, y: Array) -> None:
        np.multiply(x[:, rows], diagonal, out=y[:, columns])

    return elementwise


def stepped(run: Run) -> slice:
    """Return the slice of the inputs that blocks of one input read, `row_step` apart in either direction."""
    stop = run.row_start + run.row_step * run.count
    return slice(run.row_start, None if stop < 0 else stop, run.row_step or 1)


def _shared_sum(bound: BoundRun) -> Step:
    run, diagonal, constants = bound.run, bound.weights, bound.constants
    shape = (run.count, run.rows)
    rows = slice(run.row_start, run.row_start + run.rows * run.count)
    columns = slice(run.column_start, run.column_start + run.width)

    def shared_sum(x: Array, y: Array) -> None:
        read, written = x[:, rows], y[:, columns]
        sums = read.reshape(len(x), *shape).sum(axis=2) * constants
        np.multiply(read, diagonal, out=written)
        into = written.reshape(len(x), *shape)
        into += sums[:, :, None]

    return shared_sum
