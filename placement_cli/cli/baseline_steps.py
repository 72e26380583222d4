"""`placement check --baseline`: measure this installation and compare it with stored runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from placement_cli.bench.duration import estimate_duration
from placement_cli.bench.run import Method
from placement_cli.cli.check_steps import Asked, check_count
from placement_cli.cli.gate_steps import as_plan, finish, gate_request, surroundings
from placement_cli.comparing.dates import moment
from placement_cli.comparing.loading import load_recorded
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.spread import spread_between_days
from placement_cli.gate.cores import ON_ONE_CORE
from placement_cli.gate.stored import STORED_BLOCKS, StoredSide, known_cases
from placement_cli.gate.stored_session import run_stored
from placement_cli.render.console import stdout_console
from placement_cli.render.gate_plan import gate_plan
from placement_cli.store.files import write_whole
from placement_cli.store.runs import document_path


def run_baseline(asked: Asked) -> int:
    """Compare this installation with the stored runs that were given and return the exit code."""
    runs = [load_recorded(path) for path in asked.options.baseline]
    newest = max(runs, key=_began)
    side = StoredSide(newest, spread_between_days(runs, newest))
    cases = known_cases(asked.cases, side)
    check_count(asked.settings, cases)
    known = {each.id.removesuffix(ON_ONE_CORE) for each in cases}
    left_out = [each.id for each in asked.cases if each.id not in known]
    plan, method = as_plan(cases), Method(stages=(STORED_BLOCKS,))
    if asked.options.dry_run:
        for line in gate_plan(cases, estimate_duration(plan, method)):
            stdout_console().print(line)
        return 0
    with surroundings(asked, plan, method) as around:
        request = replace(gate_request(asked), cases=cases)
        document = run_stored(request, side, around, fails=asked.fails_on("regression"), left_out=left_out)
    kept = document_path(asked.options.out, document.run.id)
    write_whole(kept, document.to_json())
    return finish(document, kept, asked.options)


def _began(run: Recorded) -> datetime:
    return moment(run.started) or datetime.min.replace(tzinfo=UTC)
