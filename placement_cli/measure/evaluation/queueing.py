"""`queue`: how many submissions fit behind work that holds the device before the host has to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.measure.evaluation.device_work import Make, make_product, tiny_chain
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, take_rounds
from placement_cli.statistics.knee import knee

QUEUE = "queue"
CHAINS = (1, 2, 3, 5)
"""Ops of one submission: few, for counts of calls are coarse where calls are large. Whether ops fill the queue, or
submissions, shows in how the counts differ between these."""
HOLD_S = 0.05
"""How long the device is held: ten times as long as hiccups of the system, and as submitting takes."""
MOST_CALLS = 256
"""Submissions behind a hold when none of them has to wait: four times what a Metal queue is documented to hold."""


def measure_queue(site: Site) -> list[Observation]:
    """Count submissions of tiny chains until one blocks; readings in calls, by `ops`.

    `blocked` is the number of the first call that blocked, 0 when none did; `made` is how many were made.
    """
    hold = make_product(site.device, site.clock, HOLD_S)
    return take_rounds(QUEUE, [Trial({"ops": ops}, _filling(site, hold, ops)) for ops in CHAINS], site, "calls")


def _filling(site: Site, hold: Make, ops: int) -> Callable[[], dict[str, float]]:
    device, now, make = site.device, site.clock.now, tiny_chain(ops)

    def take() -> dict[str, float]:
        arrays: list[Any] = [make() for _ in range(MOST_CALLS)]
        held, calls = hold(), []
        device.synchronize()
        began = now()
        device.submit(held)
        for array in arrays:
            before = now()
            device.submit(array)
            calls.append(now() - before)
            if calls[-1] > HOLD_S / 4:
                break
        device.evaluate(held, *arrays[: len(calls)])
        held_s = now() - began
        return {"blocked": float(_first_blocked(calls, held_s)), "made": float(len(calls))}

    return take


def _first_blocked(calls: list[float], held_s: float) -> int:
    return (knee(calls, held_s) or 0) if held_s > 0 else 0
