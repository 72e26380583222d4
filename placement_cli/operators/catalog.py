"""All operators by name, and the checks of what documents ask of them.

Imports neither MLX nor NumPy: documents are checked before anything slow is loaded.
"""

from __future__ import annotations

from math import inf
from reprlib import repr as shortened
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.operators.affine import AFFINE
from placement_cli.operators.binning import BIN
from placement_cli.operators.downsample import DOWNSAMPLE
from placement_cli.operators.elementwise import ABS, CAR, SCALE
from placement_cli.operators.ewm_scaler import EWM_SCALER
from placement_cli.operators.fir import FIR
from placement_cli.operators.host import HOST
from placement_cli.operators.join import JOIN
from placement_cli.operators.sosfilt import SOSFILT
from placement_cli.operators.spectrum import SPECTRUM
from placement_cli.operators.values import VALUES
from placement_cli.operators.window import WINDOW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from placement_cli.operators.operator import Operator, Parameter, Params, Shape, Value

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        operator.name: operator
        for operator in (
            SOSFILT,
            EWM_SCALER,
            FIR,
            ABS,
            SCALE,
            CAR,
            AFFINE,
            SPECTRUM,
            DOWNSAMPLE,
            BIN,
            WINDOW,
            JOIN,
            HOST,
            VALUES,
        )
    }
)
"""Every operator by its name, in the order in which people read about them."""


LONGEST_NAME = 60
"""No more of a name is compared with the known ones."""
LONGEST_NUMBER = 64
"""Whole numbers with more bits are not printed."""


def find_operator(name: str) -> Operator:
    """Return the operator called `name`; raises UsageError that names the nearest one."""
    try:
        return OPERATORS[name]
    except KeyError:
        near = did_you_mean(name[:LONGEST_NAME], list(OPERATORS))
        raise UsageError(f"There is no operator {shortened(name)}. {near}") from None


def check_params(op: Operator, given: Mapping[str, Any]) -> dict[str, Value]:
    """Return all parameters of `op`: those `given`, checked, and defaults for the others.

    Raises UsageError that names the parameter, what it may be, and the nearest name for an unknown one.
    """
    known = [parameter.name for parameter in op.parameters]
    for name in given:
        if name not in known:
            near = did_you_mean(_shown(name)[:LONGEST_NAME], known)
            raise UsageError(f"{op.name} has no parameter {_shown(name)}. {near}")
    params = {
        parameter.name: _checked(op, parameter, given[parameter.name]) if parameter.name in given else parameter.default
        for parameter in op.parameters
    }
    op.check(params)
    return params


def check_shapes(op: Operator, shapes: Sequence[Shape], params: Params) -> None:
    """Raise UsageError unless `op` with checked `params` can take inputs of these shapes (longest messages)."""
    least, most = op.inputs
    if not least <= len(shapes) <= most:
        inputs = f"{least} to {most} inputs" if least < most else "one input"
        raise UsageError(f"{op.name} takes {inputs}, not {len(shapes)}.")
    for shape in shapes:
        if len(shape) not in op.ranks or min(shape) < 1:
            ranks = " or ".join(_AXES[rank] for rank in op.ranks)
            raise UsageError(f"{op.name} takes {ranks}, not an array of shape {shape}.")
    if len({shape[:-1] for shape in shapes}) > 1:
        raise UsageError(f"{op.name} takes inputs of one length, not shapes {', '.join(map(str, shapes))}.")
    op.check_inputs(shapes, params)


_AXES = {2: "samples x channels", 3: "windows x samples x channels"}


def _checked(op: Operator, parameter: Parameter, value: Any) -> Value:
    if isinstance(parameter.default, str):
        good = isinstance(value, str) and value in parameter.choices
    elif isinstance(parameter.default, int):
        good = type(value) is int and _inside(parameter, value)
    else:
        good = type(value) in (int, float) and _inside(parameter, value)
    if not good:
        near = f" {did_you_mean(value[:LONGEST_NAME], parameter.choices)}" if isinstance(value, str) else ""
        wrong = f"{op.name}: parameter {parameter.name!r} is {_shown(value)}, but must be {expected(parameter)}."
        raise UsageError(wrong + (near if parameter.choices else ""))
    return float(value) if isinstance(parameter.default, float) else value


def _shown(value: Any) -> str:
    """Return a value cut short; of huge whole numbers only the size, for Python may refuse to print them."""
    if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
        return f"a number of {value.bit_length()} bits"
    return shortened(value)


def _inside(parameter: Parameter, value: float) -> bool:
    """Say whether a number lies within its bounds; NaN and infinity never do."""
    low, high = parameter.low, parameter.high
    return (low is None or value >= low) and (high is None or value <= high) and abs(value) < inf


def expected(parameter: Parameter) -> str:
    """Return what a parameter may be, in words such as `a whole number from 1 to 8`."""
    if isinstance(parameter.default, str):
        return f"one of {', '.join(parameter.choices)}"
    kind = "a whole number" if isinstance(parameter.default, int) else "a number"
    low = f" from {parameter.low:.12g}" if parameter.low is not None else ""
    high = f" to {parameter.high:.12g}" if parameter.high is not None else ""
    return f"{kind}{low}{high}"
