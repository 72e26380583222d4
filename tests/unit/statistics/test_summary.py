"""Medians, edges and latencies: values that were seen, never extrapolated."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.summary import LatencySummary, Summary, latency_summary, percentile, summarise


def test_summary_of_ten() -> None:
    """Of ten values the 10th percentile is the smallest and the 90th the ninth."""
    assert summarise([float(v) for v in range(10, 0, -1)]) == Summary(5.5, 1.0, 9.0, 10)


def test_few_latencies_do_not_invent_a_tail() -> None:
    """Of 20 latencies the 99th percentile is the largest, the 95th the nineteenth."""
    assert latency_summary([float(v) for v in range(1, 21)]) == LatencySummary(10.0, 19.0, 20.0, 20.0, 20)


def test_hundred_latencies_leave_one_above_p99() -> None:
    """Of 100 latencies exactly one lies above the 99th percentile."""
    assert latency_summary([float(v) for v in range(1, 101)]) == LatencySummary(50.0, 95.0, 99.0, 100.0, 100)


def test_one_value_is_all_of_them() -> None:
    """One value is its own median and edges."""
    assert summarise([3.0]) == Summary(3.0, 3.0, 3.0, 1)


@pytest.mark.parametrize("percent", [0, 101])
def test_percent_outside_is_refused(percent: int) -> None:
    """There is no 0th and no 101st percentile."""
    with pytest.raises(ValueError, match="between 1 and 100"):
        percentile([1.0], percent)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=200), st.integers(1, 100))
@settings(deadline=None)
def test_percentile_is_the_smallest_that_suffices(values: list[float], percent: int) -> None:
    """A percentile was seen, enough values do not exceed it, and any smaller one would not suffice."""
    found = percentile(values, percent)
    assert found in values
    assert 100 * sum(v <= found for v in values) >= percent * len(values)
    assert 100 * sum(v < found for v in values) < percent * len(values)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=60))
@settings(deadline=None)
def test_percentiles_are_in_order(values: list[float]) -> None:
    """p50, p95, p99 and the largest never fall."""
    seen = latency_summary(values)
    assert seen.p50 <= seen.p95 <= seen.p99 <= seen.max == max(values)
