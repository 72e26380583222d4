"""`build`: what adding ops to the lazy graph costs the host, with nothing evaluated."""

from __future__ import annotations

from collections.abc import Callable

from placement_cli.measure.evaluation.device_work import Make, tiny_chain
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, repeats_within, take_rounds

BUILD = "build"
CHAINS = (1, 2, 4, 8, 16, 32, 64)
"""Ops of one chain."""
MOST_CHAINS = 256
"""Chains built in one sample at most: their graphs are kept until the clock has stopped."""


def measure_building(site: Site) -> list[Observation]:
    """Time building chains of several lengths; seconds a chain, by `ops`."""
    return take_rounds(BUILD, [Trial({"ops": ops}, _building(site, tiny_chain(ops))) for ops in CHAINS], site)


def _building(site: Site, make: Make) -> Callable[[], dict[str, float]]:
    now, count = site.clock.now, repeats_within(site, make, MOST_CHAINS)

    def take() -> dict[str, float]:
        began = now()
        kept = [make() for _ in range(count)]
        taken_s = now() - began
        kept.clear()
        return {BUILD: taken_s / count}

    return take
