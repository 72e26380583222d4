"""The records of a bench run in its journal, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placement_cli.measure.blocks import CaseBlock, TakenSample
from placement_cli.measure.sample import Sample


def block_to_record(block: CaseBlock) -> dict[str, Any]:
    """Return the journal record of one case in one block."""
    return {
        "kind": "block",
        "case": block.case_id,
        "index": block.index,
        "messages": block.messages,
        "valid": block.valid,
        "why": block.kind,
        "reason": block.reason,
        "start_order": list(block.start_order),
        "pids": dict(block.pids),
        "errors": dict(block.errors),
        "state": [dict(state) for state in block.state],
        "samples": [sample_to_record(taken) for taken in block.samples],
    }


def sample_to_record(taken: TakenSample) -> dict[str, Any]:
    """Return one sample with its place in the block."""
    place = {"arm": taken.arm, "phase": taken.phase, "round": taken.round, "at_s": taken.at_s}
    return {**place, **taken.sample.to_json()}


def block_from_record(record: Mapping[str, Any]) -> CaseBlock:
    """Read what `block_to_record` wrote."""
    samples = tuple(
        TakenSample(entry["arm"], entry["phase"], entry["round"], entry["at_s"], Sample.from_json(entry))
        for entry in record["samples"]
    )
    return CaseBlock(
        record["case"],
        record["index"],
        record["messages"],
        samples,
        record["pids"],
        tuple(record["start_order"]),
        errors=record["errors"],
        state=tuple(record["state"]),
        valid=record["valid"],
        reason=record["reason"],
        kind=record["why"],
    )
