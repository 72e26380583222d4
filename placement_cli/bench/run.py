"""Running scenarios: blocks of fresh workers, stage after stage, until every case is decided or time is up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from random import Random
from statistics import median
from typing import Protocol
from zlib import crc32

from placement_cli.bench.judge import Judge, hopeless, log_ratios, noise_floors, valid_blocks
from placement_cli.bench.metrics import primary
from placement_cli.bench.watch import Watcher
from placement_cli.errors import ScenarioFailed
from placement_cli.measure.blocks import Bench, CaseBlock, Job, measure_block
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError
from placement_cli.measure.specs import Case
from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.statistics.stopping import StoppingRule
from placement_cli.units import format_duration


class Recorder(Protocol):
    """Writes down what is finished, before anything else happens."""

    def block(self, block: CaseBlock) -> None:
        """One case has been measured in one block."""

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """The host work of a case has been calibrated."""


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


@dataclass(slots=True)
class Progress:
    """What has been measured of one scenario: blocks by case, calibrated host work by case and node."""

    blocks: dict[str, list[CaseBlock]] = field(default_factory=dict)
    amounts: dict[str, dict[str, int]] = field(default_factory=dict)

    def of(self, case: Case) -> list[CaseBlock]:
        """Return the blocks of `case` so far."""
        return self.blocks.setdefault(case.id, [])


@dataclass(frozen=True, slots=True)
class Halt:
    """Asked between any two case blocks: why should the run stop now? An empty string means go on."""

    reason: Callable[[], str] = lambda: ""


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
    jobs = _Jobs(plan, progress, bench, recorder, scratch)
    watcher.scenario_started(plan.name, len(plan.cases), method.stages[0])
    for target in _targets(method.stages):
        left = _open_cases(plan, progress, method)
        if not left:
            break
        if target != method.stages[0]:
            watcher.stage_done(plan.name, len(left), target)
        for block in _stage(left, target, jobs, progress, bench, halt):
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
        if _may_grow(progress.of(case), method.stages[-1]) and not judge.finished(case, progress.of(case))
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


def _stage(
    cases: Sequence[Case], target: int, jobs: _Jobs, progress: Progress, bench: Bench, halt: Halt
) -> Iterator[CaseBlock]:
    """Yield the blocks that bring every case to `target` valid blocks, and one more where one was lost."""
    for index in range(target + 1):
        due = [case for case in cases if _due(case, progress, index, target)]
        if not due:
            continue
        if halt.reason():
            return
        rng = Random(f"{bench.seed}/{jobs.name}/{index}")  # noqa: S311 - the order need not be secret
        for block in measure_block(index, [jobs.job(case) for case in due], bench, rng):
            yield block
            if halt.reason():
                return


def _due(case: Case, progress: Progress, index: int, target: int) -> bool:
    blocks = progress.of(case)
    done = any(block.index == index for block in blocks)
    return not done and _may_grow(blocks, target)


def _may_grow(blocks: Sequence[CaseBlock], target: int) -> bool:
    """Tell whether a case may have more blocks on its way to `target`: one lost block is measured again."""
    return len(blocks) <= target and len(valid_blocks(blocks)) < target and not hopeless(blocks)


class _Jobs:
    """Makes the jobs of a scenario: reference values and calibrated host work are made once, when first needed."""

    def __init__(self, plan: ScenarioPlan, progress: Progress, bench: Bench, recorder: Recorder, scratch: Path) -> None:
        self.name = plan.name
        self._plan, self._progress, self._bench = plan, progress, bench
        self._recorder, self._scratch = recorder, scratch
        self._references: dict[str, str] = {}
        self._calibrated_work = {
            work: progress.amounts[case.id][name]
            for case in plan.cases
            for name, work in _host_work(case).items()
            if name in progress.amounts.get(case.id, {})
        }

    def job(self, case: Case) -> Job:
        """Return the job of `case`, with the sample size its first block chose."""
        sizes = [block.messages for block in valid_blocks(self._progress.of(case)) if block.messages]
        return Job(
            case,
            reference=self._reference(case),
            amounts=self._amounts(case),
            messages=sizes[0] if sizes else None,
            control=case.id == self._plan.control_case,
        )

    def _reference(self, case: Case) -> str:
        if case.id not in self._references:
            path = self._scratch / f"reference-{len(self._references)}-{crc32(case.id.encode()):08x}.npz"
            save_reference(path, reference_outputs(case, self._bench.seed))
            self._references[case.id] = str(path)
        return self._references[case.id]

    def _amounts(self, case: Case) -> Mapping[str, int]:
        known = self._progress.amounts
        if case.id not in known:
            known[case.id] = {name: self._calibrated(*work) for name, work in _host_work(case).items()}
            self._recorder.amounts(case.id, known[case.id])
        return known[case.id]

    def _calibrated(self, kind: str, length_s: float) -> int:
        if (kind, length_s) not in self._calibrated_work:
            self._calibrated_work[kind, length_s] = _calibrate(self._bench, kind, length_s)
        return self._calibrated_work[kind, length_s]


def _host_work(case: Case) -> dict[str, tuple[str, float]]:
    """Return the kind and the length in seconds of the work of every host node."""
    nodes = (node for node in case.pipeline.nodes if node.op == "host")
    params = {node.name: check_params(find_operator(node.op), node.params) for node in nodes}
    return {name: (str(given["kind"]), float(given["length_ms"]) / 1e3) for name, given in params.items()}


def _calibrate(bench: Bench, kind: str, length_s: float) -> int:
    """Ask a worker how much work of `kind` takes `length_s`; raises ScenarioFailed when it does not tell."""
    with closing(bench.spawn()) as worker:
        try:
            amount: int = worker.ask("calibrate", kind=kind, length_s=length_s)["amount"]
        except (WorkerLostError, CommandFailedError) as error:
            work = f"{kind} work of {format_duration(length_s)}"
            raise ScenarioFailed(f"{work} cannot be calibrated: {error}. What was measured is kept.") from None
    return amount
