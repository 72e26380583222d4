"""What is read off a sample and compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placement_cli.bench import metrics
from placement_cli.bench.metrics import METRICS, primary
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Reading


def test_every_reading_has_metrics() -> None:
    """Each reading is compared in something, and its first metric decides."""
    assert set(METRICS) == set(Reading)
    assert {reading: primary(reading).key for reading in Reading} == {
        Reading.STREAM: "complete_s",
        Reading.BURST: "dispatch_s",
        Reading.QUEUE: "dispatch_s",
        Reading.PENDING: "complete_s",
        Reading.PACED: "latency_s",
    }


def test_times_are_of_one_message() -> None:
    """Batches of different size compare by the message."""
    sample = Sample(4, 2.0, 8.0)
    assert (metrics.COMPLETE.read(sample), metrics.DISPATCH.read(sample)) == (2.0, 0.5)


def test_bytes_are_compared_from_a_page_up() -> None:
    """A few bytes against none are no ratio."""
    small, large = Sample(1, 1.0, 1.0, 100), Sample(1, 1.0, 1.0, 10_000)
    assert (metrics.IN_FLIGHT.read(small), metrics.IN_FLIGHT.read(large)) == (4096, 10_000)


def test_the_longest_message_may_be_the_end() -> None:
    """The spike is the longest message or what was left to finish, whichever is longer."""
    sample = Sample(2, 1.0, 1.0, latency_s=[0.1, 0.2], finish_s=0.5)
    assert metrics.SPIKE.read(sample) == 0.5
    assert metrics.SPIKE.read(Sample(2, 1.0, 1.0, latency_s=[0.1, 0.2])) == 0.2


def test_a_free_host_is_hardly_busy() -> None:
    """Shares are compared from a ten-thousandth up."""
    assert metrics.BUSY.read(Sample(1, 1.0, 1.0, free_share=1.0)) == pytest.approx(1e-4)
    assert metrics.BUSY.read(Sample(1, 1.0, 1.0, free_share=0.25)) == pytest.approx(0.75)


def test_one_message_is_its_own_percentile() -> None:
    """A sample of one message has a p95."""
    assert metrics.LATENCY_P95.read(Sample(1, 1.0, 1.0, latency_s=[0.3])) == 0.3


@given(latencies=st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=50))
def test_latencies_lie_within_what_was_seen(latencies: list[float]) -> None:
    """Median and p95 lie between the shortest and the longest message, the p95 not below the median."""
    sample = Sample(len(latencies), 1.0, 1.0, latency_s=latencies)
    p50, p95 = metrics.LATENCY.read(sample), metrics.LATENCY_P95.read(sample)
    slack = 1e-9 * max(latencies)
    assert min(latencies) - slack <= p50 <= p95 + slack
    assert p95 <= max(latencies) + slack
