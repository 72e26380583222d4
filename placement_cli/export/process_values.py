"""What other tools are given of a run: one value for each process, that is for each arm of each valid block.

A process is what is repeated independently; the rounds within one are not. Tools that pool all values of a file would
take them for independent and find differences where there are none, so the rounds are reduced to their median here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from statistics import median

from placement_cli.bench.metrics import LATENCY, LATENCY_P95, METRICS, Metric
from placement_cli.bench.says import fault_reason
from placement_cli.errors import NothingComparable, UsageError, did_you_mean
from placement_cli.export.plain_names import unique_names
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Reading
from placement_cli.statistics.cost import Estimate, estimate
from placement_cli.store.run_document import BlockRecord, CaseRecord, RunDocument, SampleRecord


@dataclass(frozen=True, slots=True)
class ProcessValue:
    """One arm in one block: the median over its rounds, of one message, and its warm-ups, oldest first."""

    block: BlockRecord
    messages: int
    value: float
    warmups: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ArmValues:
    """One metric of one arm of one case, a value a process, in the order they ran.

    `label` is one line that no other arm of a case of the run has: the id of the case and, unless one arm was asked
    for, the arm.
    """

    case: CaseRecord
    arm: str
    metric: Metric
    label: str
    processes: tuple[ProcessValue, ...]

    @property
    def name(self) -> str:
        """What other tools call it: the label and the key of the metric."""
        return f"{self.label} {self.metric.key}"

    @property
    def middle(self) -> Estimate:
        """The median over the processes and its exact 95 % interval, None where there are too few."""
        return estimate([process.value for process in self.processes])


def arm_values(document: RunDocument, arm: str | None = None) -> list[ArmValues]:
    """Return what every arm took in every metric of its case, or of each case the arm called `arm` alone.

    Cases whose measurement is not trusted are left out, and so are blocks that only confirm what a gate had flagged,
    and what has no value above zero. All arms of a case hold values of the same blocks, so that files of two arms can
    be compared. Raises UsageError for an arm that no case has.
    """
    if arm is not None and arm not in (known := arm_names(document)):
        raise UsageError(f"--arm {arm}: no case of this run has such an arm. {did_you_mean(arm, known)}")
    chosen = [(case, name) for case in document.cases for name in case.arms if arm in (None, name)]
    labels = unique_names([case.id if arm is not None else f"{case.id} {name}" for case, name in chosen])
    by_arm = {(case.id, name): label for (case, name), label in zip(chosen, labels, strict=True)}
    return [
        ArmValues(case, name, metric, by_arm[case.id, name], processes)
        for case in document.cases
        if not fault_reason(case)
        for metric in METRICS[Reading(case.reading)]
        for name, processes in _of_arms(case, metric).items()
        if (case.id, name) in by_arm
    ]


def values_in(units: Collection[str], document: RunDocument, arm: str | None, form: str) -> list[ArmValues]:
    """Return the values of arms that the format called `form` has a unit for; raises NothingComparable without any.

    Other tools refuse an empty file, or take it for a success.
    """
    found = [values for values in arm_values(document, arm) if values.metric.unit in units]
    if not found:
        raise NothingComparable(f"No case holds a valid measurement in a unit of {form}: {form} would be empty.")
    return found


def arm_names(document: RunDocument) -> list[str]:
    """Return the names of the arms of all cases, in their order."""
    return list(dict.fromkeys(name for case in document.cases for name in case.arms))


def _of_arms(case: CaseRecord, metric: Metric) -> dict[str, tuple[ProcessValue, ...]]:
    """Return the processes of each arm that was measured, from the blocks in which all of those have a value."""
    blocks = [dict(_of_block(case, block, metric)) for block in case.counted]
    measured = [name for name in case.arms if any(name in block for block in blocks)]
    whole = [block for block in blocks if all(name in block for name in measured)]
    return {name: tuple(block[name] for block in whole) for name in measured if whole}


def _of_block(case: CaseRecord, block: BlockRecord, metric: Metric) -> Iterator[tuple[str, ProcessValue]]:
    for name in case.arms:
        samples = [record for record in block.samples if record.arm == name and _holds(record, metric)]
        rounds = [_read(record, metric) for record in samples if record.phase == "measure"]
        if rounds and all(math.isfinite(value) and value > 0 for value in rounds):
            warmups = tuple(_read(record, metric) for record in samples if record.phase == "warmup")
            yield name, ProcessValue(block, samples[0].messages, median(rounds), warmups)


def _holds(record: SampleRecord, metric: Metric) -> bool:
    """Tell whether a sample holds what `metric` is read from: latencies of messages are not there in every one."""
    return metric not in (LATENCY, LATENCY_P95) or bool(record.latency_s)


def _read(record: SampleRecord, metric: Metric) -> float:
    return metric.read(Sample.from_json(record.model_dump(exclude_none=True)))
