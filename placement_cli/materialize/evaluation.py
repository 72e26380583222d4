"""One evaluation point: one array, or everything of a message in one call."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from placement_cli.materialize.arrays import loaded_mlx, mlx_arrays
from placement_cli.materialize.mode import MaterializeMode

T = TypeVar("T")


def materialize_array(data: T, mode: MaterializeMode | str = MaterializeMode.SYNC) -> T:
    """Apply `mode` to one array and return it: the same object, for evaluation makes no new value.

    `data` may have any shape and element type. Whatever is not an MLX array passes through untouched: arrays
    of NumPy, CuPy and PyTorch are computed, or on their way, when they are returned. An array of size zero
    is evaluated like any other, and with it all that it depends on; but one that was made afresh depends on
    nothing, and forces nothing (there is no test of size in mlx/transforms.cpp, `eval_impl`).

    Raises ValueError if `mode` is not a mode, whatever `data` is. What MLX raises passes through: ValueError
    for an array that `mx.vmap` or `mx.compile` is tracing (for ASYNC `mx.grad` too), and RuntimeError for
    work that failed, which may be earlier work on the same stream (mlx/scheduler.cpp, `StreamThread`).
    """
    mode = _checked(mode)
    mlx, array = loaded_mlx()
    if array is not None and isinstance(data, array):
        _evaluate(mlx, (data,), mode)
    return data


@overload
def materialize(*, mode: MaterializeMode | str = ...) -> tuple[()]: ...
@overload
def materialize(tree: T, /, *, mode: MaterializeMode | str = ...) -> T: ...
@overload
def materialize(first: Any, second: Any, /, *rest: Any, mode: MaterializeMode | str = ...) -> tuple[Any, ...]: ...
def materialize(*trees: Any, mode: MaterializeMode | str = MaterializeMode.SYNC) -> Any:
    """Apply `mode` to every MLX array in `trees`, in one evaluation; return the tree, or a tuple of several.

    The trees come back as the same objects. Lists, tuples, dicts and dataclasses, messages such as ezmsg's
    `AxisArray` among them, are looked into at any depth; other objects are not. `NothingMaterialized` is the
    warning for a call that found no array for that reason. OFF looks at nothing and never warns.

    One call for an output together with the state beside it keeps a carried state from growing even where no
    output depends on its newest value, for one submission. The price, on every backend: the arrays of one
    call become available together on each stream (one event per call and stream; mlx/transforms.cpp,
    `eval_impl`), so what is wanted early needs a call of its own.

    Raises what `materialize_array` raises.
    """
    mode = _checked(mode)
    if mode is not MaterializeMode.OFF:
        _evaluate(loaded_mlx()[0], mlx_arrays(trees), mode)
    return trees[0] if len(trees) == 1 else trees


def _checked(mode: MaterializeMode | str) -> MaterializeMode:
    """Return the member that `mode` means; to call the enum with a member costs as much as an evaluation."""
    return mode if type(mode) is MaterializeMode else MaterializeMode(mode)


def _evaluate(mlx: Any, arrays: tuple[Any, ...], mode: MaterializeMode) -> None:
    """Do what `mode` says; the functions are looked up in each call, since a tracer may replace them."""
    if not arrays:
        return
    if mode is MaterializeMode.SYNC:
        mlx.eval(*arrays)
    elif mode is MaterializeMode.ASYNC:
        mlx.async_eval(*arrays)
