"""`idle`: whether the device works more slowly after it had nothing to do for a while."""

from __future__ import annotations

from collections.abc import Callable

from placement_cli.measure.evaluation.device_work import Make, make_product, tiny_chain
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, take_rounds

IDLE = "idle"
IDLE_MS = (0.0, 1.0, 10.0, 50.0)
"""How long the device idles before the work; 0: it did the same work just before."""
WORK_S = 3e-3
"""How long the work takes: clocks ramp up within milliseconds."""


def measure_idling(site: Site) -> list[Observation]:
    """Time a product on the device, and a tiny op, after the device idled for a while; seconds, by `idle_ms`.

    Both readings, `product` and `tiny`, last from submission until the host knows; without waking up and submitting,
    which dominate the tiny op, the product takes their difference.
    """
    product, tiny = make_product(site.device, site.clock, WORK_S), tiny_chain(1)
    return take_rounds(IDLE, [Trial({"idle_ms": ms}, _rested(site, product, tiny, ms * 1e-3)) for ms in IDLE_MS], site)


def _rested(site: Site, product: Make, tiny: Make, idle_s: float) -> Callable[[], dict[str, float]]:
    device, now = site.device, site.clock.now

    def timed(make: Make) -> float:
        array = make()
        device.evaluate(product())
        site.clock.sleep(idle_s)
        began = now()
        device.submit(array)
        device.evaluate(array)
        return now() - began

    def take() -> dict[str, float]:
        readings = {"product": product, "tiny": tiny}
        return {reading: timed(readings[reading]) for reading in site.rng.sample(sorted(readings), len(readings))}

    return take
