"""One arm of one case in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placement_cli.bench.summaries import summarise_arm
from placement_cli.measure.blocks import CaseBlock, TakenSample
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Case


def block_of(*samples: Sample, valid: bool = True, phase: str = "measure") -> CaseBlock:
    """A block in which one arm took these samples."""
    taken = tuple(TakenSample("a", phase, number, 0.0, sample) for number, sample in enumerate(samples))
    return CaseBlock("c", 0, 1, taken, {"a": 1}, ("a",), valid=valid)


def test_times_are_of_one_message() -> None:
    """A sample of many messages counts as much as one of few, by the message."""
    summary = summarise_arm([block_of(Sample(10, 1.0, 2.0, page_faults=20), Sample(5, 1.0, 2.0, page_faults=0))], "a")
    assert summary is not None
    assert summary.complete_s.median == pytest.approx(0.3)
    assert summary.dispatch_s.median == pytest.approx(0.15)
    assert summary.page_faults.median == pytest.approx(1.0)
    assert summary.complete_s.n == 2


def test_only_measured_samples_of_valid_blocks_count() -> None:
    """Warm-up and lost blocks are no measurement."""
    sample = Sample(1, 1.0, 1.0)
    assert summarise_arm([block_of(sample, valid=False), block_of(sample, phase="warmup")], "a") is None


def test_an_arm_that_was_never_measured_has_no_summary(
    make_case: Callable[..., Case], make_blocks: Callable[..., list[CaseBlock]]
) -> None:
    """Another arm's samples are not borrowed."""
    assert summarise_arm(make_blocks(make_case(), {"sync": [0.0]}), "window:1") is None


def test_readings_that_were_not_taken_are_left_out() -> None:
    """A stream has neither latencies nor anything pending."""
    summary = summarise_arm([block_of(Sample(1, 1.0, 1.0))], "a")
    assert summary is not None
    assert summary.model_dump(exclude_none=True).keys() == {
        "complete_s",
        "dispatch_s",
        "in_flight_bytes",
        "page_faults",
    }


def test_the_end_is_what_is_pending() -> None:
    """Of what piles up over the messages the last value is told."""
    sample = Sample(3, 1.0, 1.0, pending_ops=[1, 5, 9], pending_bytes=[10, 50, 90], finish_s=0.5)
    summary = summarise_arm([block_of(sample)], "a")
    assert summary is not None
    assert summary.pending_ops_end is not None
    assert summary.pending_bytes_end is not None
    assert (summary.pending_ops_end.median, summary.pending_bytes_end.median) == (9, 90)


def test_latencies_are_pooled_over_messages() -> None:
    """The longest of all messages is not hidden by the samples it lies in."""
    first, second = Sample(2, 1.0, 1.0, latency_s=[1.0, 2.0]), Sample(2, 1.0, 1.0, latency_s=[3.0, 9.0])
    summary = summarise_arm([block_of(first), block_of(second)], "a")
    assert summary is not None
    assert summary.latency_s is not None
    assert (summary.latency_s.p50, summary.latency_s.max, summary.latency_s.n) == (2.0, 9.0, 4)


def test_late_messages_are_a_share_of_those_counted() -> None:
    """A sample that did not count late messages does not dilute the share."""
    counted = replace(Sample(10, 1.0, 1.0), missed=4, free_share=0.5)
    summary = summarise_arm([block_of(counted, replace(counted, missed=0), Sample(80, 1.0, 1.0))], "a")
    assert summary is not None
    assert summary.missed_share == pytest.approx(0.2)
    assert summary.free_share is not None
    assert summary.free_share.n == 2


def test_no_stall_is_a_reading_too() -> None:
    """A stall call of zero says that no call blocked, and is kept."""
    summary = summarise_arm([block_of(Sample(1, 1.0, 1.0, stall_call=0))], "a")
    assert summary is not None
    assert summary.stall_call is not None
    assert summary.stall_call.median == 0
