"""Samples survive the pipe from a worker and the journal."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.sample import Sample

SECONDS = st.floats(0, 1e4)
COUNTS = st.integers(0, 2**50)
SERIES = st.one_of(st.just(()), st.lists(SECONDS, min_size=1, max_size=4))
COUNT_SERIES = st.one_of(st.just(()), st.lists(COUNTS, min_size=1, max_size=4))
SAMPLES = st.builds(
    Sample,
    messages=COUNTS,
    dispatch_s=SECONDS,
    complete_s=SECONDS,
    in_flight_bytes=COUNTS,
    peak_bytes=COUNTS,
    active_bytes=COUNTS,
    cache_bytes=COUNTS,
    page_faults=COUNTS,
    host_cpu_s=st.none() | SECONDS,
    latency_s=SERIES,
    call_s=SERIES,
    pending_ops=COUNT_SERIES,
    pending_bytes=COUNT_SERIES,
    finish_s=st.none() | SECONDS,
    free_share=st.none() | st.floats(0, 1),
    missed=st.none() | COUNTS,
    stall_call=st.none() | COUNTS,
)


@given(SAMPLES)
@settings(deadline=None)
def test_samples_survive_json(sample: Sample) -> None:
    """What is read back is what was written, readings that were not taken included."""
    assert Sample.from_json(json.loads(json.dumps(sample.to_json(), allow_nan=False))) == sample


def test_readings_not_taken_are_left_out() -> None:
    """A stream's sample carries no latencies, and a reading of 0 is one that was taken."""
    written = Sample(3, 1.0, 2.0, missed=0).to_json()
    assert "latency_s" not in written
    assert "finish_s" not in written
    assert written["missed"] == 0


def test_unknown_keys_are_ignored() -> None:
    """A journal of a newer minor version, or the place of a sample in its block, does no harm."""
    assert Sample.from_json({"messages": 1, "dispatch_s": 1.0, "complete_s": 2.0, "arm": "off"}) == Sample(1, 1.0, 2.0)
