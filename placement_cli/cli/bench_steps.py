"""What `placement bench` does with its options: list, show, start or resume; then print and write."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placement_cli.bench.duration import estimate_duration
from placement_cli.bench.plans import QUICK_STAGES, plan_scenarios
from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.bench.selection import select_scenarios
from placement_cli.bench.session import Request, Surroundings, request_of, resume_run, start_run
from placement_cli.bench.surroundings import real_surroundings
from placement_cli.cli.interrupts import graceful_interrupts
from placement_cli.errors import UsageError, strongest
from placement_cli.export.formats import format_for
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.plain import plain
from placement_cli.render.plans import plan_table, scenario_list
from placement_cli.render.progress import watcher_for
from placement_cli.render.run_report import print_run, print_verdicts
from placement_cli.render.sayings import diagnostics
from placement_cli.store.files import write_whole
from placement_cli.store.journal import Journal
from placement_cli.store.run_document import RunDocument
from placement_cli.store.runs import document_path, journal_path, new_run_id, newest_unfinished
from placement_cli.units import parse_duration


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `placement bench` as they were given."""

    scenarios: Sequence[str]
    sets: Sequence[str]
    quick: bool
    device: str | None
    seed: int
    time_budget: str | None
    min_effect: float
    out: Path
    outputs: Sequence[Path]
    as_json: bool
    quiet: bool
    list_only: bool
    dry_run: bool
    resume: bool
    workload: str
    fail_on_inconclusive: bool


def run_bench(options: Options) -> int:
    """Carry out `placement bench` and return the exit code."""
    for path in options.outputs:
        format_for(path)
    if options.resume:
        return _finish(_resume(options), options)
    scenarios = select_scenarios(options.scenarios, options.sets, quick=options.quick)
    if options.list_only:
        stdout_console().print(scenario_list(scenarios))
        return 0
    plans = plan_scenarios(scenarios, _free_bytes())
    method = Method(options.min_effect, QUICK_STAGES) if options.quick else Method(options.min_effect)
    if options.dry_run:
        stdout_console().print(plan_table([estimate_duration(plan, method) for plan in plans], method.stages))
        return 0
    return _finish(_start(options, plans, method), options)


def _start(options: Options, plans: tuple[ScenarioPlan, ...], method: Method) -> RunDocument:
    request = Request(
        run_id=new_run_id([plan.name for plan in plans]),
        argv=sys.argv[1:],
        plans=plans,
        method=method,
        seed=options.seed,
        device=options.device,
        time_budget_s=_budget_s(options.time_budget),
    )
    with _watched(options, request) as around:
        return start_run(request, journal_path(options.out, request.run_id), around)


def _resume(options: Options) -> RunDocument:
    path = newest_unfinished(options.out)
    journal, records = Journal.reopen(path)
    with journal, _watched(options, request_of(records)) as around:
        return resume_run(journal, records, around)


@contextmanager
def _watched(options: Options, request: Request) -> Iterator[Surroundings]:
    """Yield the surroundings of a run, with a progress bar and Ctrl-C under control while it lasts."""
    console = stderr_console()
    blocks = request.method.stages[0]
    weights = [(plan.name, estimate_duration(plan, request.method).least_s / blocks) for plan in request.plans]
    with (
        watcher_for(console, weights, blocks, quiet=options.quiet) as watcher,
        graceful_interrupts(console.print) as interrupt,
    ):
        yield real_surroundings(request.device, request.seed, watcher, lambda: interrupt.requested)


def _finish(document: RunDocument, options: Options) -> int:
    """Keep the document, print it as asked, and return the exit code."""
    kept = document_path(options.out, document.run.id)
    write_whole(kept, document.to_json())
    for path in options.outputs:
        write_whole(path, format_for(path)(document))
    _print(document, options)
    errors = stderr_console()
    for line in diagnostics(document.diagnostics):
        errors.print(line)
    if not options.quiet:
        errors.print(plain(f"kept in {kept}"), soft_wrap=True)
    if not document.run.complete and document.exit.code == 130:
        errors.print("`placement bench --resume` goes on from here.")
    undecided = any(each.verdict == "inconclusive" for case in document.cases for each in case.comparisons)
    codes = [document.exit.code, 3 if undecided and options.fail_on_inconclusive else 0]
    return strongest(codes)


def _print(document: RunDocument, options: Options) -> None:
    console = stdout_console()
    if options.as_json:
        sys.stdout.write(document.to_json() + "\n")
    elif options.quiet:
        print_verdicts(document, console)
    else:
        print_run(document, console)


def _budget_s(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise UsageError(f"--time-budget {text}: {error}") from None
    if seconds <= 0:
        raise UsageError(f"--time-budget {text}: expected more than nothing, such as 5 min.")
    return seconds


def _free_bytes() -> int:
    import psutil

    free: int = psutil.virtual_memory().available
    return free
