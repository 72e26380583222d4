"""Validation of block constants on timings they were not fitted to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.fit.block_data import BlockTable
from placement_cli.fit.block_fit import PointFit, fit_point, refit
from placement_cli.fit.gate import misses_of
from placement_cli.fit.rules import constant_rules
from placement_cli.fit.scoring import Score, half_regrets, score
from placement_cli.profile.validation import Validation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from placement_cli.blocks.formulation import Price
    from placement_cli.fit.observations import Configuration
    from placement_cli.profile.upstream import UpstreamConstants

FOLDS: Mapping[str, Callable[[Configuration], int]] = {
    "samples": lambda entry: entry.samples,
    "channels": lambda entry: entry.channels,
    "block rows": lambda entry: entry.block_rows,
}
"""What whole folds leave out; 0 block rows are the irregular ones together."""

FEWEST = 4
"""Configurations a fold needs to be judged by itself, one of which is forgiven: a single one can be bad luck."""

PARTS = 8
"""Parts that configurations are dealt into for held-out predictions."""


def cross_validate(
    configurations: Sequence[Configuration], upstream: UpstreamConstants, item_bytes: int = 4
) -> Validation:
    """Return how a fit to some of `configurations` does on the others.

    Every configuration is predicted once by a fit that did not see it, thresholds searched again (`PARTS` deals), which
    gives errors, regrets and order; folds that leave out a whole chunk length, channel count or block size, at the
    thresholds of the whole, give `worst_fold`. `upstream` are the constants refitted to all of them, for the rule that
    uses them. Raises ValueError with fewer than `PARTS`.
    """
    if len(configurations) < PARTS:
        raise ValueError(f"held-out validation needs {PARTS} configurations, not {len(configurations)}")
    table = BlockTable(configurations, item_bytes)
    whole = fit_point(table)
    dealt = [number % PARTS for number in range(len(configurations))]
    parts = _held_out(table, dealt, lambda members: fit_point(table, members, whole))
    scores = [entry for part in parts.values() for entry in part]
    fold, worst = _worst_fold(table, whole)
    return _validation(configurations, scores, upstream, fold, worst)


def validate(configurations: Sequence[Configuration], price: Price, upstream: UpstreamConstants) -> Validation:
    """Return how a price that was fitted to other configurations does on these; there are no folds then."""
    return _validation(configurations, [score(entry, price) for entry in configurations], upstream, None, None)


def _held_out(
    table: BlockTable, labels: Sequence[int], fit: Callable[[NDArray[np.bool_]], PointFit]
) -> dict[int, list[Score]]:
    """Return, for each label, the scores of its configurations by a fit to all others."""
    of, found = np.array(labels), {}
    for label in sorted(set(labels)):
        price = fit(of != label).price
        unseen = [entry for entry, own in zip(table.configurations, labels, strict=True) if own == label]
        found[label] = [score(entry, price) for entry in unseen]
    return found


def _worst_fold(table: BlockTable, whole: PointFit) -> tuple[str | None, float | None]:
    folds: dict[str, float] = {}
    for name, key in FOLDS.items():
        labels = [key(entry) for entry in table.configurations]
        if len(set(labels)) > 1:
            scores = _held_out(table, labels, lambda members: refit(table, members, whole))
            folds |= {f"{label} {name}": _forgiving(found) for label, found in scores.items() if len(found) >= FEWEST}
    if not folds:
        return None, None
    worst = max(folds, key=lambda fold: folds[fold])
    return worst, folds[worst]


def _forgiving(scores: Sequence[Score]) -> float:
    return float(np.mean(sorted(entry.regret for entry in scores)[:-1]))


def _validation(
    configurations: Sequence[Configuration],
    scores: Sequence[Score],
    upstream: UpstreamConstants,
    fold: str | None,
    worst: float | None,
) -> Validation:
    errors = np.abs([error for entry in scores for error in entry.errors])
    regrets = np.array([entry.regret for entry in scores])
    pairs = sum(entry.pairs for entry in scores)
    halves = half_regrets(configurations)
    found = Validation(
        error_median=float(np.median(errors)),
        error_p95=float(np.quantile(errors, 0.95)),
        regret_mean=float(regrets.mean()),
        regret_p95=float(np.quantile(regrets, 0.95)),
        regret_max=float(regrets.max()),
        order=sum(entry.ordered for entry in scores) / pairs if pairs else 1.0,
        configurations=len(configurations),
        noise_floor=float(np.mean(halves)) if halves else None,
        noise_floor_reason=None if halves else "the repeats of the timings were not kept",
        worst_fold=worst,
        fold=fold,
        rules=constant_rules(configurations, upstream),
    )
    return replace(found, misses=misses_of(found))
