"""Finding the MLX arrays in what a caller passes: arrays, trees of them, and messages."""

from __future__ import annotations

import sys
import warnings
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class NothingMaterialized(UserWarning):
    """An evaluation point was given something in which no array was found, so it evaluated nothing."""


def loaded_mlx() -> tuple[Any, type | None]:
    """Return `mlx.core` and its array type, or None for both, if this process has not imported MLX.

    Where it was never imported, nothing can be one of its arrays; so nothing here has to import it.
    """
    mlx = sys.modules.get("mlx.core")
    array: type | None = getattr(mlx, "array", None)
    return mlx, array


def mlx_arrays(trees: tuple[object, ...]) -> tuple[Any, ...]:
    """Return the MLX arrays in `trees`, in the order in which they are written, without evaluating any.

    Lists, tuples (named ones too), dicts (their values) and dataclass instances (their fields, which is how
    an ezmsg `AxisArray` keeps its data) are looked into at any depth, each object once. Other objects are
    not, and neither does MLX: `mx.eval` passes over them in silence (python/src/trees.cpp,
    `tree_flatten`). Here the caller of the public function gets a `NothingMaterialized` warning if no array
    was found at all. There is none when MLX is not in use; when arrays of another backend were found, since
    they hold their values; or when there was nothing or nothing but None, which is a withheld message.

    Public functions call this directly, so that the warning names the line of their caller.
    """
    _, array = loaded_mlx()
    if array is None:
        return ()
    for tree in trees:
        if type(tree) is not array:
            break
    else:
        return trees
    arrays, others = _walk(trees, array)
    if not arrays and _is_mistake(trees, others):
        warnings.warn(_nothing_in(others), NothingMaterialized, stacklevel=3)
    return tuple(arrays)


def _walk(trees: Sequence[object], array: type) -> tuple[list[Any], list[object]]:
    """Return the arrays of `trees` and all other leaves; what is met twice, or in itself, counts once."""
    arrays: list[Any] = []
    others: list[object] = []
    seen: dict[int, object] = {}
    ahead = list(reversed(trees))
    while ahead:
        node = ahead.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        if isinstance(node, array):
            arrays.append(node)
        elif (branches := _branches(node)) is not None:
            ahead.extend(reversed(branches))
        else:
            others.append(node)
    return arrays, others


def _branches(node: object) -> Sequence[object] | None:
    """Return what `node` contains, or None when it is a leaf."""
    if isinstance(node, dict):
        return list(node.values())
    if isinstance(node, list | tuple):
        return node
    if is_dataclass(node) and not isinstance(node, type):
        return [getattr(node, field.name, None) for field in fields(node)]
    return None


def _is_mistake(trees: Sequence[object], others: Sequence[object]) -> bool:
    """Say whether finding no MLX array means that the caller passed the wrong thing."""
    if all(leaf is None for leaf in others):
        return bool(trees) and not others
    return not any(_is_array(leaf) for leaf in others)


def _is_array(leaf: object) -> bool:
    """Say whether `leaf` is an array of some backend, by the protocols of NumPy, CuPy and PyTorch."""
    kind = type(leaf)
    return hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")


def _nothing_in(others: Iterable[object]) -> str:
    kind = next((type(leaf).__qualname__ for leaf in others if leaf is not None), None)
    what = "an empty tree" if kind is None else f"an object of type {kind}"
    return (
        f"nothing was evaluated, for no array was found in {what}; lists, tuples, dicts and dataclasses are "
        "looked into, of any other object pass the arrays themselves"
    )
