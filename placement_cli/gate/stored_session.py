"""A gate against stored runs, from its cases to its document."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from placement_cli.bench.session import Surroundings
from placement_cli.bench.stages import Halt, Unrecorded
from placement_cli.errors import EXIT_NAMES
from placement_cli.gate.session import Deadlines, GateRequest
from placement_cli.gate.stored import (
    STORED_BLOCKS,
    StoredSide,
    against_stored,
    measure_here,
    refuse_others,
    with_stored_verdict,
)
from placement_cli.statistics.two_sample import LEVEL
from placement_cli.store.fingerprint import fingerprint
from placement_cli.store.run_document import Diagnostic, Environment, ExitRecord, RunDocument, RunFacts, ScenarioRecord

MOST_NAMED = 5
"""Cases that a sentence names."""


def run_stored(
    request: GateRequest,
    side: StoredSide,
    around: Surroundings,
    *,
    fails: bool,
    left_out: Sequence[str] = (),
) -> RunDocument:
    """Measure the cases of `request` here and return the document of their comparison with `side`.

    What is slower fails the gate only where `fails`; `left_out` names the cases that are not stored, which is told.
    Raises NothingComparable, before anything is measured, when the stored run belongs to another set-up.
    """
    refuse_others(side, around.stable)
    began, started = around.now(), datetime.now(UTC).isoformat(timespec="seconds")
    deadlines = Deadlines(request.time_budget_s, request.timeout_s, around.now, around.interrupted)
    bench = replace(around.bench, seed=request.seed)
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch:
        progress, stopped = measure_here(
            request.cases, bench, Unrecorded(), around.watcher, Halt(deadlines.reason), Path(scratch)
        )
    facts = RunFacts(
        id=request.run_id,
        started=started,
        duration_s=around.now() - began,
        argv=list(request.argv),
        seed=request.seed,
        complete=not stopped,
    )
    bare = _bare(facts, request, around)
    if left_out:
        bare = bare.model_copy(update={"diagnostics": [*bare.diagnostics, _not_stored(left_out)]})
    compared = against_stored(bare, request.cases, progress.blocks, side)
    halted = deadlines.code if stopped else 0
    return with_stored_verdict(
        compared,
        request.cases,
        progress.blocks,
        side,
        fails=fails,
        fails_open=request.fail_on_inconclusive,
        halted=halted,
    )


def _bare(facts: RunFacts, request: GateRequest, around: Surroundings) -> RunDocument:
    """Return the document of the run without its cases."""
    stable = dict(around.stable)
    names = dict.fromkeys(each.case.scenario for each in request.cases)
    return RunDocument(
        tool=around.tool,
        run=facts,
        env=Environment(fingerprint=fingerprint(stable), stable=stable, harness=dict(around.harness)),
        method={
            "design": "a fresh process for each case and block of this installation; the base is a stored run",
            "interval": "Hodges-Lehmann, Mann-Whitney",
            "level": LEVEL,
            "stages": [STORED_BLOCKS],
        },
        scenarios=[
            ScenarioRecord(name=name, question=request.questions.get(name, ""), noise_floor=None, control_case=None)
            for name in names
        ],
        cases=[],
        says=[],
        exit=ExitRecord(code=0, name=EXIT_NAMES[0]),
        diagnostics=list(around.diagnostics),
    )


def _not_stored(cases: Sequence[str]) -> Diagnostic:
    more = f" and {len(cases) - MOST_NAMED} more" if len(cases) > MOST_NAMED else ""
    text = f"not in the stored run, and so not compared: {', '.join(cases[:MOST_NAMED])}{more}."
    return Diagnostic(level="warning", code="not-stored", text=text)
