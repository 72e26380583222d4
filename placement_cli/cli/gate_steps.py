"""`placement check --against`: prepare the other side, measure both, tell, write, exit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from placement_cli.bench.duration import estimate_duration
from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.bench.session import Surroundings
from placement_cli.bench.surroundings import real_surroundings
from placement_cli.bench.workload import admit
from placement_cli.cli.bench_steps import tell_rest
from placement_cli.cli.check_steps import Asked, Options, even_unread, told_on_stderr, written_argv
from placement_cli.cli.github_steps import tell_github
from placement_cli.cli.interrupts import graceful_interrupts
from placement_cli.errors import Interrupted
from placement_cli.export.formats import write_outputs
from placement_cli.gate.measuring import SUITE
from placement_cli.gate.preparing import cache_folder, prepare
from placement_cli.gate.session import GateRequest, probed, run_gate
from placement_cli.gate.side import current_side
from placement_cli.gate.suite import GateCase
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.gate_plan import gate_plan
from placement_cli.render.gate_report import print_gate, verdict_lines
from placement_cli.render.progress import watcher_for
from placement_cli.statistics.control import CONTROL
from placement_cli.store.files import write_whole_bytes
from placement_cli.store.run_document import RunDocument
from placement_cli.store.runs import document_path, new_run_id


def run_against(asked: Asked, given: str) -> int:
    """Gate this installation against `given` and return the exit code."""
    options = asked.options
    plan = as_plan(asked.cases)
    duration = estimate_duration(plan, Method(stages=asked.rule.stages))
    if options.dry_run:
        for line in gate_plan(asked.cases, duration):
            stdout_console().print(line)
        return 0
    base = prepare(given, Path.cwd(), cache_folder(), told_on_stderr(options))
    # Before all else: what is wrong with a side is told with its name.
    first, second = probed(base, asked.device), probed(current_side(), asked.device)
    with surroundings(asked, plan, Method(stages=asked.rule.stages)) as around:
        document = run_gate(gate_request(asked), first, second, around)
    kept = document_path(options.out, document.run.id)
    write_whole_bytes(kept, document.to_json().encode())
    return finish(document, kept, options)


def gate_request(asked: Asked) -> GateRequest:
    """Return what a gate is asked to do."""
    return GateRequest(
        run_id=new_run_id(["check"]),
        argv=written_argv(),
        cases=asked.cases,
        questions=asked.questions,
        rule=asked.rule,
        seed=asked.options.seed,
        device=asked.device,
        confirm=bool(asked.settings.check.confirm.value),
        fail_on_inconclusive=asked.fails_on("inconclusive"),
        time_budget_s=asked.time_budget_s,
        timeout_s=asked.timeout_s,
    )


def as_plan(cases: Sequence[GateCase]) -> ScenarioPlan:
    """Return the cases as one plan, from which durations are estimated."""
    return ScenarioPlan(SUITE, "", tuple(each.case for each in cases), CONTROL)


@contextmanager
def surroundings(asked: Asked, plan: ScenarioPlan, method: Method) -> Iterator[Surroundings]:
    """Yield the surroundings of a gate, with a progress bar and Ctrl-C under control while it lasts."""
    console = stderr_console()
    weight = estimate_duration(plan, method).least_s / method.stages[0]
    try:
        with (
            watcher_for(console, [(SUITE, weight)], method.stages[0], quiet=asked.options.quiet) as watcher,
            graceful_interrupts(console.print) as interrupt,
        ):
            around = real_surroundings(asked.device, asked.options.seed, watcher, lambda: interrupt.requested)
            yield admit([plan], around)
    except KeyboardInterrupt:
        raise Interrupted("ended at once; nothing is kept of a gate that is ended so.") from None


def finish(document: RunDocument, kept: Path, options: Options) -> int:
    """Print the outcome as asked, write it to the files asked for, tell GitHub, and return the exit code."""
    left_out: list[str] = []
    try:
        with even_unread():
            _print(document, options)
    finally:
        # Also when stdout cannot be written.
        left_out += write_outputs(document, options.outputs)
    with suppress(BrokenPipeError):
        sys.stderr.write("".join(f"{line}\n" for line in tell_github(document, os.environ)))
    tell_rest(document, kept, left_out, quiet=options.quiet)
    return document.exit.code


def _print(document: RunDocument, options: Options) -> None:
    console = stdout_console()
    if options.as_json:
        sys.stdout.write(document.to_json() + "\n")
    elif document.gate is not None and options.quiet:
        for part in verdict_lines(document.gate):
            console.print(part)
    elif document.gate is not None:
        print_gate(document, document.gate, console)
