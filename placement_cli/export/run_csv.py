"""A run as CSV: one row a sample, for spreadsheets and data frames."""

from __future__ import annotations

import csv
from typing import Any

from placement_cli.store.run_document import BlockRecord, CaseRecord, RunDocument, SampleRecord

COLUMNS = (
    "case",
    "scenario",
    "arm",
    "mode",
    "block",
    "valid",
    "confirms",
    "phase",
    "round",
    "at_s",
    "messages",
    "complete_s",
    "dispatch_s",
    "complete_per_message_s",
    "in_flight_bytes",
    "peak_bytes",
    "active_bytes",
    "cache_bytes",
    "page_faults",
)
"""Columns in order; the parameters of the cases follow as `param.NAME`.

Times are of the whole batch of `messages`, but for `complete_per_message_s`. `arm` is `control` for the second process
of the base arm, `mode` the arm's mode as graph.yaml writes it. `block` is the number of the block in its case, `valid`
whether it takes part in verdicts. `confirms` marks the fresh blocks of what a gate had flagged, which are numbered anew
and take no part in its first verdict. `phase` is `warmup` or `measure`, `round` counts within the block.
"""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def run_csv(document: RunDocument) -> str:
    """Return the samples of a run as CSV, columns as in `COLUMNS` and then one for each parameter of a case."""
    import pandas as pd

    rows = [
        {key: inert(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in sample_rows(document)
    ]
    frame = pd.DataFrame(rows, columns=columns_of(document), dtype=object)
    return frame.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)


def columns_of(document: RunDocument) -> list[str]:
    """Return the columns of the samples of a run in order."""
    return [*COLUMNS, *sorted({f"param.{key}" for case in document.cases for key in case.params})]


def sample_rows(document: RunDocument) -> list[dict[str, Any]]:
    """Return every sample of a run as a row, names as they are; a parameter that a case lacks has no key."""
    return [_row(case, block, sample) for case in document.cases for block in case.blocks for sample in block.samples]


def inert(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _row(case: CaseRecord, block: BlockRecord, sample: SampleRecord) -> dict[str, Any]:
    arm = case.arms.get(sample.arm) or case.arms[case.base]
    values = {name: getattr(sample, name) for name in COLUMNS if name in SampleRecord.model_fields}
    return {
        **values,
        "case": case.id,
        "scenario": case.scenario,
        "arm": sample.arm,
        "mode": str(arm["mode"]),
        "block": block.index,
        "valid": block.valid,
        "confirms": block.confirms,
        "complete_per_message_s": sample.complete_s / sample.messages,
        **{f"param.{key}": value for key, value in case.params.items()},
    }
