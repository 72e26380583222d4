"""Stages of blocks: which cases are due, and the job of each, with what is made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol
from zlib import crc32

from placement_cli.bench.judge import hopeless, valid_blocks
from placement_cli.errors import ScenarioFailed
from placement_cli.measure.blocks import Bench, CaseBlock, Job, measure_block
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError
from placement_cli.measure.specs import Case
from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.units import format_duration


class Recorder(Protocol):
    """Writes down what is finished, before anything else happens."""

    def block(self, block: CaseBlock) -> None:
        """One case has been measured in one block."""

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """The host work of a case has been calibrated."""


class Unrecorded:
    """A recorder that writes nothing down: what is measured is kept by who asked for it."""

    def block(self, block: CaseBlock) -> None:
        """Pass it over."""

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """Pass them over."""


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


def stage(
    cases: Sequence[Case], target: int, jobs: Jobs, progress: Progress, bench: Bench, halt: Halt
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
    return not done and may_grow(blocks, target)


def may_grow(blocks: Sequence[CaseBlock], target: int) -> bool:
    """Tell whether a case may have more blocks on its way to `target`: one lost block is measured again."""
    return len(blocks) <= target and len(valid_blocks(blocks)) < target and not hopeless(blocks)


class Jobs:
    """Makes the jobs of some cases: reference values and calibrated host work are made once, when first needed.

    `name` seeds the order of their blocks; `controls` are the ids of the cases whose base arm runs twice, `one_core`
    those of the cases whose workers keep to one core.
    """

    def __init__(
        self,
        name: str,
        cases: Sequence[Case],
        controls: Container[str],
        progress: Progress,
        bench: Bench,
        recorder: Recorder,
        scratch: Path,
        one_core: Container[str] = (),
    ) -> None:
        self.name, self._one_core = name, one_core
        self._controls, self._progress, self._bench = controls, progress, bench
        self._recorder, self._scratch = recorder, scratch
        self._references: dict[str, str] = {}
        self._calibrated_work = {
            work: progress.amounts[case.id][name]
            for case in cases
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
            control=case.id in self._controls,
            one_core=case.id in self._one_core,
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
