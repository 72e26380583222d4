"""Cases take turns, as often as time allows."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.measure.evaluation.rounds import (
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    SAMPLE_S,
    Site,
    Trial,
    repeats_within,
    take_rounds,
)

MakeSite = Callable[..., Site]


def lasting(site: Site, name: str, seconds: float, log: list[str], every: int = 1) -> Trial:
    """Return a trial that takes `seconds` and writes down that it was taken."""

    def take() -> dict[str, float]:
        log.append(name)
        site.clock.sleep(seconds)
        return {"first": float(len(log)), "second": seconds}

    return Trial({"name": name}, take, every)


def test_every_case_is_taken_once_a_round_in_changing_order(make_site: MakeSite) -> None:
    """Rounds are complete, and not all in the same order."""
    site, log = make_site(budget_s=4.0), []
    take_rounds("x", [lasting(site, name, 0.1, log) for name in "abcd"], site)
    rounds = [tuple(log[at : at + 4]) for at in range(0, len(log), 4)]
    assert len(rounds) == 10
    assert all(set(taken) == set("abcd") for taken in rounds)
    assert len(set(rounds)) > 3


def test_values_are_in_the_order_of_the_rounds(make_site: MakeSite) -> None:
    """There is one observation a case and reading, with one value a round."""
    site, log = make_site(budget_s=2.0), []
    found = take_rounds("x", [lasting(site, name, 0.1, log) for name in "ab"], site, "calls")
    assert [entry.case["reading"] for entry in found] == ["first", "second"] * 2
    assert [list(entry.values) == sorted(entry.values) for entry in found] == [True] * 4
    assert {len(entry.values) for entry in found} == {9}
    assert {(entry.experiment, entry.unit, entry.process) for entry in found} == {("x", "calls", 0)}


@pytest.mark.parametrize(("seconds", "rounds"), [(10.0, FEWEST_ROUNDS), (0.25, 39), (0.0, MOST_ROUNDS)])
def test_the_budget_gives_the_rounds(make_site: MakeSite, seconds: float, rounds: int) -> None:
    """A slow case is taken a few times all the same, one that takes no time is not taken for ever."""
    site = make_site(budget_s=10.0)
    (found, _) = take_rounds("x", [lasting(site, "a", seconds, [])], site)
    assert len(found.values) == rounds


def test_a_rare_case_leaves_time_to_the_others(make_site: MakeSite) -> None:
    """A case for every third round is in every third round, and counts only that much when rounds are numbered."""
    site, log = make_site(budget_s=13.0), []
    take_rounds("x", [lasting(site, "a", 0.1, log), lasting(site, "b", 2.7, log, every=3)], site)
    assert log.count("a") - 1 == 10
    assert log.count("b") - 1 == 4


def test_the_collector_rests_meanwhile(make_site: MakeSite) -> None:
    """Garbage collection is off while cases are taken, and on afterwards, also when one fails."""
    seen: list[bool] = []

    def take() -> dict[str, float]:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        take_rounds("x", [Trial({}, take)], make_site())
    assert seen == [False]
    assert gc.isenabled()


@pytest.mark.parametrize(("seconds", "repeats"), [(SAMPLE_S / 7.5, 8), (2 * SAMPLE_S, 1), (0.0, 99), (1e-9, 99)])
def test_short_work_is_repeated(make_site: MakeSite, seconds: float, repeats: int) -> None:
    """A sample is long enough for the clock, and bounded where the clock sees nothing."""
    site: Any = make_site()
    assert repeats_within(site, lambda: site.clock.sleep(seconds), 99) == repeats
