"""An arm that is slowed on purpose takes the injected share longer."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.measure.readings.stream import take_stream
from placement_cli.measure.slowed import SlowedRig


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_share_is_injected(make_stand: Any, fake_clock: Any, share: float) -> None:
    """Complete grows by the share of the sample's own time; dispatch stays as it is."""
    plain, slowed = (make_stand(fake_clock(tick_s=1e-6)) for _ in range(2))
    for stand in (plain, slowed):
        stand.device.costs_s = {"evaluate": 0.01}
    slowed.rig = SlowedRig(slowed.rig, share, slowed.clock.now)
    fast = take_stream(plain.rig, range(10), plain.instruments)
    slow = take_stream(slowed.rig, range(10), slowed.instruments)
    assert slow.complete_s == pytest.approx(fast.complete_s * (1 + share), abs=1e-5)
    assert slow.dispatch_s == pytest.approx(fast.dispatch_s, abs=1e-5)


def test_a_slowed_rig_is_the_same_arm(stand: Any) -> None:
    """Units, held outputs and device are those of the rig it slows."""
    slowed = SlowedRig(stand.rig, 0.1, stand.clock.now)
    assert (slowed.units, slowed.device, slowed.kept) == (stand.rig.units, stand.rig.device, stand.rig.kept)
    assert slowed.states() == ["state"]
