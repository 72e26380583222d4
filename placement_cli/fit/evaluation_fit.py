"""The constants of evaluation from the observations of experiments, each with an interval that another run would share.

A constant is estimated from all rounds of all processes. Its interval comes from refits to processes drawn with
replacement and rounds drawn likewise, each moved by as much as constants of its kind differ between processes: few
processes that happen to agree say little about the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from placement_cli.fit.evaluation_estimates import ESTIMATES, LEAST_SHARE, Estimate
from placement_cli.fit.evaluation_readings import Readings, Sittings, Vector
from placement_cli.fit.evaluation_terms import evaluation_meaning, evaluation_order, evaluation_term
from placement_cli.fit.interval import LOOSE_RATIO
from placement_cli.profile.constant import Constant

if TYPE_CHECKING:
    from placement_cli.measure.evaluation.observation import Observation

__all__ = ["evaluation_meaning", "fit_evaluation"]

QUEUE_NAMES = frozenset({"queue_calls", "queue_ops"})
DRAWS = 200
"""Refits: enough for 5 and 95 % ends to settle within a tenth of their distance."""


def fit_evaluation(observations: Sequence[Observation], seed: int = 0, draws: int = DRAWS) -> dict[str, Constant]:
    """Return the constants of `EVALUATION_TERMS` that the observations give, by name.

    Equal observations in any order, `seed` and `draws` give equal constants. Intervals are 5 to 95 %. A constant is
    not identified when it is not above zero, when the ends of its interval are further apart than a factor of
    `LOOSE_RATIO`, or when the queue never blocked; `source` says which. Observations of unknown experiments are
    ignored. Raises ValueError with fewer than one draw.
    """
    if draws < 1:
        raise ValueError(f"a bootstrap needs at least one draw, not {draws}")
    found: dict[str, Constant] = {}
    for experiment, estimate in ESTIMATES.items():
        mine = [entry for entry in observations if entry.experiment == experiment]
        if mine:
            found |= _constants(Sittings(mine), estimate, [seed, crc32(experiment.encode())], draws)
    return {name: found[name] for name in sorted(found, key=evaluation_order)}


def _constants(sittings: Sittings, estimate: Estimate, seed: Sequence[int], draws: int) -> dict[str, Constant]:
    pooled = sittings.pooled()
    values = estimate(pooled, None)
    refits = _refits(sittings, estimate, np.random.default_rng(seed), draws)
    source = f"measured in {sittings.rounds} rounds of {sittings.processes} process{'es' * (sittings.processes > 1)}"
    return {
        name: _constant(name, value, np.array([refit[name] for refit in refits if name in refit]), source)
        if value > 0 or name not in QUEUE_NAMES
        else _unfilled(name, pooled, source)
        for name, value in values.items()
    }


def _refits(
    sittings: Sittings, estimate: Estimate, generator: np.random.Generator, draws: int
) -> list[dict[str, float]]:
    """Return the estimates from readings drawn again, moved by what processes that were not measured might add."""
    refits = []
    for _ in range(draws):
        drawn = estimate(sittings.drawn(generator), generator)
        moved = float(generator.standard_normal()) / sqrt(sittings.processes)
        refits.append({name: value * exp(evaluation_term(name).spread * moved) for name, value in drawn.items()})
    return refits


def _constant(name: str, value: float, refits: Vector, source: str) -> Constant:
    low, high = (max(0.0, float(end)) for end in np.quantile(refits, [0.05, 0.95])) if refits.size else (value, value)
    value = max(value, 0.0)
    low, high = min(low, value), max(high, value)
    doubt = _doubt(value, low, high)
    if doubt:
        source = f"{source}, which do not determine it: {doubt}"
    return Constant(value, low, high, evaluation_term(name).unit, not doubt, source)


def _doubt(value: float, low: float, high: float) -> str | None:
    """Return why a constant is not identified, None when it is."""
    if value <= 0:
        return "it is too small to be seen"
    if low <= 0:
        return "it may be none at all"
    if high > LOOSE_RATIO * low:
        return f"the ends of its interval are a factor of {high / low:.1f} apart"
    return None


def _unfilled(name: str, readings: Readings, source: str) -> Constant:
    """Return a bound for what never filled the queue by itself: what was outstanding without being noticed."""
    blocked = any(bool((row > 0).any()) for _, row in readings.column("ops", reading="blocked"))
    made = [(ops, float(row.max())) for ops, row in readings.column("ops", reading="made")]
    most = max([0.0, *(calls * (ops if name == "queue_ops" else 1.0) for ops, calls in made)])
    bound = most / LEAST_SHARE if blocked else most
    doubt = "other things fill the queue first" if blocked else f"it never filled with {most:g} outstanding"
    unit = evaluation_term(name).unit
    return Constant(bound, bound, None, unit, False, f"{source}, which do not determine it: {doubt}")
