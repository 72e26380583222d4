"""Sentences about cases of which nothing may be said, each with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.judge import case_fault
from placement_cli.bench.says.phrases import case_phrase, listed
from placement_cli.store.run_document import CaseRecord, Saying


def fault_reason(case: CaseRecord) -> str:
    """Return why what was measured of `case` is not trusted, an empty string when it is."""
    first = [block for block in case.blocks if not block.confirms]
    again = [block for block in case.blocks if block.confirms]
    if fault := case_fault(first) or case_fault(again):
        return fault.reason
    return next((each.reason for each in case.comparisons if each.verdict == "invalid"), "")


def say_faults(cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say of which cases nothing may be said, once for each reason, whatever was compared there."""
    by_reason: dict[str, list[CaseRecord]] = {}
    for case in cases:
        if reason := fault_reason(case):
            by_reason.setdefault(reason, []).append(case)
    return [_fault(reason, found) for reason, found in by_reason.items()]


def _fault(reason: str, cases: Sequence[CaseRecord]) -> Saying:
    where = listed([case_phrase(case) for case in cases])
    text = f"At {where} nothing was measured validly: {reason.rstrip('.')}."
    return Saying(text=text, cases=[case.id for case in cases])
