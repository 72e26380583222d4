"""`submit`: what handing a graph to a busy device costs the host, and what it costs to wake an idle one.

A device that has something to do is told of more by a note in its queue. One that waits must be woken, which can
cost the one who wakes it more than all else; the longer it has waited, the more. So submissions are timed behind work
that holds the device, and after it has had nothing to do for a known while.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.measure.evaluation.device_work import Make, make_product, tiny_chain
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, take_rounds

SUBMIT, WAKE = "submit", "wake"
CHAINS = (1, 2, 4, 8, 16, 32)
"""Ops of one submission."""
HOLD_S = 2e-3
"""How long the device is held: much longer than a burst of submissions takes."""
MOST_CALLS = 32
"""Submissions in one burst, where half the device's queue holds as many."""
IDLE_MS = (0.0, 1.0, 10.0)
"""How long the device had nothing to do before it is woken. 0: it has just run dry, as in a stream that waits for
every message. On a virtual machine waking it cost 20 us at 0 ms, 45 at 1 ms and 120 at 10 ms, and no more at 50 ms."""

Take = Callable[[], dict[str, float]]


def measure_submitting(site: Site) -> list[Observation]:
    """Time submissions to a device that is busy; seconds a submission, by `ops`."""
    hold = make_product(site.device, site.clock, HOLD_S)
    return take_rounds(SUBMIT, [Trial({"ops": ops}, _burst(site, hold, ops)) for ops in CHAINS], site)


def measure_waking(site: Site) -> list[Observation]:
    """Time one tiny op to a busy device and to one that was idle; readings `submit` and `wait`, by `idle_ms`.

    `wait` is how long the host waits for the value after submitting returned. A busy device has `idle_ms` -1, and no
    `wait`.
    """
    hold = make_product(site.device, site.clock, HOLD_S)
    idle = [Trial({"idle_ms": idle_ms}, _woken(site, idle_ms * 1e-3)) for idle_ms in IDLE_MS]
    return take_rounds(WAKE, [Trial({"idle_ms": -1.0}, _burst(site, hold, 1)), *idle], site)


def _burst(site: Site, hold: Make, ops: int) -> Take:
    device, now = site.device, site.clock.now
    make, calls = tiny_chain(ops), max(1, min(MOST_CALLS, device.queue_depth_messages(ops) // 2))

    def take() -> dict[str, float]:
        arrays: list[Any] = [make() for _ in range(calls)]
        held, submit = hold(), device.submit
        device.synchronize()
        submit(held)
        began = now()
        for array in arrays:
            submit(array)
        taken_s = now() - began
        device.evaluate(held, *arrays)
        return {SUBMIT: taken_s / calls}

    return take


def _woken(site: Site, idle_s: float) -> Take:
    device, clock = site.device, site.clock
    make = tiny_chain(1)

    def take() -> dict[str, float]:
        array = make()
        device.evaluate(make())
        clock.sleep(idle_s)
        began = clock.now()
        device.submit(array)
        submitted = clock.now()
        device.evaluate(array)
        return {SUBMIT: submitted - began, "wait": clock.now() - submitted}

    return take
