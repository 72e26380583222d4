"""From blocks to verdicts: pure, so that every path is tested without measuring anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from typing import Any, Protocol

from placement_cli.bench.metrics import METRICS, Metric, primary
from placement_cli.device.readings import Thermal
from placement_cli.errors import InvalidMeasurement, ScenarioFailed
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.specs import Case
from placement_cli.statistics.bootstrap import bootstrap_interval
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.noise_floor import EffectFloor, effect_floor, noise_floor
from placement_cli.statistics.pairing import block_log_ratio
from placement_cli.statistics.stopping import Decision, StoppingRule, decide
from placement_cli.statistics.verdict import Verdict, VerdictKind, invalid

LEAST_BLOCKS = 6
"""Fewer valid blocks give no verdict (measurement.md, 7)."""
CONTROL_LEANS = "control-leans"
"""The code of the diagnostic that says that the design itself favours a side: then nothing of a run is trusted."""
SPOILT_SHARE = 0.5
"""When more than this share of a case's blocks drift even after a double warm-up, or were taken while heat held the
machine back, its numbers are not trusted."""
HOT = frozenset({Thermal.HEAVY, Thermal.TRAPPING, Thermal.SLEEPING})
"""States in which the machine is slower than it would be for any pipeline: `moderate` is an ordinary day's work."""


class Block(Protocol):
    """What must be known of a block to say whether its case can be trusted: a measured one, or one of a document."""

    @property
    def kind(self) -> str:
        """`crash`, `disagreement`, `drift`, or nothing."""

    @property
    def reason(self) -> str:
        """What happened."""

    @property
    def valid(self) -> bool:
        """Whether it takes part in verdicts."""

    @property
    def state(self) -> Sequence[Mapping[str, Any]]:
        """The state of the host before and after."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why what was measured of a case is not trusted.

    `kind` is `crash`, `disagreement`, `drift`, `heat`, or `bias` for a fault of the whole run.
    """

    kind: str
    reason: str

    @property
    def exit_code(self) -> int:
        """6 where a scenario failed, 5 where it is the measurement that is invalid."""
        return ScenarioFailed.exit_code if self.kind in ("crash", "disagreement") else InvalidMeasurement.exit_code


@dataclass(frozen=True, slots=True)
class Compared:
    """One arm against the base in one metric: the log ratio of every valid block, and what follows."""

    base: str
    new: str
    metric: Metric
    log_ratios: tuple[float, ...]
    floor: EffectFloor
    verdict: Verdict
    stop: bool

    @property
    def bootstrap(self) -> tuple[float, float] | None:
        """A percentile bootstrap of the median ratio, for the document alone."""
        if len(self.log_ratios) < LEAST_BLOCKS:
            return None
        interval = bootstrap_interval(self.log_ratios)
        return None if interval is None else (exp(interval.low), exp(interval.high))


def valid_blocks(blocks: Sequence[CaseBlock]) -> list[CaseBlock]:
    """Return the blocks that take part in verdicts."""
    return [block for block in blocks if block.valid]


def log_ratios(blocks: Sequence[CaseBlock], base: str, new: str, metric: Metric) -> list[float]:
    """Return one log ratio a valid block: above zero means `new` is slower or takes more."""
    return [
        block_log_ratio(
            [metric.read(sample) for sample in block.measured(base)],
            [metric.read(sample) for sample in block.measured(new)],
        )
        for block in valid_blocks(blocks)
    ]


def control_ratios(case: Case, blocks: Sequence[CaseBlock], metric: Metric) -> list[float]:
    """Return the log ratios of the control, a second process of the base arm, where the blocks hold one."""
    controlled = [block for block in blocks if CONTROL in block.pids]
    return log_ratios(controlled, case.base, CONTROL, metric)


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the cases of one scenario.

    `noise` maps a metric's key to its noise floor, where a control ran. `bias` says why the whole run is not
    trusted, where that is so.
    """

    min_effect: float
    rule: StoppingRule
    noise: Mapping[str, float]
    bias: str = ""

    def floor(self, metric: Metric, timer_quantum: float = 0.0) -> EffectFloor:
        """Return the smallest effect that counts in `metric`."""
        return effect_floor(self.min_effect, self.noise.get(metric.key, 0.0), timer_quantum)

    def compare(self, case: Case, blocks: Sequence[CaseBlock], *, exhausted: bool = False) -> list[Compared]:
        """Compare every arm with the base in every metric of the case's reading, the primary one first."""
        return [
            self._one(case, blocks, arm.name, metric, exhausted)
            for metric in METRICS[case.reading]
            for arm in case.others
        ]

    def fault(self, blocks: Sequence[CaseBlock]) -> Fault | None:
        """Return why these blocks of a case are not trusted, None when they are."""
        return case_fault(blocks) or (Fault("bias", self.bias) if self.bias else None)

    def finished(self, case: Case, blocks: Sequence[CaseBlock]) -> bool:
        """Tell whether more blocks of `case` are not needed: every primary comparison says stop."""
        if hopeless(blocks):
            return True
        if not case.others:
            return len(valid_blocks(blocks)) >= LEAST_BLOCKS
        metric = primary(case.reading)
        compared = [each for each in self.compare(case, blocks) if each.metric is metric]
        return all(each.stop for each in compared)

    def _one(self, case: Case, blocks: Sequence[CaseBlock], new: str, metric: Metric, exhausted: bool) -> Compared:
        floor = self.floor(metric)
        ratios = log_ratios(blocks, case.base, new, metric)
        if fault := self.fault(blocks):
            verdict = invalid(fault.reason, ratios, floor)
            return Compared(case.base, new, metric, tuple(ratios), floor, verdict, stop=False)
        if not ratios:
            verdict = Verdict(VerdictKind.INCONCLUSIVE, None, None, 0, floor, "No block was measured.")
            return Compared(case.base, new, metric, (), floor, verdict, stop=False)
        decision: Decision = decide(ratios, floor, self.rule, self.rule.stages[-1], exhausted=exhausted)
        return Compared(case.base, new, metric, tuple(ratios), floor, decision.verdict, decision.stop)


def hopeless(blocks: Sequence[Block]) -> bool:
    """Tell whether no further block can save a case: an arm computes other values, or crashed more than once."""
    kinds = [block.kind for block in blocks]
    return "disagreement" in kinds or kinds.count("crash") > 1


def case_fault(blocks: Sequence[Block]) -> Fault | None:
    """Return why a case with these blocks is not trusted, None when it is."""
    for kind in ("disagreement", "crash"):
        found = [block for block in blocks if block.kind == kind]
        if found and (hopeless(found) or sum(block.valid for block in blocks) < LEAST_BLOCKS):
            return Fault(kind, found[-1].reason)
    if len(blocks) < LEAST_BLOCKS:
        # Too few for any verdict, and so for this one: one unlucky block of a run that was cut short spoils nothing.
        return None
    drifting = [block.reason for block in blocks if block.kind == "drift"]
    if len(drifting) > SPOILT_SHARE * len(blocks):
        what = f"{len(drifting)} of {len(blocks)} blocks drift even after a double warm-up"
        return Fault("drift", f"{what}: {drifting[-1]}")
    hot = sum(any(state.get("thermal") in HOT for state in block.state) for block in blocks)
    if hot > SPOILT_SHARE * len(blocks):
        return Fault("heat", f"heat held the machine back in {hot} of {len(blocks)} blocks")
    return None


def noise_floors(case: Case, blocks: Sequence[CaseBlock], planned: int) -> dict[str, float]:
    """Return the noise floor of each metric from the control of `case`, for verdicts over `planned` blocks."""
    floors: dict[str, float] = {}
    for metric in METRICS[case.reading]:
        ratios = control_ratios(case, blocks, metric)
        if len(ratios) >= LEAST_BLOCKS:
            floors[metric.key] = noise_floor(ratios, planned)
    return floors


def control_lean(case: Case, blocks: Sequence[CaseBlock]) -> float | None:
    """Return the median log ratio of the control in the primary metric, None without one."""
    ratios = control_ratios(case, blocks, primary(case.reading))
    return median(ratios) if ratios else None
