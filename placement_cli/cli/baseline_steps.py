"""`placement check --baseline`: measure this installation and compare it with stored runs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from placement_cli.bench.duration import estimate_duration
from placement_cli.bench.run import Method
from placement_cli.bench.session import Surroundings
from placement_cli.bench.stages import Halt, Progress
from placement_cli.cli.check_steps import Asked, written_argv
from placement_cli.cli.gate_steps import as_plan, finish, surroundings
from placement_cli.comparing.dates import moment
from placement_cli.comparing.loading import load_recorded
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.spread import spread_between_days
from placement_cli.errors import EXIT_NAMES
from placement_cli.gate.session import Deadlines
from placement_cli.gate.stored import (
    STORED_BLOCKS,
    StoredSide,
    against_stored,
    known_cases,
    measure_here,
    refuse_others,
    with_stored_verdict,
)
from placement_cli.gate.suite import GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.render.console import stdout_console
from placement_cli.render.gate_plan import gate_plan
from placement_cli.store.files import write_whole
from placement_cli.store.fingerprint import fingerprint
from placement_cli.store.run_document import Environment, ExitRecord, RunDocument, RunFacts, ScenarioRecord
from placement_cli.store.runs import document_path, new_run_id


def run_baseline(asked: Asked) -> int:
    """Compare this installation with the stored runs that were given and return the exit code."""
    runs = [load_recorded(path) for path in asked.options.baseline]
    newest = max(runs, key=_began)
    side = StoredSide(newest, spread_between_days(runs, newest))
    cases = known_cases(asked.cases, side)
    plan, method = as_plan(cases), Method(stages=(STORED_BLOCKS,))
    if asked.options.dry_run:
        for line in gate_plan(cases, estimate_duration(plan, method)):
            stdout_console().print(line)
        return 0
    with surroundings(asked, plan, method) as around:
        refuse_others(side, around.stable)
        document = _measured(asked, cases, side, around)
    kept = document_path(asked.options.out, document.run.id)
    write_whole(kept, document.to_json())
    return finish(document, kept, asked.options)


def _began(run: Recorded) -> datetime:
    return moment(run.started) or datetime.min.replace(tzinfo=UTC)


def _measured(asked: Asked, cases: tuple[GateCase, ...], side: StoredSide, around: Surroundings) -> RunDocument:
    began, started = around.now(), datetime.now(UTC).isoformat(timespec="seconds")
    deadlines = Deadlines(asked.time_budget_s, asked.timeout_s, around.now, around.interrupted)
    bench = replace(around.bench, seed=asked.options.seed)
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch:
        progress, stopped = measure_here(cases, bench, _Kept(), around.watcher, Halt(deadlines.reason), Path(scratch))
    facts = RunFacts(
        id=new_run_id(["check"]),
        started=started,
        duration_s=around.now() - began,
        argv=written_argv(),
        seed=asked.options.seed,
        complete=not stopped,
    )
    return _document(facts, asked, cases, side, around, progress, deadlines.code if stopped else 0)


def _document(
    facts: RunFacts,
    asked: Asked,
    cases: tuple[GateCase, ...],
    side: StoredSide,
    around: Surroundings,
    progress: Progress,
    halted: int,
) -> RunDocument:
    stable = dict(around.stable)
    names = dict.fromkeys(each.case.scenario for each in cases)
    bare = RunDocument(
        tool=around.tool,
        run=facts,
        env=Environment(fingerprint=fingerprint(stable), stable=stable, harness=dict(around.harness)),
        method={
            "design": "a fresh process for each case and block of this installation; the base is a stored run",
            "interval": "Hodges-Lehmann, Mann-Whitney",
            "level": 0.99,
            "stages": [STORED_BLOCKS],
        },
        scenarios=[
            ScenarioRecord(name=name, question=asked.questions.get(name, ""), noise_floor=None, control_case=None)
            for name in names
        ],
        cases=[],
        says=[],
        exit=ExitRecord(code=0, name=EXIT_NAMES[0]),
        diagnostics=list(around.diagnostics),
    )
    compared = against_stored(bare, cases, progress.blocks, side)
    return with_stored_verdict(
        compared, cases, progress.blocks, side, fails=asked.fails_on("regression"), halted=halted
    )


class _Kept:
    """A recorder that leaves keeping to the document."""

    def block(self, block: CaseBlock) -> None:
        """Nothing."""

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """Nothing."""
