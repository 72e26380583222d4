"""Timing products to fit costs to, in fake time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.candidates import dense_plan, finest_plan
from placement_cli.blocks.drawing import Ranges, draw
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Kind
from placement_cli.fit import calibration as module
from placement_cli.fit.calibration import (
    DRAWINGS,
    FULL,
    MASKED_EVERY,
    MOST_PLANS,
    Calibration,
    Effort,
    fewer,
    ranges_for,
)
from placement_cli.fit.observations import Configuration
from placement_cli.fit.target import Target
from placement_cli.measure.products.case import ProductCase
from placement_cli.profile.defaults import default_price

SMALL = Ranges(channels=(64, 96), samples=(1, 50), block=(4, 12))
SEED = 1000


@dataclass
class FakeTimer:
    """A timer whose loads take `load_s`; a plan takes a microsecond a call of its formulation.

    What is first timed of the products in `noisy` (by number) differs between even and odd rounds by that factor;
    plans named in `cannot` do not run.
    """

    load_s: float = 1.0
    noisy: dict[int, float] = field(default_factory=dict)
    cannot: tuple[str, ...] = ()
    time_s: float = 0.0
    loaded: list[int] = field(default_factory=list)
    case: ProductCase | None = None

    def now(self) -> float:
        """Return the time."""
        return self.time_s

    def load(self, case: ProductCase) -> list[float | None]:
        """Take the time of a load."""
        self.time_s += self.load_s
        self.case = case
        self.loaded.append(case.seed - SEED)
        return [None if name in self.cannot else 1e-3 for name in case.names]

    def rounds(self, plans: Any, rounds: int) -> Any:
        """Return the seconds of the plans in every round."""
        assert self.case is not None
        table = np.array([[1e-6 * self.case.plans[at].formulation.calls for at in plans]] * rounds)
        if self.loaded.count(self.loaded[-1]) == 1:
            table[1::2, 0] *= self.noisy.get(self.loaded[-1], 1.0)
        return table


@dataclass
class Kept:
    """What a calibration keeps and tells, and what stops it."""

    numbers: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    stop_after: int = 10_000

    def keep(self, number: int, configuration: Configuration) -> None:
        """Write the number down."""
        self.numbers.append(number)

    def tell(self, share: float, told: str) -> None:
        """Write the share down."""
        assert told
        self.shares.append(share)

    def stopped(self) -> bool:
        """Tell whether so many were kept."""
        return len(self.numbers) >= self.stop_after


def run(
    timer: FakeTimer,
    kept: Kept | None = None,
    effort: Effort | None = None,
    done: dict[int, Configuration] | None = None,
    backend: str = "numpy",
) -> dict[int, Configuration]:
    """Calibrate on small products, on all of them unless `effort` says otherwise."""
    around = kept or Kept()
    calibration = Calibration(
        timer,
        Target(backend, 1),
        default_price(backend).price,
        SEED,
        effort or Effort(1e6, 1),
        timer.now,
        around.keep,
        around.tell,
        around.stopped,
    )
    return calibration.run(SMALL, done or {})


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight products are all there are, so that time is left."""
    monkeypatch.setattr(module, "DRAWINGS", 8)


def test_a_fewest_number_is_timed_however_long_it_takes() -> None:
    """A slow machine gets as many as a fit needs."""
    assert set(run(FakeTimer(load_s=100.0), effort=Effort(10.0, 5))) == set(range(5))


def test_time_decides_how_many_more() -> None:
    """The last one begins before the time is up, and all are those of the drawing, in its order."""
    kept = Kept()
    found = run(FakeTimer(load_s=1.0), kept, Effort(10.0, 5))
    assert kept.numbers == list(found) == list(range(11))
    drawn = draw(DRAWINGS, SEED, SMALL)
    assert [entry.samples for entry in found.values()] == [each.samples for each in drawn[:11]]
    assert kept.shares == sorted(kept.shares)
    assert 0 <= kept.shares[0] <= kept.shares[-1] <= 1


def test_it_stops_when_asked() -> None:
    """What was timed until then is returned, and was kept."""
    kept = Kept(stop_after=3)
    assert set(run(FakeTimer(), kept)) == {0, 1, 2} == set(kept.numbers)


def test_it_goes_on_without_repeating(few: None) -> None:
    """Stopped and resumed it comes to the same as in one go, and times nothing twice."""
    first = run(FakeTimer(), Kept(stop_after=3))
    timer = FakeTimer()
    resumed = run(timer, done=first)
    assert timer.loaded == [3, 4, 5, 6, 7]
    assert resumed == run(FakeTimer())
    assert set(first) == {0, 1, 2}


def test_what_is_done_counts_for_the_fewest() -> None:
    """A run that was nearly through when it was stopped is not begun anew."""
    done = run(FakeTimer(), Kept(stop_after=4))
    timer = FakeTimer(load_s=100.0)
    run(timer, effort=Effort(10.0, 5), done=done)
    assert timer.loaded == [4]


def test_products_whose_halves_disagree_are_timed_again(few: None) -> None:
    """The worst first, each once, with all its rounds counted; small differences are let be."""
    timer, kept = FakeTimer(noisy={2: 1.5, 5: 4.0, 6: 1.01}), Kept()
    found = run(timer, kept)
    assert timer.loaded[8:] == kept.numbers[8:] == [5, 2]
    once, again = run(FakeTimer(noisy={5: 4.0}), Kept(stop_after=8))[5], found[5]
    assert halves_apart(again) < halves_apart(once)
    assert again.samples == once.samples


def halves_apart(configuration: Configuration) -> float:
    """Return the largest difference between halves, as a log ratio."""
    return max(abs(np.log(each.halves[0] / each.halves[1])) for each in configuration.timings if each.halves)


@pytest.mark.parametrize("kept", [Kept(stop_after=8), Kept(stop_after=9)])
def test_repeating_ends_when_it_is_stopped(few: None, kept: Kept) -> None:
    """Nothing begins after it was asked to stop."""
    timer = FakeTimer(noisy={2: 4.0, 5: 4.0})
    run(timer, kept)
    assert len(timer.loaded) == kept.stop_after


def test_repeating_ends_when_the_time_is_up(few: None) -> None:
    """Noise is no reason to take longer."""
    timer = FakeTimer(load_s=1.0, noisy=dict.fromkeys(range(8), 4.0))
    run(timer, effort=Effort(8.5, 8))
    assert len(timer.loaded) == 9


def test_a_plan_that_ran_only_once_is_not_mixed(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another number of plans runs the second time, the first timing stays."""
    timer, kept = FakeTimer(noisy={2: 4.0}), Kept()
    plain = timer.load

    def load(case: ProductCase) -> list[float | None]:
        first = plain(case)
        return first if len(timer.loaded) <= 8 else [None, *first[1:]]

    monkeypatch.setattr(timer, "load", load)
    run(timer, kept)
    assert timer.loaded[8:] == [2]
    assert kept.numbers == list(range(8))


def test_a_plan_that_cannot_run_has_no_timing(few: None) -> None:
    """The others have, by names of their own, each with its halves."""
    found = run(FakeTimer(cannot=("dense",)))
    for entry in found.values():
        names = [timing.name for timing in entry.timings]
        assert "dense" not in names
        assert len(set(names)) == len(names) <= MOST_PLANS
        assert all(timing.halves for timing in entry.timings)


def test_some_products_on_mlx_are_timed_masked_too(few: None) -> None:
    """It takes as long as the dense product there, so not all of them."""
    timer = FakeTimer()
    masked = [
        number
        for number, entry in run(timer, backend="mlx-cpu").items()
        if any(part.kind is Kind.MASKED_MM for timing in entry.timings for part in timing.formulation.parts)
    ]
    assert masked
    assert all(number % MASKED_EVERY == 0 for number in masked)


def test_fewer_plans_keep_one_of_each_kind() -> None:
    """The first of every kind, then others in their order, which stays."""
    structure = find_structure(np.kron(np.eye(4, dtype=np.float32), np.arange(1.0, 5).reshape(2, 2)))
    dense, loop = dense_plan(structure), finest_plan(structure)
    plans = [noted(loop, "a"), noted(loop, "b"), noted(loop, "c"), dense]
    assert fewer(plans, 2) == (plans[0], dense)
    assert fewer(plans, 3) == (plans[0], plans[1], dense)
    assert fewer(plans, 4) == fewer(plans, 9) == tuple(plans)


def noted(plan: Any, note: str) -> Any:
    """Return another plan of the same kind."""
    return replace(plan, notes=(note,))


def test_a_slow_machine_is_given_smaller_products() -> None:
    """The bound is what it multiplies in the longest time a call may take; the rest of the ranges stays."""
    found = ranges_for(1e9, FULL, SMALL)
    assert found.most_macs == pytest.approx(1e9 * FULL.longest_call_s)
    assert (found.channels, found.samples, found.block) == (SMALL.channels, SMALL.samples, SMALL.block)
    assert ranges_for(1e9, FULL).channels == Ranges().channels
