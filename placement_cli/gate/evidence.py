"""What decides the comparisons of a gate: log ratios taken from blocks, and the noise floors in them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from placement_cli.bench.judge import LEAST_BLOCKS, Fault, case_fault, control_ratios, log_ratios
from placement_cli.bench.metrics import METRICS, Metric
from placement_cli.gate.suite import BASE, NEW, GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.noise_floor import noise_floor

Blocks = Mapping[str, Sequence[CaseBlock]]
"""The blocks of each case, by its id."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What decides one comparison: one log ratio a valid block, above zero where it is slower than the base, or more.

    `new` are those of the new side, `control` those of the base in a second process. `fault` says why none of them is
    trusted, where that is so.
    """

    case: GateCase
    metric: Metric
    new: tuple[float, ...]
    control: tuple[float, ...]
    fault: str = ""

    @property
    def planned(self) -> int:
        """Blocks that its verdict rests on, at least as many as any verdict needs."""
        return max(LEAST_BLOCKS, len(self.new))


def gather(cases: Sequence[GateCase], blocks: Blocks, controls: Blocks) -> list[Evidence]:
    """Return the evidence of every comparison of `cases`; the control of the blocks in `controls` counts too."""
    return [
        _evidence(each, blocks.get(each.id, ()), controls.get(each.id, ()), metric)
        for each in cases
        for metric in METRICS[each.case.reading]
    ]


def _evidence(each: GateCase, blocks: Sequence[CaseBlock], more: Sequence[CaseBlock], metric: Metric) -> Evidence:
    fault = side_fault(blocks)
    return Evidence(
        case=each,
        metric=metric,
        new=tuple(log_ratios(blocks, BASE, NEW, metric)),
        control=tuple(control_ratios(each.case, [*blocks, *more], metric)),
        fault=fault.reason if fault else "",
    )


def side_fault(blocks: Sequence[CaseBlock]) -> Fault | None:
    """Return why these blocks of a case are not trusted, with the side it is the fault of; None when they are."""
    fault = case_fault(blocks)
    if fault is None or not fault.reason.startswith(CONTROL):
        return fault
    # The control is no side of its own.
    return replace(fault, reason=f"{BASE} ({CONTROL}){fault.reason.removeprefix(CONTROL)}")


def noises(evidence: Sequence[Evidence]) -> list[float]:
    """Return the noise floor of each comparison, as a log ratio; 0 where there is too little control to tell.

    It comes from its own control, drawn towards the middle one of all cases where it has few blocks.
    """
    own = [noise_floor(each.control, each.planned) if _enough(each) else None for each in evidence]
    by_metric: dict[str, list[float]] = {}
    for each, floor in zip(evidence, own, strict=True):
        if floor is not None:
            by_metric.setdefault(each.metric.key, []).append(floor)
    suite = {key: median(floors) for key, floors in by_metric.items()}
    return [
        noise_floor(each.control, each.planned, suite[each.metric.key]) if _enough(each) else 0.0 for each in evidence
    ]


def _enough(each: Evidence) -> bool:
    return len(each.control) >= LEAST_BLOCKS
