"""The weaker gate: this installation, measured now, against runs that were stored before.

Nothing that both sides shared cancels, so the floor is 5 % at least, the set-up must be the same, and the outcome is
advisory unless one asks for it to fail (measurement.md, 12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from placement_cli.bench.document import case_record
from placement_cli.bench.judge import Fault
from placement_cli.bench.stages import Halt, Jobs, Progress, Recorder, stage
from placement_cli.bench.watch import Watcher
from placement_cli.comparing.from_run import recorded_from
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.stored import Key, StoredRow, stored_row
from placement_cli.errors import EXIT_NAMES, InconclusiveResult, NothingComparable, RegressionFound, strongest
from placement_cli.gate.cores import Cores, on_cores
from placement_cli.gate.document import VERDICTS
from placement_cli.gate.judging import ALPHA, faults
from placement_cli.gate.suite import ARM, BASE, NEW, GateCase
from placement_cli.gate.words import leaves_open
from placement_cli.measure.blocks import Bench, CaseBlock
from placement_cli.statistics.family import holm_adjusted
from placement_cli.statistics.verdict import VerdictKind
from placement_cli.store.fingerprint import differences
from placement_cli.store.run_document import Comparison, Diagnostic, ExitRecord, GateRecord, RunDocument, SideRecord

STORED_BLOCKS = 12
"""Blocks of this installation: as many values as an interval at 99 % needs to be of use."""
STORED = "stored"


@dataclass(frozen=True, slots=True)
class StoredSide:
    """Stored runs as one side: the newest is compared with, all together say how far days lie apart.

    A case is measured as it was stored: on one core where the stored run was a gate's that ran it so.

    `spread` is that, by series (a standard deviation of log medians); empty where there are too few days.
    """

    newest: Recorded
    spread: Mapping[Key, float]

    def series(self, case: GateCase, metric: str) -> Series | None:
        """Return the stored series of a gate's case: from a run of `bench`, or from another gate."""
        arm = str(case.case.params[ARM])
        plain = case.id.removesuffix(f" {arm}")
        stored = [(case.id, NEW, metric), (case.id, BASE, metric)]
        keys = stored if case.one_core else [(plain, arm, metric), *stored]
        found = {each.key: each for each in self.newest.series}
        return next((found[key] for key in keys if key in found), None)

    def has(self, case: GateCase) -> bool:
        """Tell whether anything that could fail the gate is stored of a case."""
        return any(self.series(case, metric) for metric in case.limits)


def refuse_others(side: StoredSide, stable: Mapping[str, Any]) -> None:
    """Refuse runs of another set-up than the one here, whose facts are `stable`; raises NothingComparable."""
    newest = side.newest
    if not newest.fingerprint:
        raise NothingComparable(f"{newest.origin}: does not say where it was measured, so nothing compares with it.")
    differs = differences(newest.stable, stable)
    if differs:
        more = f"; and {len(differs) - 4} more" if len(differs) > 4 else ""
        raise NothingComparable(
            f"{newest.origin}: was measured on another set-up: {'; '.join(differs[:4])}{more}. "
            f"`placement check --against REF` measures both sides here."
        )


def known_cases(cases: Sequence[GateCase], side: StoredSide) -> tuple[GateCase, ...]:
    """Return the cases that the stored run has too, with the one arm that is measured; raises NothingComparable.

    Each is taken on one core or on all, as it was stored.
    """
    alone = dict(zip((each.id for each in cases), on_cores(cases, Cores.ONE, on_cpu=True), strict=True))
    known = [found for each in cases for found in (each, alone[each.id]) if side.has(found)]
    if not known:
        there = ", ".join(sorted({each.case for each in side.newest.series})[:3])
        raise NothingComparable(f"{side.newest.origin}: holds none of these cases; it has {there} ...")
    return tuple(replace(each, case=replace(each.case, arms=(each.case.arm(NEW),), base=NEW)) for each in known)


def measure_here(
    cases: Sequence[GateCase], bench: Bench, recorder: Recorder, watcher: Watcher, halt: Halt, scratch: Path
) -> tuple[Progress, str]:
    """Measure this installation, one fresh process a block; return the blocks, and why that stopped early."""
    progress = Progress()
    alone = {each.id for each in cases if each.one_core}
    jobs = Jobs(STORED, [each.case for each in cases], (), progress, bench, recorder, scratch, alone)
    watcher.scenario_started(STORED, len(cases), STORED_BLOCKS)
    for block in stage([each.case for each in cases], STORED_BLOCKS, jobs, progress, bench, halt):
        progress.blocks.setdefault(block.case_id, []).append(block)
        watcher.block_done(block.case_id, block.index, "")
    watcher.scenario_done(STORED)
    whole = all(len(progress.blocks.get(each.id, ())) >= STORED_BLOCKS for each in cases)
    return progress, "" if whole else halt.reason()


def against_stored(
    document: RunDocument, cases: Sequence[GateCase], blocks: Mapping[str, Sequence[CaseBlock]], side: StoredSide
) -> RunDocument:
    """Return `document`, which lacks its cases, with them and every comparison with the stored run.

    Where measuring ended before its plan did, nothing is claimed.
    """
    records = [case_record(each.case, blocks.get(each.id, ()), ()) for each in cases]
    here = recorded_from(document.model_copy(update={"cases": records}), "new", "this run")
    found = faults(cases, blocks)
    compared = {each.id: list(_comparisons(each, here, side, found.get(each.id))) for each in cases}
    compared = _among_many(compared)
    if not document.run.complete:
        compared = {case_id: list(map(_cut_short, rows)) for case_id, rows in compared.items()}
    return document.model_copy(
        update={
            "cases": [record.model_copy(update={"comparisons": compared[record.id]}) for record in records],
            "diagnostics": [*document.diagnostics, *_diagnostics(found)],
        }
    )


def _comparisons(each: GateCase, here: Recorded, side: StoredSide, fault: Fault | None) -> list[Comparison]:
    rows: list[Comparison] = []
    for series in here.series:
        stored = side.series(each, series.metric)
        if series.case == each.id and stored is not None:
            limit = each.limits.get(series.metric)
            row = stored_row(stored, series, (), side.spread.get(stored.key), limit or 0.0)
            rows.append(_comparison(row, limit, fault))
    return rows


def _comparison(row: StoredRow, limit: float | None, fault: Fault | None) -> Comparison:
    kind, reason = (VerdictKind.INVALID, fault.reason) if fault else (row.verdict, row.reason)
    return Comparison(
        base=BASE,
        new=NEW,
        metric=row.new.metric,
        ratio=row.ratio,
        ci=None if row.interval is None else (row.interval.low, row.interval.high),
        ci_level=None if row.interval is None else row.interval.coverage,
        n_blocks=len(row.new.values),
        noise_floor=0.0,
        limit=limit or 0.0,
        same_within=limit or 0.0,
        p=row.p_value,
        verdict=kind.value,
        reason=f"{reason.rstrip('.')}.",
        gated=limit is not None,
    )


def _among_many(compared: Mapping[str, list[Comparison]]) -> dict[str, list[Comparison]]:
    """Return the comparisons with Holm's adjustment; what is slower by itself alone claims nothing."""
    gated = [each for rows in compared.values() for each in rows if each.gated and each.p is not None]
    adjusted = iter(holm_adjusted([each.p or 0.0 for each in gated]))
    return {
        case_id: [_adjusted(each, next(adjusted)) if each.gated and each.p is not None else each for each in rows]
        for case_id, rows in compared.items()
    }


def _adjusted(comparison: Comparison, p_adjusted: float) -> Comparison:
    changed: dict[str, Any] = {"p_adjusted": p_adjusted}
    if comparison.verdict == "slower" and p_adjusted > ALPHA:
        why = f"slower by itself, but chance explains it among this many (p = {p_adjusted:.2g} after Holm)."
        changed |= {"verdict": VerdictKind.INCONCLUSIVE.value, "reason": why}
    return comparison.model_copy(update=changed)


def _cut_short(comparison: Comparison) -> Comparison:
    said = {"verdict": VerdictKind.INCONCLUSIVE.value, "reason": "Measuring ended before its plan did."}
    return comparison.model_copy(update=said)


def _diagnostics(found: Mapping[str, Fault]) -> list[Diagnostic]:
    return [
        Diagnostic(level="error", code=fault.kind, text=f"{case_id}: {fault.reason.rstrip('.')}.", case=case_id)
        for case_id, fault in found.items()
    ]


def with_stored_verdict(
    document: RunDocument,
    cases: Sequence[GateCase],
    blocks: Mapping[str, Sequence[CaseBlock]],
    side: StoredSide,
    *,
    fails: bool,
    fails_open: bool = False,
    halted: int = 0,
) -> RunDocument:
    """Return `document` with its verdict: what is slower than the stored run fails the gate only where `fails`.

    What is left open fails it where `fails_open`.
    """
    slower = [
        case.id for case in document.cases for each in case.comparisons if each.gated and each.verdict == "slower"
    ]
    codes = [fault.exit_code for fault in faults(cases, blocks).values()]
    codes += [RegressionFound.exit_code] if slower and fails else []
    gated = [each for case in document.cases for each in case.comparisons if each.gated]
    left_open = sum(map(leaves_open, gated))
    open_codes = [InconclusiveResult.exit_code] if left_open and fails_open else []
    code = strongest([*codes, *open_codes, halted])
    said = _said(document, slower, fails=fails, left_open=left_open)
    nothing_said = left_open and (left_open == len(gated) or fails_open or not document.run.complete)
    verdict = VERDICTS[strongest(codes)]
    gate = GateRecord(
        verdict="inconclusive" if verdict == "passed" and nothing_said else verdict,
        reason=said,
        base=_stored_record(side.newest),
        new=SideRecord(
            given="this installation",
            kind="current",
            resolved=f"placement {document.tool.version}",
            fingerprint=document.env.fingerprint,
            stable=document.env.stable,
        ),
        differs=[],
        cases=len(cases),
        compared=sum(each.gated for case in document.cases for each in case.comparisons),
        failed=sorted(set(slower)) if fails else [],
    )
    return document.model_copy(update={"gate": gate, "exit": ExitRecord(code=code, name=EXIT_NAMES[code])})


def _said(document: RunDocument, slower: Sequence[str], *, fails: bool, left_open: int) -> str:
    compared = sum(each.gated for case in document.cases for each in case.comparisons)
    of = f"of {compared} comparisons with a stored run"
    if not slower:
        more = f"; {left_open} cannot be told" if left_open else ""
        return f"None {of} is shown to be slower or larger{more}."
    told = f"{len(slower)} {of} {'is' if len(slower) == 1 else 'are'} slower or larger"
    if fails:
        return f"{told}."
    return (
        f"{told}. That is advisory: two runs apart in time differ for many reasons; --fail-on regression makes it fail."
    )


def _stored_record(run: Recorded) -> SideRecord:
    return SideRecord(
        given=run.name,
        kind=STORED,
        resolved=f"{run.tool}, {run.started}" if run.started else run.tool,
        fingerprint=run.fingerprint,
        stable=dict(run.stable),
    )
