"""Running scenarios: blocks of fresh workers, stage after stage, until every case is decided or time is up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from statistics import median

from placement_cli.bench.judge import Judge, log_ratios, noise_floors, valid_blocks
from placement_cli.bench.metrics import primary
from placement_cli.bench.stages import Halt, Jobs, Progress, Recorder, may_grow, stage
from placement_cli.bench.watch import Watcher
from placement_cli.measure.blocks import Bench
from placement_cli.measure.specs import Case
from placement_cli.statistics.stopping import StoppingRule


@dataclass(frozen=True, slots=True)
class ScenarioPlan:
    """One scenario of a run: its cases, and the case whose base arm runs twice as the control (or none).

    `notes` are sentences that a reader of its results should know.
    """

    name: str
    question: str
    cases: tuple[Case, ...]
    control_case: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """How the run decides: the smallest effect that counts, and the stages of blocks."""

    min_effect: float = 0.03
    stages: tuple[int, ...] = (6, 12, 20)

    @property
    def rule(self) -> StoppingRule:
        """The stopping rule over these stages."""
        return StoppingRule(self.stages)


def run_scenario(
    plan: ScenarioPlan,
    progress: Progress,
    method: Method,
    bench: Bench,
    recorder: Recorder,
    watcher: Watcher,
    halt: Halt,
    scratch: Path,
) -> str:
    """Measure `plan` on top of what `progress` holds; return why it stopped early, or an empty string.

    `recorder` is told of each block of a case as soon as it is finished. Raises ScenarioFailed when host work cannot
    be calibrated.
    """
    controls = {plan.control_case} if plan.control_case else set[str]()
    jobs = Jobs(plan.name, plan.cases, controls, progress, bench, recorder, scratch)
    watcher.scenario_started(plan.name, len(plan.cases), method.stages[0])
    for target in _targets(method.stages):
        left = _open_cases(plan, progress, method)
        if not left:
            break
        if target != method.stages[0]:
            watcher.stage_done(plan.name, len(left), target)
        for block in stage(left, target, jobs, progress, bench, halt):
            recorder.block(block)
            progress.blocks[block.case_id].append(block)
            watcher.block_done(block.case_id, block.index, _estimate(plan, progress, block.case_id))
        if (reason := halt.reason()) and _open_cases(plan, progress, method):
            return reason
    watcher.scenario_done(plan.name)
    return ""


def _targets(stages: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of blocks to reach.

    The last one comes again: the noise floor is known best then, and may reopen a case that was decided early.
    """
    yield from stages
    yield stages[-1]


def _open_cases(plan: ScenarioPlan, progress: Progress, method: Method) -> list[Case]:
    """Return the cases that are not decided and may have more blocks."""
    judge = make_judge(plan, progress, method)
    return [
        case
        for case in plan.cases
        if may_grow(progress.of(case), method.stages[-1]) and not judge.finished(case, progress.of(case))
    ]


def _estimate(plan: ScenarioPlan, progress: Progress, case_id: str) -> str:
    """Return in a few words what the blocks of a case say so far: the median ratio of each arm to the base."""
    case = next(case for case in plan.cases if case.id == case_id)
    metric = primary(case.reading)
    ratios = {arm.name: log_ratios(progress.of(case), case.base, arm.name, metric) for arm in case.others}
    return ", ".join(f"{name} {exp(median(found)):.2f}x" for name, found in ratios.items() if found)


def make_judge(plan: ScenarioPlan, progress: Progress, method: Method, bias: str = "") -> Judge:
    """Return the judge of a scenario, with the noise floor its control shows so far; `bias` spoils the whole run."""
    control = next((case for case in plan.cases if case.id == plan.control_case), None)
    noise: Mapping[str, float] = {}
    if control is not None:
        blocks = progress.of(control)
        noise = noise_floors(control, blocks, max(method.stages[0], len(valid_blocks(blocks))))
    return Judge(method.min_effect, method.rule, noise, bias)
