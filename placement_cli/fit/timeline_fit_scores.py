"""How well the timeline predicts timed graphs and chooses among their placements, beside simple rules and luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from placement_cli.fit.scoring import CLEARLY_APART
from placement_cli.fit.timeline_fit_graphs import TimedGraph, Vector, paired
from placement_cli.fit.timeline_fit_model import Prediction, TimelineModel
from placement_cli.timeline.costs import Costs

TIE = 1e-3
"""Predictions that differ by less are no reason to choose: of such placements the one with the fewest points is."""
SAME = 1e-6
"""Predictions that differ by less differ by rounding alone: they order nothing."""
BYTES_BAND = 0.15
"""Bytes in flight within this share of those measured are right."""


@dataclass(frozen=True, slots=True)
class TimelineScores:
    """Errors as shares (0.05 is 5 %), over all placements of all graphs.

    `order` is the share of pairs, measured more than `CLEARLY_APART` apart, whose order is predicted; ties count half.
    `ratio_p50` and `ratio_p90` are of the absolute log error of placements within their graph, whose median error is
    taken off. Regrets are means of how much longer a choice takes than the fastest placement measured: `regret` of the
    timeline's, `floor` of choosing by one half of the rounds and judging by the other, `rules` of simple rules by name.
    """

    period_p50: float
    period_p95: float
    ratio_p50: float
    ratio_p90: float
    busy_p50: float
    busy_p90: float
    bytes_within: float
    order: float
    pairs: int
    regret: float
    floor: float
    rules: Mapping[str, float]


def timeline_scores(graphs: Sequence[TimedGraph], costs: Costs) -> TimelineScores:
    """Return how the timeline with `costs` does on `graphs`, of which it should not have seen any."""
    predictions = [TimelineModel(graph).predict(costs) for graph in graphs]
    both = list(zip(graphs, predictions, strict=True))
    period = np.concatenate([np.abs(each.period_s / _medians(graph) - 1.0) for graph, each in both])
    ratio = np.concatenate([np.abs(_centred(np.log(each.period_s) - graph.relative)) for graph, each in both])
    busy = np.concatenate([np.abs(each.busy_s / graph.busy_s - 1.0) for graph, each in both])
    within = np.concatenate([np.abs(each.peak_bytes / _peaks(graph) - 1.0) <= BYTES_BAND for graph, each in both])
    ordered = [verdict for graph, each in both for verdict in _ordered(graph, each)]
    return TimelineScores(
        period_p50=float(np.quantile(period, 0.5)),
        period_p95=float(np.quantile(period, 0.95)),
        ratio_p50=float(np.quantile(ratio, 0.5)),
        ratio_p90=float(np.quantile(ratio, 0.9)),
        busy_p50=float(np.quantile(busy, 0.5)),
        busy_p90=float(np.quantile(busy, 0.9)),
        bytes_within=float(within.mean()),
        order=float(np.mean(ordered)),
        pairs=len(ordered),
        regret=float(np.mean([regret_of(graph.relative, chosen(graph, each)) for graph, each in both])),
        floor=noise_floor(graphs),
        rules=rule_regrets(graphs),
    )


def chosen(graph: TimedGraph, predicted: Prediction) -> int:
    """Return the number of the placement with the least predicted time; of ties the one with the fewest points."""
    best = predicted.period_s.min() * (1.0 + TIE)
    ties = [at for at, period in enumerate(predicted.period_s) if period <= best]
    return min(ties, key=lambda at: len(graph.timings[at].modes))


def regret_of(relative: Vector, choice: int) -> float:
    """Return how much longer a choice takes than the fastest, from logarithms of relative times."""
    return float(np.expm1(relative[choice] - relative.min()))


def noise_floor(graphs: Sequence[TimedGraph]) -> float:
    """Return the mean regret of choosing by half of the rounds and judging by the others.

    Halves are the first and the last rounds, and the even and the odd ones, each way round.
    """
    found = []
    for graph in graphs:
        rounds = np.arange(graph.log_seconds.shape[1])
        for first in (rounds < len(rounds) // 2, rounds % 2 == 0):
            halves = [paired(graph.log_seconds[:, which]) for which in (first, ~first)]
            found += [regret_of(judge, int(choose.argmin())) for choose, judge in (halves, halves[::-1])]
    return float(np.mean(found))


def rule_regrets(graphs: Sequence[TimedGraph]) -> dict[str, float]:
    """Return the mean regret of each simple rule, over the graphs where its placement was timed."""
    found: dict[str, list[float]] = {}
    for graph in graphs:
        for name, choice in graph.rules.items():
            found.setdefault(name, []).append(regret_of(graph.relative, choice))
    return {name: float(np.mean(regrets)) for name, regrets in found.items()}


def _ordered(graph: TimedGraph, predicted: Prediction) -> list[float]:
    """Return for each pair that is clearly apart 1 when its order is predicted, 0 when not, one half for a tie."""
    logs, found = np.log(predicted.period_s), []
    for one, two in combinations(range(len(logs)), 2):
        measured, expected = graph.relative[one] - graph.relative[two], logs[one] - logs[two]
        if abs(measured) > np.log1p(CLEARLY_APART):
            found.append(0.5 if abs(expected) < SAME else float((measured < 0) == (expected < 0)))
    return found


def _medians(graph: TimedGraph) -> Vector:
    return np.asarray(np.exp(np.median(graph.log_seconds, axis=1)))


def _peaks(graph: TimedGraph) -> Vector:
    return np.median([timing.peak_bytes for timing in graph.timings], axis=1)


def _centred(logs: Vector) -> Vector:
    return np.asarray(logs - np.median(logs))
