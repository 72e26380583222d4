"""What `placement bench` does with its options: list, show, start or resume; then print and write."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from placement_cli.bench.cases import Scenario
from placement_cli.bench.duration import estimate_duration
from placement_cli.bench.graph_scenario import graph_scenario
from placement_cli.bench.plans import QUICK_STAGES, plan_scenarios
from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.bench.selection import select_scenarios
from placement_cli.bench.session import Request, Surroundings, request_of, resume_run, start_run
from placement_cli.bench.surroundings import real_surroundings
from placement_cli.bench.workload import admit, find_workload, on_workload
from placement_cli.cli.bench import DEFAULT_OUT
from placement_cli.cli.interrupts import graceful_interrupts
from placement_cli.cli.time_options import seconds_of
from placement_cli.errors import EXIT_NAMES, Interrupted, UsageError, strongest
from placement_cli.export.formats import format_for, write_outputs
from placement_cli.graph.document.reading import load_graph
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.plain import plain
from placement_cli.render.plans import plan_table, scenario_list
from placement_cli.render.progress import watcher_for
from placement_cli.render.run_plot import RatioPlot
from placement_cli.render.run_report import print_run, print_verdicts
from placement_cli.render.sayings import diagnostics
from placement_cli.store.files import write_whole
from placement_cli.store.journal import Journal
from placement_cli.store.run_document import ExitRecord, RunDocument
from placement_cli.store.runs import document_path, journal_path, new_run_id, newest_unfinished


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `placement bench` as they were given."""

    scenarios: Sequence[str]
    graph: Path | None
    arms: Sequence[str]
    sets: Sequence[str]
    quick: bool
    device: str | None
    seed: int
    time_budget: str | None
    min_effect: float
    out: Path
    outputs: Sequence[Path]
    plot: bool
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
    if options.plot and options.as_json:
        raise UsageError("--plot and --json do not go together; the document alone is printed with --json.")
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {options.out}: is no folder.")
    workload = find_workload(options.workload)
    if options.resume:
        return _finish(*_resume(options), options)
    scenarios, device = _chosen(options)
    if options.list_only:
        stdout_console().print(scenario_list(scenarios))
        return 0
    plans = on_workload(plan_scenarios(scenarios, free_bytes()), workload)
    method = Method(options.min_effect, QUICK_STAGES) if options.quick else Method(options.min_effect)
    if options.dry_run:
        stdout_console().print(plan_table([estimate_duration(plan, method) for plan in plans], method.stages))
        return 0
    return _finish(*_start(options, plans, method, device), options)


def _chosen(options: Options) -> tuple[list[Scenario], str | None]:
    """Return what is to be measured, and on which device; a graph may name its own."""
    if options.graph is None:
        if options.arms:
            raise UsageError("--arm goes with --graph; the arms of a scenario are set with --set arms=...")
        return select_scenarios(options.scenarios, options.sets, quick=options.quick), options.device
    if options.scenarios or options.sets:
        what = "--set" if options.sets else "scenarios"
        raise UsageError(f"--graph and {what} do not go together; the arms of a graph are given with --arm.")
    file = load_graph(options.graph)
    scenario = graph_scenario(file.graph, file.origin, options.arms, quick=options.quick)
    return [scenario], options.device or file.graph.device


def _start(
    options: Options, plans: tuple[ScenarioPlan, ...], method: Method, device: str | None
) -> tuple[RunDocument, Path]:
    request = Request(
        run_id=new_run_id([plan.name for plan in plans]),
        argv=sys.argv[1:],
        plans=plans,
        method=method,
        seed=options.seed,
        device=device,
        time_budget_s=_budget_s(options.time_budget),
    )
    journal = journal_path(options.out, request.run_id)
    with _watched(options, request, journal) as around:
        kept = document_path(options.out, request.run_id)
        return _with_exit(start_run(request, journal, around, partial(_keep, kept, options)), options), kept


def _resume(options: Options) -> tuple[RunDocument, Path]:
    path = newest_unfinished(options.out)
    journal, records = Journal.reopen(path)
    with journal, _watched(options, request_of(records), path) as around:
        # Beside the journal and named after the file: what a record calls the run is no path to trust.
        kept = document_path(path.parent, path.stem)
        return _with_exit(resume_run(journal, records, around, partial(_keep, kept, options)), options), kept


def _keep(kept: Path, options: Options, document: RunDocument) -> None:
    write_whole(kept, _with_exit(document, options).to_json())


def _with_exit(document: RunDocument, options: Options) -> RunDocument:
    """Return `document` with the exit code that this command ends with."""
    undecided = any(each.verdict == "inconclusive" for case in document.cases for each in case.comparisons)
    code = strongest([document.exit.code, 3 if undecided and options.fail_on_inconclusive else 0])
    return document.model_copy(update={"exit": ExitRecord(code=code, name=EXIT_NAMES[code])})


@contextmanager
def _watched(options: Options, request: Request, journal: Path) -> Iterator[Surroundings]:
    """Yield the surroundings of a run that can be resumed."""
    with watched(request, quiet=options.quiet, kept=lambda: _how_to_resume(options) if journal.exists() else "") as it:
        yield it


@contextmanager
def watched(request: Request, *, quiet: bool, kept: Callable[[], str] = lambda: "") -> Iterator[Surroundings]:
    """Yield the surroundings of a run, with a progress bar and Ctrl-C under control while it lasts.

    A second Ctrl-C raises Interrupted with what `kept` then says of what was measured.
    """
    console = stderr_console()
    blocks = request.method.stages[0]
    weights = [(plan.name, estimate_duration(plan, request.method).least_s / blocks) for plan in request.plans]
    try:
        with (
            watcher_for(console, weights, blocks, quiet=quiet) as watcher,
            graceful_interrupts(console.print) as interrupt,
        ):
            around = real_surroundings(request.device, request.seed, watcher, lambda: interrupt.requested)
            yield admit(request.plans, around)
    except KeyboardInterrupt:
        raise Interrupted(f"ended at once. {kept()}".rstrip()) from None


def _how_to_resume(options: Options) -> str:
    where = "" if options.out == DEFAULT_OUT else f" --out {shlex.quote(str(options.out))}"
    return f"`placement bench --resume{where}` goes on from here."


def _finish(document: RunDocument, kept: Path, options: Options) -> int:
    """Print the document as asked, write it to the files asked for, and return the exit code."""
    left_out: list[str] = []
    try:
        _print(document, options)
    finally:
        # Also when nobody reads stdout to its end, as in `placement bench -o run.json | head`.
        left_out += write_outputs(document, options.outputs)
    tell_rest(document, kept, left_out, quiet=options.quiet)
    if document.exit.code == Interrupted.exit_code:
        stderr_console().print(plain(_how_to_resume(options)), soft_wrap=True)
    return document.exit.code


def tell_rest(document: RunDocument, kept: Path, left_out: Sequence[str], *, quiet: bool) -> None:
    """Tell on stderr what was not written, what a reader should know of a run, and where it is kept."""
    errors = stderr_console()
    for sentence in left_out:
        errors.print(plain(f"warning: {sentence}", "yellow"), soft_wrap=True)
    for line in diagnostics(document.diagnostics):
        errors.print(line)
    if not quiet:
        errors.print(plain(f"kept in {kept}"), soft_wrap=True)


def _print(document: RunDocument, options: Options) -> None:
    console = stdout_console()
    if options.as_json:
        sys.stdout.write(document.to_json() + "\n")
    elif options.quiet:
        print_verdicts(document, console)
    else:
        print_run(document, console)
    if options.plot:
        console.print(RatioPlot(document))


def _budget_s(text: str | None) -> float | None:
    return None if text is None else seconds_of("--time-budget", text)


def free_bytes() -> int:
    """Return the memory that is free on this machine now."""
    import psutil

    free: int = psutil.virtual_memory().available
    return free
