"""Bursts: the times are sums over bursts, and what lies between them is not counted."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.measure.readings.burst import take_bursts


def test_times_are_sums_over_bursts(stand: Any) -> None:
    """Seven messages in bursts of three are fed as 3, 3 and 1, and each burst is waited for."""
    stand.device.costs_s = {"evaluate": 0.01}
    sample = take_bursts(stand.rig, list(range(7)), 3, True, stand.instruments)
    assert [entry for entry in stand.log if entry.startswith("feed")] == ["feed 3", "feed 3", "feed 1"]
    assert sample.messages == 7
    assert sample.dispatch_s == pytest.approx(0.007)
    assert sample.complete_s == pytest.approx(0.037)


def test_what_lies_between_bursts_costs_nothing(stand: Any) -> None:
    """The fence between two bursts stands outside the clock."""
    stand.device.costs_s = {"synchronize": 1.0}
    sample = take_bursts(stand.rig, list(range(4)), 2, False, stand.instruments)
    assert sample.complete_s == pytest.approx(0.004)


def test_every_burst_begins_with_an_idle_device(stand: Any) -> None:
    """Between two bursts there is one fence and no second one, after which the device would sleep longer."""
    take_bursts(stand.rig, list(range(4)), 2, True, stand.instruments)
    feeds = [place for place, entry in enumerate(stand.log) if entry.startswith("feed")]
    assert all("synchronize" in stand.log[:place] for place in feeds)
    between = stand.log[feeds[0] + 1 : feeds[1]]
    assert between == ["now", "evaluate", "synchronize", "now", "now"]


def test_an_arm_that_evaluates_nothing_is_not_waited_for(stand: Any) -> None:
    """Its graph is dropped: complete equals dispatch, and no output is ever computed."""
    sample = take_bursts(stand.rig, list(range(4)), 2, False, stand.instruments)
    assert sample.complete_s == sample.dispatch_s == pytest.approx(0.004)
    assert {array for arrays in stand.device.named("evaluate") for array in arrays} == {"state"}


def test_states_do_not_grow_from_burst_to_burst(stand: Any) -> None:
    """The carried states of an arm that evaluates nothing are evaluated after each burst, outside the clock."""
    stand.device.costs_s = {"evaluate": 1.0}
    sample = take_bursts(stand.rig, list(range(6)), 2, False, stand.instruments)
    assert stand.device.named("evaluate") == [("state",)] * 3
    assert sample.complete_s == pytest.approx(0.006)
