"""Blocks in a journal read back as they were measured."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.journal_records import block_from_record, block_to_record
from placement_cli.measure.blocks import CaseBlock, TakenSample
from placement_cli.measure.sample import Sample

SECONDS = st.floats(1e-9, 1e3)
NAMES = st.sampled_from(["async", "sync@every-node", "control"])
ROWS = st.lists(SECONDS, min_size=1, max_size=4)

SAMPLES = st.builds(
    Sample,
    messages=st.integers(1, 1000),
    dispatch_s=SECONDS,
    complete_s=SECONDS,
    in_flight_bytes=st.integers(0, 2**40),
    page_faults=st.integers(0, 1000),
    host_cpu_s=st.none() | SECONDS,
    latency_s=st.just(()) | ROWS,
    pending_ops=st.just(()) | st.lists(st.integers(0, 99), min_size=1, max_size=4),
    finish_s=st.none() | SECONDS,
    free_share=st.none() | st.floats(0, 1),
    missed=st.none() | st.integers(0, 9),
    stall_call=st.none() | st.integers(0, 9),
)
TAKEN = st.builds(
    TakenSample, NAMES, st.sampled_from(["warmup", "measure"]), st.integers(0, 5), st.floats(0, 1e6), SAMPLES
)
BLOCKS = st.builds(
    CaseBlock,
    case_id=st.text(max_size=20),
    index=st.integers(0, 20),
    messages=st.integers(0, 1000),
    samples=st.lists(TAKEN, max_size=4).map(tuple),
    pids=st.dictionaries(NAMES, st.integers(1, 2**31)),
    start_order=st.lists(NAMES).map(tuple),
    errors=st.dictionaries(NAMES, st.none() | st.floats(0, 1e9)),
    state=st.lists(st.dictionaries(st.just("load1"), st.none() | st.floats(0, 99)), max_size=2).map(tuple),
    valid=st.booleans(),
    reason=st.text(max_size=20),
    kind=st.sampled_from(["", "crash", "disagreement", "drift"]),
)


@settings(deadline=None)
@given(block=BLOCKS)
def test_blocks_survive_the_journal(block: CaseBlock) -> None:
    """Whatever was measured is the same after it was written as JSON and read back."""
    line = json.dumps(block_to_record(block), allow_nan=False)
    assert block_from_record(json.loads(line)) == block


def test_a_record_says_what_it_is() -> None:
    """A record of a block is told from other records by its kind; readings not taken are left out."""
    taken = TakenSample("async", "measure", 2, 1.5, Sample(4, 0.5, 1.0))
    record: dict[str, Any] = block_to_record(CaseBlock("c", 3, 4, (taken,), {"async": 9}, ("async",)))
    assert (record["kind"], record["case"], record["index"]) == ("block", "c", 3)
    assert record["samples"][0].keys() >= {"arm", "phase", "round", "at_s", "messages", "complete_s"}
    assert "latency_s" not in record["samples"][0]


def test_readings_of_a_newer_minor_version_are_ignored() -> None:
    """A reading that this version does not know does no harm."""
    taken = TakenSample("async", "measure", 0, 0.0, Sample(4, 0.5, 1.0))
    block = CaseBlock("c", 0, 4, (taken,), {"async": 9}, ("async",))
    record = block_to_record(block)
    record["samples"][0]["joules"] = 3.0
    assert block_from_record(record) == block
