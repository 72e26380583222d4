"""The gate at work: blocks of both sides and the control, stage after stage, then fresh ones of what is flagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from statistics import median

from placement_cli.bench.judge import log_ratios
from placement_cli.bench.metrics import primary
from placement_cli.bench.stages import Halt, Jobs, Progress, Unrecorded, stage
from placement_cli.bench.watch import Watcher
from placement_cli.gate.evidence import Blocks
from placement_cli.gate.judging import (
    Finding,
    GateRule,
    bias,
    compare,
    confirmed,
    distrusted,
    open_cases,
    unsupported,
)
from placement_cli.gate.suite import BASE, NEW, GateCase
from placement_cli.measure.blocks import Bench
from placement_cli.measure.spawn import Spawn
from placement_cli.statistics.control import CONTROL

SUITE, AGAIN = "gate", "confirmation"
"""What the two parts of a gate are called where progress is told. Both draw their orders from the name of the first,
so that the second is the first turned round."""
FEW_FLAGGED = 3
"""Up to so many flagged cases are measured again together."""
CONFIRM_STAGES = (12, 20)
"""Blocks after which a second measurement is looked at: six alone cannot show that something is slower."""


@dataclass(slots=True)
class Measured:
    """Everything a gate measured: the blocks of each case, those of its confirmation, and why it stopped early."""

    first: Progress = field(default_factory=Progress)
    again: Progress = field(default_factory=Progress)
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a gate found: every comparison, with its confirmation where it was flagged; `bias` spoils them all."""

    cases: tuple[GateCase, ...]
    measured: Measured
    findings: tuple[Finding, ...]
    bias: str


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate to be run: its cases, how it decides, how blocks are driven, who watches, and what halts its two parts.

    `base` and `new` start the workers of the two sides. Without `confirm` what is flagged fails at once. `halt_again`
    is asked while what was flagged is measured again, `halt` before that, and then too where there is no other.
    """

    cases: tuple[GateCase, ...]
    rule: GateRule
    bench: Bench
    base: Spawn
    new: Spawn
    watcher: Watcher
    halt: Halt
    scratch: Path
    confirm: bool = True
    halt_again: Halt | None = None

    def run(self) -> Outcome:
        """Measure until every case is decided, measure what is flagged again, and return what was found.

        Raises ScenarioFailed when host work cannot be calibrated.
        """
        measured = Measured()
        measured.stopped = self._measure(SUITE, self.cases, measured.first, self.rule)
        found = self._compare(self.cases, measured.first, exhausted=bool(measured.stopped))
        spoilt = bias(self.cases, measured.first.blocks)
        if spoilt:
            found = distrusted(found, spoilt)
        elif self.confirm:
            found = self._confirmed(found, measured)
        return Outcome(self.cases, measured, tuple(found), spoilt)

    def _compare(self, cases: Sequence[GateCase], progress: Progress, *, exhausted: bool) -> list[Finding]:
        return unsupported(compare(cases, progress.blocks, self.rule, exhausted=exhausted))

    def _confirmed(self, found: Sequence[Finding], measured: Measured) -> list[Finding]:
        """Return `found` with what fresh blocks say of the flagged cases: first arm last, and no old worker."""
        ids = {each.case.id for each in found if each.flagged}
        cases = [case for case in self.cases if case.id in ids]
        if not cases:
            return list(found)
        rule = replace(self.rule, stages=CONFIRM_STAGES)
        measured.again.amounts = measured.first.amounts
        controls = measured.first.blocks
        stopped = ""
        for some in _strongest_first(cases, found):
            stopped = stopped or self._measure(AGAIN, some, measured.again, rule, controls)
        measured.stopped = measured.stopped or stopped
        repeats = compare(cases, measured.again.blocks, rule, exhausted=bool(stopped), controls=controls)
        return confirmed(found, repeats)

    def _measure(
        self,
        name: str,
        cases: Sequence[GateCase],
        progress: Progress,
        rule: GateRule,
        controls: Blocks | None = None,
    ) -> str:
        """Measure `cases` until each is decided; return why that stopped early, or an empty string.

        With `controls`, the blocks in which they were flagged, every order is turned round.
        """
        halt = self.halt if controls is None else self.halt_again or self.halt
        spawns = {BASE: self.base, CONTROL: self.base, NEW: self.new}
        bench = replace(self.bench, spawns=spawns, reverse=controls is not None)
        ids, alone = {each.id for each in cases}, {each.id for each in cases if each.one_core}
        jobs = Jobs(SUITE, [each.case for each in cases], ids, progress, bench, Unrecorded(), self.scratch, alone)
        self.watcher.scenario_started(name, len(cases), rule.stages[0])
        for target in rule.stages:
            left = open_cases(cases, progress.blocks, rule, controls)
            if not left:
                break
            if target != rule.stages[0]:
                self.watcher.stage_done(name, len(left), target)
            for block in stage([each.case for each in left], target, jobs, progress, bench, halt):
                progress.blocks[block.case_id].append(block)
                self.watcher.block_done(block.case_id, block.index, _estimate(cases, progress, block.case_id))
            if (reason := halt.reason()) and open_cases(cases, progress.blocks, rule, controls):
                return reason
        self.watcher.scenario_done(name)
        return ""


def _strongest_first(cases: Sequence[GateCase], found: Sequence[Finding]) -> list[list[GateCase]]:
    """Return the flagged cases in the order in which they are measured again.

    One that is confirmed decides the gate, so where they are many the largest effect has the first turn alone: should
    the time run out, it is there.
    """
    if len(cases) <= FEW_FLAGGED:
        return [list(cases)]
    effects = {each.case.id: each.compared.verdict.ratio or 0.0 for each in found if each.flagged}
    ordered = sorted(cases, key=lambda each: -effects[each.id])
    return [ordered[:1], ordered[1:]]


def _estimate(cases: Sequence[GateCase], progress: Progress, case_id: str) -> str:
    case = next(each.case for each in cases if each.id == case_id)
    ratios = log_ratios(progress.of(case), BASE, NEW, primary(case.reading))
    return f"{exp(median(ratios)):.3f}x" if ratios else ""
