"""Rules that need no fit, the bar a fit must clear to be worth anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from placement_cli.fit.scoring import regret_of
from placement_cli.fit.upstream_fit import upstream_computes
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED, UpstreamConstants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from placement_cli.fit.observations import Configuration, Timing


def constant_rules(configurations: Sequence[Configuration], upstream: UpstreamConstants) -> dict[str, float]:
    """Return the mean regret of rules that need no fit, and of upstream's model with its own and `upstream` constants.

    Rules can only choose what was measured: `finest-blocks` takes the loop over the finest blocks.
    """
    shipped = APPLE_DISPATCHED if upstream.dispatched else APPLE
    rules: dict[str, Callable[[Configuration], Timing]] = {
        "always-dense": _most_weights,
        "finest-blocks": _fewest_weights,
        "upstream-shipped": lambda entry: _by_upstream(entry, shipped),
        "upstream-refitted": lambda entry: _by_upstream(entry, upstream),
    }
    return {
        name: float(np.mean([regret_of(rule(entry), entry.candidates) for entry in configurations]))
        for name, rule in rules.items()
    }


def _most_weights(configuration: Configuration) -> Timing:
    return max(configuration.candidates, key=lambda timing: timing.formulation.macs)


def _fewest_weights(configuration: Configuration) -> Timing:
    return min(
        _upstream_candidates(configuration),
        key=lambda timing: (timing.formulation.macs, timing.formulation.gathers),
    )


def _by_upstream(configuration: Configuration, constants: UpstreamConstants) -> Timing:
    return min(
        _upstream_candidates(configuration),
        key=lambda timing: constants(timing.formulation, configuration.samples),
    )


def _upstream_candidates(configuration: Configuration) -> Sequence[Timing]:
    found = [timing for timing in configuration.candidates if upstream_computes(timing)]
    return found or configuration.candidates
