"""What each arm of a run was measured at, read off its document: pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from placement_cli.bench.metrics import COMPLETE, DISPATCH, LATENCY, LATENCY_P95, primary
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Reading
from placement_cli.statistics import cost
from placement_cli.store.run_document import CaseRecord, RunDocument

Blocks = Sequence[Sequence[Sample]]
"""The measured samples of one arm, block by block."""
Same = Mapping[str, Mapping[str, str]]
"""By the id of a case, the arms that are left out there, each with the arm that does the same."""


@dataclass(frozen=True, slots=True)
class Middle:
    """A median over blocks and its exact 95 % interval, whose bounds are None where there are too few blocks."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class MeasuredArm:
    """What one arm was measured at, per message.

    `period_s`: from one message to the next until all values are there. `host_s`: of that the host is held, waiting
    included. `in_flight_bytes`: the most bytes at one moment of a sample, beyond what was there before. `latency_s`,
    `latency_p95_s`: message in to values out, of a live source alone. `ratio`: time per message over that of the base,
    of a live source median latency over that of the base; above 1 is slower; None for the base itself. `verdict`
    (`faster`, `slower`, `same`, `inconclusive`, `invalid`) and `reason` are about it. `same_as` names the arm that
    does the same and stands for this one, where there is one.
    """

    name: str
    period_s: Middle
    host_s: Middle
    in_flight_bytes: Middle
    latency_s: Middle | None = None
    latency_p95_s: Middle | None = None
    ratio: Middle | None = None
    verdict: str = ""
    reason: str = ""
    same_as: str = ""


def measured_from(document: RunDocument, same: Same | None = None) -> tuple[MeasuredArm, ...]:
    """Return what each arm was measured at, in the order of the document; one without any valid block is missing.

    `same` is that of the scenario: arms that are left out follow those of their case, each with what stands for it.
    """
    found: list[MeasuredArm] = []
    for case in document.cases:
        arms = {name: _measured(case, name, blocks) for name in case.arms if (blocks := _blocks(case, name))}
        found += arms.values()
        twins = (same or {}).get(case.id, {})
        found += [replace(arms[twin], name=name, same_as=twin) for name, twin in twins.items() if twin in arms]
    return tuple(found)


def _blocks(case: CaseRecord, arm: str) -> Blocks:
    blocks = [
        [
            Sample.from_json(record.model_dump(exclude_none=True))
            for record in block.samples
            if record.arm == arm and record.phase == "measure"
        ]
        for block in case.blocks
        if block.valid
    ]
    return [samples for samples in blocks if samples]


def _measured(case: CaseRecord, name: str, blocks: Blocks) -> MeasuredArm:
    paced = case.reading == Reading.PACED
    arm = MeasuredArm(
        name,
        period_s=_middle(blocks, COMPLETE.read),
        host_s=_middle(blocks, DISPATCH.read),
        in_flight_bytes=_middle(blocks, lambda sample: float(sample.in_flight_bytes)),
    )
    return _judged(case, _of_paced(case, arm, blocks) if paced else arm)


def _of_paced(case: CaseRecord, arm: MeasuredArm, blocks: Blocks) -> MeasuredArm:
    """Return `arm` with what its source decides: no message comes sooner, and the host idles in between."""
    rate = case.params.get("rate")
    least_s = 1.0 / rate if isinstance(rate, int | float) and rate > 0 else 0.0

    def period_s(sample: Sample) -> float:
        return max(least_s, COMPLETE.read(sample))

    return replace(
        arm,
        period_s=_middle(blocks, period_s),
        host_s=_middle(blocks, lambda sample: (1.0 - (sample.free_share or 0.0)) * period_s(sample)),
        latency_s=_middle(blocks, LATENCY.read),
        latency_p95_s=_middle(blocks, LATENCY_P95.read),
    )


def _judged(case: CaseRecord, arm: MeasuredArm) -> MeasuredArm:
    """Return `arm` with what the comparison with the base says, where it was compared and gave a ratio."""
    metric = primary(Reading(case.reading)).key
    found = next((each for each in case.comparisons if each.new == arm.name and each.metric == metric), None)
    if found is None:
        return arm
    low, high = found.ci or (None, None)
    ratio = None if found.ratio is None else Middle(found.ratio, low, high)
    return replace(arm, ratio=ratio, verdict=found.verdict, reason=found.reason)


def _middle(blocks: Blocks, read: Callable[[Sample], float]) -> Middle:
    estimate = cost.estimate([median(map(read, samples)) for samples in blocks])
    interval = estimate.interval
    return Middle(estimate.median) if interval is None else Middle(estimate.median, interval.low, interval.high)
