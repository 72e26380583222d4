"""What `placement check` does with its options: settle what is asked, prepare the other side, gate, print, write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placement_cli.bench.cases import Scenario
from placement_cli.bench.graph_scenario import graph_scenario
from placement_cli.bench.plans import plan_scenarios
from placement_cli.bench.selection import select_scenarios
from placement_cli.bench.workload import find_workload, on_workload
from placement_cli.cli.bench_steps import free_bytes
from placement_cli.cli.time_options import seconds_of
from placement_cli.device.affinity import evaluates_on_cpu, own_cores
from placement_cli.errors import NothingComparable, UsageError
from placement_cli.export.formats import format_for
from placement_cli.gate.cores import Cores, on_cores
from placement_cli.gate.judging import GateRule
from placement_cli.gate.reference import without_credentials
from placement_cli.gate.suite import GateCase, check_limits, gate_cases, limits_of
from placement_cli.graph.document.reading import load_graph
from placement_cli.settings.loading import settings_here, with_flags
from placement_cli.settings.settings import DEFAULT, Settings
from placement_cli.store.files import check_writable

QUICK_BUDGET_S = 285.0
"""A quick gate takes no longer than this unless another budget is asked for: what is undecided then stays so."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `placement check` as they were given; None is one that was not."""

    scenarios: tuple[str, ...]
    against: str | None
    baseline: tuple[Path, ...]
    advice: Path | None
    graph: Path | None
    arms: tuple[str, ...]
    quick: bool | None
    sets: tuple[str, ...]
    limit: str | None
    memory_limit: str | None
    expect_cases: int | None
    fail_on: tuple[str, ...]
    confirm: bool | None
    workload: str | None
    device: str | None
    cores: str | None
    profile: str | None
    seed: int
    time_budget: str | None
    timeout: str | None
    out: Path
    outputs: tuple[Path, ...]
    as_json: bool
    quiet: bool
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What a gate is asked to do, once options and settings are one: its scenarios, cases, device and rule."""

    options: Options
    settings: Settings
    scenarios: tuple[Scenario, ...]
    cases: tuple[GateCase, ...]
    device: str | None
    time_budget_s: float | None
    timeout_s: float | None

    @property
    def rule(self) -> GateRule:
        """How the gate decides."""
        return GateRule(settle_all=self.fails_on("inconclusive"))

    def fails_on(self, what: str) -> bool:
        """Tell whether the gate fails on `what` too."""
        return what in self.settings.check.fail_on.value

    @property
    def questions(self) -> dict[str, str]:
        """What each scenario asks."""
        return {scenario.name: scenario.question for scenario in self.scenarios}


def run_check(options: Options) -> int:
    """Carry out `placement check` and return the exit code."""
    for path in options.outputs:
        format_for(path)
        check_writable(path.parent)
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {options.out}: is no folder.")
    if not options.dry_run and options.advice is None:
        check_writable(options.out)
    settings = _settled(options)
    if options.advice is not None:
        from placement_cli.cli.advice_gate_steps import run_advice_gate

        return run_advice_gate(options)
    asked = _asked(options, settings)
    if options.baseline:
        from placement_cli.cli.baseline_steps import run_baseline

        return run_baseline(asked)
    from placement_cli.cli.gate_steps import run_against

    # As it was written: ./main is a path, main may be a branch.
    given = settings.check.against.value if options.against is None else options.against
    return run_against(asked, str(given))


def _settled(options: Options) -> Settings:
    """Return the settings of this folder with the options over them; raises UsageError without another side."""
    flags = {
        "scenarios": options.scenarios or None,
        "graph": options.graph,
        "quick": options.quick,
        "against": options.against,
        "arms": options.arms or None,
        "limit": options.limit,
        "memory_limit": options.memory_limit,
        "expect_cases": options.expect_cases,
        "fail_on": options.fail_on or None,
        "confirm": options.confirm,
        "workload": options.workload,
        "cores": options.cores,
        "time_budget_s": options.time_budget,
    }
    settings = with_flags(settings_here(), flags)
    named = [name for name, given in _sides(options).items() if given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} do not go together: a gate compares with one thing.")
    if not named and settings.check.against.value is None:
        raise UsageError(
            "Compare with what? --against REF measures another build beside this one (origin/main, ../other, "
            "mlx==0.31.1), --baseline FILE compares with a stored run, --advice GRAPH watches a recommendation."
        )
    if options.profile is not None and options.advice is None:
        raise UsageError("--profile goes with --advice.")
    if options.advice is not None and (unused := _for_measuring(options)):
        raise UsageError(f"--advice measures nothing, so these do not apply: {', '.join(unused)}.")
    return settings


def _sides(options: Options) -> dict[str, object]:
    return {"--against": options.against, "--baseline": options.baseline, "--advice": options.advice}


def _for_measuring(options: Options) -> list[str]:
    """Return the options that were given and say what is to be measured, or how."""
    given = {
        "scenarios": options.scenarios,
        "--graph": options.graph,
        "--set": options.sets,
        "--arms": options.arms,
        "--limit": options.limit,
        "--memory-limit": options.memory_limit,
        "--expect-cases": options.expect_cases,
        "--workload": options.workload,
        "--cores": options.cores,
        "--quick": options.quick,
        "--confirm": options.confirm is not None,
        "--fail-on": options.fail_on,
        "--seed": options.seed,
        "--device": options.device,
        "--time-budget": options.time_budget,
        "--timeout": options.timeout,
        "--dry-run": options.dry_run,
    }
    return [name for name, value in given.items() if value]


def _asked(options: Options, settings: Settings) -> Asked:
    check = settings.check
    scenarios, device = _scenarios(options, settings)
    moved = _on_workload(scenarios, str(check.workload.value))
    limits = settings.gate_limits()
    if not _narrowed(options):
        check_limits(limits, [*moved, *_unhurried(settings)])
    arms = () if check.arms.origin == DEFAULT else tuple(check.arms.value)
    cases = gate_cases(moved, limits_of(limits, moved), arms, quick=bool(check.quick.value))
    if not options.baseline:
        cores = Cores(str(check.cores.value))
        if cores is Cores.ONE and not own_cores():
            raise UsageError(f"{check.cores.origin}: this system does not let a process be confined to one core.")
        cases = on_cores(cases, cores, on_cpu=evaluates_on_cpu(device))
        check_count(settings, cases)
    timeout_s = None if options.timeout is None else seconds_of("--timeout", options.timeout)
    budget_s = check.time_budget_s.value
    if budget_s is None and check.quick.value:
        budget_s = QUICK_BUDGET_S
    return Asked(options, settings, tuple(moved), cases, device, budget_s, timeout_s)


def check_count(settings: Settings, cases: Sequence[GateCase]) -> None:
    """Refuse another number of cases than is expected; raises NothingComparable."""
    expected = settings.check.expect_cases
    if expected.value is not None and len(cases) != expected.value:
        raise NothingComparable(
            f"{expected.origin}: {expected.value} cases are expected, but {len(cases)} are gated. --dry-run lists them."
        )


def _narrowed(options: Options) -> bool:
    """Tell whether this gate takes other cases than the settings ask for: some of their limits may cover none."""
    return bool(options.sets or options.graph or options.scenarios)


def _unhurried(settings: Settings) -> list[Scenario]:
    """Return the scenarios that a quick gate takes a part of."""
    check = settings.check
    if not check.quick.value or check.graph.value is not None:
        return []
    return select_scenarios(list(check.scenarios.value), (), quick=False)


def _scenarios(options: Options, settings: Settings) -> tuple[Sequence[Scenario], str | None]:
    """Return the scenarios to be gated, and the device that a graph may name."""
    check = settings.check
    quick = bool(check.quick.value)
    if check.graph.value is None:
        return select_scenarios(list(check.scenarios.value), options.sets, quick=quick), options.device
    if options.sets:
        raise UsageError("--graph and --set do not go together.")
    file = load_graph(check.graph.value)
    return [graph_scenario(file.graph, file.origin, (), quick=quick)], options.device or file.graph.device


def _on_workload(scenarios: Sequence[Scenario], name: str) -> list[Scenario]:
    from dataclasses import replace

    workload = find_workload(name)
    plans = on_workload(plan_scenarios(scenarios, free_bytes()), workload)
    return [replace(scenario, cases=plan.cases) for scenario, plan in zip(scenarios, plans, strict=True)]


@contextmanager
def even_unread() -> Iterator[None]:
    """Print inside: a gate ends with what it found, also where nobody reads stdout any more."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # Rich exits where a pipe is closed. What is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


Say = Callable[[str], None]
"""Tells what takes time while it does."""


def told_on_stderr(options: Options) -> Say:
    """Return what tells the steps of preparing on stderr, or nobody with `-q`."""
    from placement_cli.render.console import stderr_console
    from placement_cli.render.plain import plain

    if options.quiet:
        return lambda _: None
    console = stderr_console()
    return lambda text: console.print(plain(text, "dim"), soft_wrap=True)


def written_argv() -> list[str]:
    """Return the words of this command, for its document, without the credentials of any address."""
    return [without_credentials(word) for word in sys.argv[1:]]
