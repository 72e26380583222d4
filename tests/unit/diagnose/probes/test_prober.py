"""The process of a probe: its work is long enough and of few operations, and what it answers is plain JSON."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.prober import PRODUCTS_AT_MOST, TRIALS, WORK_S, Prober, make_rig
from placement_cli.diagnose.probes.rig import Rig


class FakeArray:
    """A lazy matrix that knows what computing it costs."""

    def __init__(self, size: int, products: int = 0) -> None:
        self.size, self.products = size, products

    def __matmul__(self, other: FakeArray) -> FakeArray:
        return FakeArray(self.size, self.products + 1)

    def mean(self) -> FakeArray:
        """One more operation, which costs nothing."""
        return self


class FakeDevice:
    """A device that multiplies two matrices at a fixed rate, and has a clock that goes with it."""

    name, backend = "cpu", "cpu"

    def __init__(self, flops: float) -> None:
        self.flops, self.now_s = flops, 0.0
        self.core = SimpleNamespace(
            ones=lambda shape: FakeArray(shape[0]), full=lambda shape, _: FakeArray(shape[0]), synchronize=lambda: None
        )

    def now(self) -> float:
        """The clock."""
        return self.now_s

    def evaluate(self, *arrays: FakeArray) -> None:
        """Compute, at once."""
        self.now_s += sum(array.products * 2.0 * array.size**3 / self.flops for array in arrays)

    def pending_ops(self, array: FakeArray) -> int:
        """The products and the mean."""
        return array.products + 1


@pytest.mark.parametrize("flops", [1e9, 2e9, 1e10, 1e11, 1e12, 1e13])
def test_the_work_takes_its_time_in_few_operations(flops: float) -> None:
    """From a slow CPU to a fast GPU: within half and twice of what is wanted."""
    device: Any = FakeDevice(flops)
    rig = make_rig(device, device.now)
    assert WORK_S / 2 <= rig.work_s <= 2 * WORK_S
    assert rig.links <= PRODUCTS_AT_MOST + 1
    sized_s = device.now_s
    device.evaluate(rig.work())
    assert device.now_s - sized_s == pytest.approx(rig.work_s)
    assert sized_s <= (TRIALS + 3) * rig.work_s


def test_a_device_too_fast_for_the_clock_gets_the_largest_work_there_is() -> None:
    """Its work is short, and no probe is told otherwise."""
    device: Any = FakeDevice(math.inf)
    rig = make_rig(device, device.now)
    assert (rig.work_s, rig.links) == (0.0, PRODUCTS_AT_MOST + 1)


def answered(observed: Observed) -> dict[str, Any]:
    """What a prober answers for a probe that observes this."""
    device: Any = FakeDevice(1e10)
    given: list[Rig] = []

    def run(rig: Rig) -> Observed:
        given.append(rig)
        device.now_s += 1.5
        return observed

    clock: Any = SimpleNamespace(now=device.now)
    prober = Prober(device, clock, lambda probe_id: Probe(probe_id, "It holds.", run, ("timing",)))
    ready = prober.answer({"do": "work"})
    reply = prober.answer({"do": "probe", "id": "timing.x"})
    assert (given[0].work_s, given[0].links) == (ready["work_s"], ready["links"])
    return reply


def test_what_was_observed_is_answered_with_its_time() -> None:
    """The time is that of the probe alone."""
    reply = answered(Observed(True, "It took 3 s.", {"took_s": 3.0, "error": None, "kind": "x"}, differs="Before 1 s."))
    assert reply == {
        "took_s": 1.5,
        "held": True,
        "says": "It took 3 s.",
        "numbers": {"took_s": 3.0, "error": None, "kind": "x"},
        "differs": "Before 1 s.",
        "not_run": None,
    }


def test_a_number_that_is_none_is_not_known() -> None:
    """JSON has no NaN and no infinity."""
    reply = answered(Observed(False, "x", {"ratio": math.inf, "share": math.nan, "count": 3}))
    assert reply["numbers"] == {"ratio": None, "share": None, "count": 3}
    json.dumps(reply, allow_nan=False)
