"""Many cases at once: how many flags chance alone explains, and whether the design itself leans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.sign_test import sign_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAN_ALPHA = 0.01
"""A clean run is called leaning at most this often. At least 8 cases are needed before any can be."""


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, in the order given (Holm, Scand. J. Statist. 6, 1979).

    The i-th smallest of m is multiplied by m - i + 1, kept from falling below a smaller one's, and capped at
    1: rejecting those at most alpha keeps the chance of any false rejection at alpha, whatever depends on
    what. Raises ValueError when one is not from 0 to 1.
    """
    if not p_values:
        return []
    row = finite(p_values, "p-values")
    if ((row < 0) | (row > 1)).any():
        raise ValueError("p-values lie between 0 and 1")
    order = np.argsort(row, kind="stable")
    stepped = row[order] * np.arange(row.size, 0, -1)
    adjusted = np.empty_like(row)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted]


def holm(p_values: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Say for each p-value whether it survives Holm's step-down over the family at `alpha`."""
    return [p <= alpha for p in holm_adjusted(p_values)]


@dataclass(frozen=True, slots=True)
class Lean:
    """Whether the controls of a run lean one way: `up` of `cases` above zero, `down` below.

    `median` is the middle control log ratio, the size of the bias if there is one.
    """

    leans: bool
    p_value: float
    up: int
    down: int
    cases: int
    median: float


def lean(control_medians: Numbers) -> Lean:
    """Test by signs whether the A'/A median log ratios of the cases lean one way: one number a case.

    A lean means that slot or start order favours one side, which makes the run `invalid`. Only the control
    can show it: new-to-base ratios that all lean are what a real change of everything looks like. Raises
    ValueError on NaN, infinite or no values.
    """
    row = finite(control_medians, "control medians")
    p_value = sign_p_value(row)
    up, down = int(np.count_nonzero(row > 0)), int(np.count_nonzero(row < 0))
    return Lean(p_value <= LEAN_ALPHA, p_value, up, down, row.size, float(np.median(row)))
