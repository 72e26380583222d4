"""The rule for two stored runs: what is claimed, and which clause keeps it from being claimed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.stored import compare_stored, unmatched
from placement_cli.statistics.verdict import VerdictKind

MakeRun = Callable[..., Recorded]
MakeSeries = Callable[..., Series]


@pytest.mark.parametrize(
    ("scale", "verdict"), [(1.2, "slower"), (0.8, "faster"), (1.01, "same"), (1.045, "inconclusive")]
)
def test_changes_are_claimed_beyond_the_floor(
    make_run: MakeRun, make_series: MakeSeries, scale: float, verdict: str
) -> None:
    """Six values that hardly spread are enough for what is larger than 5 %."""
    (row,) = compare_stored(make_run("a", make_series()), make_run("b", make_series(scale=scale)))
    assert row.verdict == verdict
    assert row.ratio == pytest.approx(scale)
    assert row.interval is not None
    assert row.interval.low < scale < row.interval.high
    assert row.new_median == pytest.approx(scale * row.base_median)


def test_series_are_matched_by_case_arm_and_metric(make_run: MakeRun, make_series: MakeSeries) -> None:
    """In the order of the base; what has no partner is told."""
    base = make_run("a", make_series("x"), make_series("y"), make_series("z", "sync"))
    new = make_run("b", make_series("z", "async"), make_series("y"), make_series("x"))
    assert [row.base.case for row in compare_stored(base, new)] == ["x", "y"]
    assert unmatched(base, new) == ((("z", "sync", "complete_s"),), (("z", "async", "complete_s"),))


@pytest.mark.parametrize(
    ("new", "clause", "reason"),
    [
        ({"independent": False}, "one-process", "no independent trials"),
        ({"values": [1.0, 0.0, 1.0, 1.0, 1.0]}, "zero", "a value is zero"),
        ({"values": [1.5]}, "too-few", "6 and 1 values are too few"),
    ],
)
def test_nothing_is_claimed_without_grounds(
    make_run: MakeRun, make_series: MakeSeries, new: dict[str, object], clause: str, reason: str
) -> None:
    """Repetitions in one process, zeros and single values."""
    (row,) = compare_stored(make_run("a", make_series()), make_run("b", make_series(**new)))
    assert (row.verdict, row.clause) == (VerdictKind.INCONCLUSIVE, clause)
    assert reason in row.reason


def test_other_facts_withhold_the_verdict_not_the_ratio(make_run: MakeRun, make_series: MakeSeries) -> None:
    """The facts are named."""
    facts = {"chip": "Example M2", "mlx": "0.33.0"}
    (row,) = compare_stored(make_run("a", make_series()), make_run("b", make_series(scale=2), facts=facts))
    assert row.clause == "other-facts"
    assert row.ratio == pytest.approx(2)
    assert "chip was 'Example M1' and is 'Example M2'" in row.reason


def test_a_wide_spread_between_days_raises_the_floor(make_run: MakeRun, make_series: MakeSeries) -> None:
    """20 % is nothing where days lie 10 % apart."""
    base, new = make_run("a", make_series()), make_run("b", make_series(scale=1.2))
    (row,) = compare_stored(base, new, spread={make_series().key: 0.1})
    assert (row.verdict, row.clause) == (VerdictKind.SAME, "inside-floor")
    assert "3 times the spread" in row.reason


def test_a_limit_of_its_own_raises_the_floor(make_run: MakeRun, make_series: MakeSeries) -> None:
    """It is asked for with the series, and below 5 % it changes nothing."""
    base, new = make_run("a", make_series()), make_run("b", make_series(scale=1.2))
    limits = {"complete_s": 0.5}
    assert compare_stored(base, new, min_effect=lambda s: limits[s.metric])[0].verdict is VerdictKind.SAME
    assert compare_stored(base, new, min_effect=lambda _: 0.001)[0].verdict is VerdictKind.SLOWER
