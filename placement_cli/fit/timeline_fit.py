"""The constants of the timeline from timings of whole graphs.

Whole graphs say what the small experiments of `evaluation_fit` cannot: how the constants add up when host and device
work at once. The error that matters is relative, so residuals are logarithms of predicted over measured; the loss grows
only linearly for disturbed timings (soft L1); constants are fitted as logarithms and stay positive; each is drawn to
what small experiments found, so that graphs that say nothing about it leave it there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from placement_cli.fit.robust import Prior
from placement_cli.fit.timeline_fit_graphs import TimedGraph, Vector
from placement_cli.fit.timeline_fit_model import TimelineModel, timeline_costs
from placement_cli.timeline.costs import Costs

LOOSE, FIRM, FIXED = 0.7, 0.3, 0.0
"""Spreads of priors, as standard deviations of logarithms: a factor of two, of a third, and not fitted at all."""

PRIORS: Mapping[str, Prior] = {
    "ingest_call": Prior(None, 1.5e-6, FIXED),
    "ingest_byte": Prior(None, 0.08e-9, LOOSE),
    "build_node": Prior(None, 0.3e-6, FIXED),
    "build_op": Prior(None, 0.8e-6, LOOSE),
    "submit_call": Prior(None, 4e-6, LOOSE),
    "submit_op": Prior(None, 2e-6, LOOSE),
    "submit_asleep": Prior(None, 8e-6, LOOSE),
    "asleep_after": Prior(None, 200e-6, FIRM),
    "wake": Prior(None, 15e-6, LOOSE),
    "round_trip": Prior(None, 20e-6, LOOSE),
    "sync_call": Prior(None, 4e-6, LOOSE),
    "wait_busy": Prior(None, 15e-6, LOOSE),
    "boundary_call": Prior(None, 0.6e-6, FIXED),
    "other.host_slowing": Prior(None, 0.06, LOOSE),
    "other.device_slowing": Prior(None, 0.04, FIXED),
    "sleep.host_slowing": Prior(None, 0.05, LOOSE),
    "sleep.device_slowing": Prior(None, 0.0, FIXED),
    "blas.host_slowing": Prior(None, 1.0, LOOSE),
    "blas.device_slowing": Prior(None, 0.5, FIXED),
    "blas.starting": Prior(None, 100e-6, 2 * LOOSE),
}
"""Constants in seconds, seconds a byte, or seconds for each second, and what is believed of them before any graph.

Host and device: each timed by itself on two x86 cores with MLX's CPU build; `wait_busy` is a futex wait and the switch
to and fro. `asleep_after`: a Linux guest polls for 200 us before it halts a core (`guest_halt_poll_ns`). BLAS with a
thread on every core stands still for as long as the device has one of them (1.0), and the two share that core in halves
(0.5); `blas.starting` is a worker that was pushed aside and comes back, within a factor of four.
"""

FITTED = tuple(name for name, prior in PRIORS.items() if prior.spread > 0)
RESIDUAL_SCALE = 0.05
"""Log error at which the loss turns from square to linear: 5 %, what medians of twelve rounds are worth."""
BUSY_WEIGHT = 0.15
"""Weight of the host's busy time beside the time a message takes: the model sees less of what fills it."""
EVALUATIONS = 15
"""Most steps of the fit; it settles after about ten."""


@dataclass(frozen=True, slots=True)
class TimelineFit:
    """Constants by the names of `PRIORS`, and the loss that they leave."""

    constants: Mapping[str, float]
    loss: float

    def costs(self, kinds: Sequence[str] = ("blas", "python", "sleep")) -> Costs:
        """Return the constants as costs of the timeline, for these kinds of host work."""
        return timeline_costs(self.constants, kinds)


def fit_timeline(graphs: Sequence[TimedGraph]) -> TimelineFit:
    """Return the constants that explain the timings of `graphs` best under the priors.

    Deterministic. Raises ValueError without any graph.
    """
    if not graphs:
        raise ValueError("a fit needs timings of one graph at least")
    problem = _Problem(graphs)
    solution = least_squares(
        problem.residuals,
        np.zeros(len(FITTED)),
        loss="soft_l1",
        f_scale=RESIDUAL_SCALE,
        diff_step=np.full(len(FITTED), 1e-3),
        ftol=1e-4,
        xtol=1e-4,
        max_nfev=EVALUATIONS,
    )
    return TimelineFit(constants_of(solution.x), float(solution.cost))


def constants_of(moves: Vector) -> dict[str, float]:
    """Return all constants, the fitted ones at exp(`moves`) times their priors."""
    moved = {name: PRIORS[name].ratio * float(np.exp(move)) for name, move in zip(FITTED, moves, strict=True)}
    return {name: moved.get(name, prior.ratio) for name, prior in PRIORS.items()}


class _Problem:
    """Residuals of all placements and priors, as a function of the logarithms of constants over their priors."""

    def __init__(self, graphs: Sequence[TimedGraph]) -> None:
        self._models = [TimelineModel(graph) for graph in graphs]
        self._kinds = sorted({graph.work for graph in graphs})
        self._targets = [_target(graph) for graph in graphs]
        self._spreads = np.array([PRIORS[name].spread for name in FITTED])

    def residuals(self, moves: Vector) -> Vector:
        """Return log errors of periods, then of busy times, for each graph, and last how far constants moved."""
        costs = timeline_costs(constants_of(moves), self._kinds)
        found = []
        for model, target in zip(self._models, self._targets, strict=True):
            predicted = model.predict(costs)
            busy = np.maximum(predicted.busy_s, 1e-9) / model.graph.busy_s
            found += [np.log(predicted.period_s) - target, BUSY_WEIGHT * np.log(busy)]
        return np.concatenate([*found, RESIDUAL_SCALE * moves / self._spreads])


def _target(graph: TimedGraph) -> Vector:
    """Return logarithms of seconds by placement: the level of the median round, apart as placements are in rounds."""
    return np.asarray(graph.relative + np.median(graph.log_seconds.mean(axis=0)))
