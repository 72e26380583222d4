"""The process that executes a probe: opens the device, makes the rig, and answers what was observed.

How it is spoken to is in `placement_cli.measure.serving`. Making the work is a command of its own, so that the time
limit of a probe is the probe's alone.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

from placement_cli.device.builds import installed_builds
from placement_cli.device.clock import Clock
from placement_cli.device.environment import collect_environment
from placement_cli.device.mlx_device import MlxDevice
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.measure.serving import Heavy, serve_device

WORK_S = 0.12
"""How long the work takes: a wait for it stands out of the noise of a busy machine, and of the coarsest timers."""
SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Rows of the square matrices that are tried, from what a slow CPU needs to what a server's GPU does."""
PRODUCTS_AT_MOST = 18
"""Products in the chain: with the mean behind them fewer operations than make `async_eval` wait on any backend."""
TRIALS = 2
"""How often a product and the finished work are timed; the shortest time counts, as the others were disturbed."""

Find = Callable[[str], Probe]
"""Finds a probe by its id."""


class Prober:
    """What a process does between the first command and the last: `hello`, `work`, `probe`."""

    def __init__(self, device: MlxDevice, clock: Clock, find: Find | None = None) -> None:
        self._device, self._clock = device, clock
        self._find = find or _find
        self._rig: Rig | None = None

    def answer(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one command and return the reply."""
        verbs = {"hello": self._hello, "work": self._work, "probe": self._probe}
        return verbs[command["do"]](command)

    def _hello(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Say what is installed here, and on what."""
        stable = collect_environment(self._device).stable
        system = (stable["os"], stable["os_version"], stable["architecture"])
        return {
            "mlx": str(stable["mlx"]),
            "backend": self._device.backend,
            "device": self._device.name,
            "variables": stable["vars"],
            "python": stable["python"],
            "platform": " ".join(str(part) for part in system if part),
            "distributions": {build.name: build.version for build in installed_builds()},
        }

    def _work(self, _: Mapping[str, Any]) -> dict[str, Any]:
        self._rig = make_rig(self._device, self._clock.now)
        return {"work_s": self._rig.work_s, "links": self._rig.links}

    def _probe(self, command: Mapping[str, Any]) -> dict[str, Any]:
        assert self._rig is not None, "work comes before probe"
        probe = self._find(command["id"])
        began = self._clock.now()
        observed = probe.run(self._rig)
        return {"took_s": self._clock.now() - began, **_plain(observed)}


def make_rig(device: MlxDevice, now: Callable[[], float]) -> Rig:
    """Return a rig on `device` whose work takes about WORK_S; finding it takes some five times as long.

    Products of growing size are timed until few enough of them do, after one each that is not: it may load a kernel.
    """
    size, products = SIZES[0], PRODUCTS_AT_MOST
    for size in SIZES:
        make = _chain(device, size, 1)
        device.evaluate(make())
        one_s = min(_seconds(device, make, now) for _ in range(TRIALS))
        products = min(PRODUCTS_AT_MOST, max(1, round(WORK_S / max(one_s, 1e-9))))
        if one_s * PRODUCTS_AT_MOST >= WORK_S:
            break
    work = _chain(device, size, products)
    work_s = min(_seconds(device, work, now) for _ in range(TRIALS))
    return Rig(device.core, device.backend, now, work, work_s, device.pending_ops(work()))


def _seconds(device: MlxDevice, make: Callable[[], Any], now: Callable[[], float]) -> float:
    start = now()
    device.evaluate(make())
    return now() - start


def _chain(device: MlxDevice, size: int, products: int) -> Callable[[], Any]:
    """Return what makes one lazy element of value 1 behind so many products of `size` x `size` matrices."""
    core = device.core
    ones, averaging = core.ones((size, size)), core.full((size, size), 1.0 / size)
    device.evaluate(ones, averaging)

    def make() -> Any:
        product = ones
        for _ in range(products):
            product = product @ averaging
        return product.mean()

    return make


def _find(probe_id: str) -> Probe:
    from placement_cli.diagnose.probes.catalog import find_probe

    return find_probe(probe_id)


def _plain(observed: Observed) -> dict[str, Any]:
    """Return what was observed as JSON has it; a number that is not finite is not known."""
    numbers = {key: _finite(value) for key, value in observed.numbers.items()}
    return {
        "held": observed.held,
        "says": observed.says,
        "numbers": numbers,
        "differs": observed.differs,
        "not_run": observed.not_run,
    }


def _finite(value: float | str | None) -> float | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _session(device: Any, clock: Clock, _: Heavy) -> Prober:
    return Prober(device, clock)


if __name__ == "__main__":
    serve_device(_session, sys.argv[1:])
