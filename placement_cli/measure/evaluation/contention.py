"""`contention`: how much work on the host and work on the device slow each other down, by kind of host work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from placement_cli.device.clock import Clock
from placement_cli.measure.evaluation.device_work import Make, make_product
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, take_rounds
from placement_cli.operators.host import WORK, calibrate

CONTENTION = "contention"
HOST_S = 2.5e-3
"""How long the host works when the device does not."""
DEVICE_S = 5e-3
"""How long the device works: as long as the host, even when the host's work takes twice its time."""

Works = Mapping[str, Callable[[], None]]
Take = Callable[[], dict[str, float]]


def calibrated_works(clock: Clock) -> Works:
    """Return every kind of host work, in an amount that takes `HOST_S` on an undisturbed machine."""
    return {kind: partial(make(), calibrate(kind, HOST_S, clock.now)) for kind, make in WORK.items()}


def measure_contention(site: Site, works: Works | None = None) -> list[Observation]:
    """Time each kind of host work and a product on the device, each alone and both at once.

    Seconds, by `kind`. The readings `host_alone`, `device_alone`, `host_both` and `device_both` are taken one right
    after another, in an order drawn each time, so that a machine that changes its speed changes all of them. Those of
    the device last from the end of submission until the host knows.
    """
    product = make_product(site.device, site.clock, DEVICE_S)
    kinds = works if works is not None else calibrated_works(site.clock)
    return take_rounds(CONTENTION, [Trial({"kind": kind}, _taking(site, kinds[kind], product)) for kind in kinds], site)


def _taking(site: Site, work: Callable[[], None], product: Make) -> Take:
    parts = [_host_alone(site, work), _device_alone(site, product), _both(site, work, product)]

    def take() -> dict[str, float]:
        readings: dict[str, float] = {}
        for part in site.rng.sample(parts, len(parts)):
            readings |= part()
        return readings

    return take


def _host_alone(site: Site, work: Callable[[], None]) -> Take:
    def take() -> dict[str, float]:
        began = site.clock.now()
        work()
        return {"host_alone": site.clock.now() - began}

    return take


def _device_alone(site: Site, product: Make) -> Take:
    device, now = site.device, site.clock.now

    def take() -> dict[str, float]:
        array = product()
        device.submit(array)
        began = now()
        device.evaluate(array)
        return {"device_alone": now() - began}

    return take


def _both(site: Site, work: Callable[[], None], product: Make) -> Take:
    device, now = site.device, site.clock.now

    def take() -> dict[str, float]:
        array = product()
        device.submit(array)
        began = now()
        work()
        worked = now()
        device.evaluate(array)
        return {"host_both": worked - began, "device_both": now() - began}

    return take
