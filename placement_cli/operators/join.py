"""`join`: several branches of the same message become one, by sum or side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError
from placement_cli.operators.operator import (
    ITEM_BYTES,
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit
from placement_cli.operators.work import copy, elementwise, total

if TYPE_CHECKING:
    from collections.abc import Sequence

PAIR = 2


def _check_inputs(shapes: Sequence[Shape], params: Params) -> None:
    if params["kind"] == "add" and len(set(shapes)) > 1:
        raise UsageError(f"join: only inputs of the same shape add up, not {', '.join(map(str, shapes))}.")


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    item, first = ITEM_BYTES[dtype], shapes[0]
    if params["kind"] == "add":
        sums = [elementwise(first, item, operands=2)] * (len(shapes) - 1)
        return total(*sums).features(first)
    output = (*first[:-1], sum(shape[-1] for shape in shapes))
    return copy(output, item).features(output)


def _make_mlx(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    if params["kind"] == "add":
        return FunctionUnit(mx.add if len(shapes) == PAIR else _sum)
    concatenate = mx.concatenate
    return FunctionUnit(lambda *branches: concatenate(list(branches), -1))


def _make_numpy(_shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np

    if params["kind"] == "add":
        return FunctionUnit(_sum)
    return FunctionUnit(lambda *branches: np.concatenate(branches, axis=-1))


def _sum(first: Any, *others: Any) -> Any:
    for other in others:
        first = first + other
    return first


JOIN = Operator(
    name="join",
    summary="branches of the same message in one: their sum, or their channels side by side",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(Parameter("kind", "add", "how branches are put together", choices=("add", "concat")),),
    inputs=(2, 64),
    ranks=(2, 3),
    check_inputs=_check_inputs,
)
