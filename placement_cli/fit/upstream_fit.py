"""The same timings in the four constants of ezmsg-sigproc's planner, in its own meaning.

Its model, (n + load) * weights + calls * call + gathered * gather, is fitted in seconds with the price of a
multiply-accumulate as the unit; each constant is a ratio to that price. Only what upstream can compute takes
part: dense, block by block, and those behind gathers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.formulation import Kind
from placement_cli.fit.block_data import resampled
from placement_cli.fit.interval import Origin, constant_of
from placement_cli.fit.robust import (
    Data,
    Matrix,
    Prior,
    RobustFit,
    Ties,
    Vector,
    expectation,
    fit_prices,
)
from placement_cli.profile.upstream import (
    UPSTREAM_UNITS,
    UpstreamConstants,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from placement_cli.fit.observations import Configuration, Timing
    from placement_cli.profile.constant import Constant

UPSTREAM_KINDS = frozenset({Kind.DENSE, Kind.LOOP})
"""Kinds that upstream's plans are made of."""

_PRIORS: Mapping[str, Prior] = {
    "mac": Prior(None, 2e-11, 3.0),
    "weight_load_samples": Prior("mac", 5.0, 3.0),
    "call_cost_macs": Prior("mac", 1e5, 3.0),
    "gather_cost_macs": Prior("mac", 40.0, 3.0),
}
"""Nearly no belief: each constant may be off by a factor of twenty either way at one standard deviation."""

_TIES = Ties.of(_PRIORS, tuple(_PRIORS))


def upstream_computes(timing: Timing) -> bool:
    """Say whether upstream could have chosen this formulation."""
    formulation = timing.formulation
    return timing.computes and all(part.kind in UPSTREAM_KINDS for part in formulation.parts)


def fit_upstream(
    configurations: Sequence[Configuration], *, dispatched: bool = False, draws: int = 100, seed: int = 0
) -> UpstreamConstants:
    """Return upstream's constants with their 5 to 95 % intervals over refits to configurations drawn again.

    On a machine whose products do not depend on such a cost, as the weight load of a library that repacks
    nothing, the constant is not identified.
    """
    data = _data(configurations)
    fit = fit_prices(data, _TIES)
    generator, start = np.random.default_rng(seed), np.log(fit.prices)
    refits = np.array([_ratios(fit_prices(resampled(data, generator), _TIES, start).prices) for _ in range(draws)])
    source = f"upstream's model fitted to {len(configurations)} configurations"
    constants = {name: _constant(name, at, fit, refits, source) for at, name in enumerate(UPSTREAM_UNITS)}
    return UpstreamConstants(**constants, dispatched=dispatched)


def _data(configurations: Sequence[Configuration]) -> Data:
    rows = [
        (number, entry.samples, timing)
        for number, entry in enumerate(configurations)
        for timing in entry.timings
        if upstream_computes(timing) or not timing.computes
    ]
    return Data(
        np.array([_amounts(samples, timing) for _, samples, timing in rows], dtype=np.float64),
        np.array([timing.seconds for *_, timing in rows], dtype=np.float64),
        np.array([number for number, *_ in rows], dtype=np.intp),
    )


def _amounts(samples: int, timing: Timing) -> list[float]:
    formulation = timing.formulation
    gathered = samples * (formulation.gathered_in + formulation.gathered_out)
    return [samples * formulation.macs, formulation.macs, formulation.calls, gathered]


def _ratios(prices: Vector) -> Vector:
    ratios: Vector = prices[1:] / prices[0]
    return ratios


def _constant(name: str, at: int, fit: RobustFit, refits: Matrix, source: str) -> Constant:
    origin = Origin(UPSTREAM_UNITS[name], source, expectation(_PRIORS[name]))
    return constant_of(fit, at + 1, float(_ratios(fit.prices)[at]), refits[:, at], origin)
