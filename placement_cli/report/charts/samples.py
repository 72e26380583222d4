"""The samples that pictures are drawn from: measured ones of valid blocks, in the order they were taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from placement_cli.bench.metrics import METRICS, Metric
from placement_cli.measure.sample import Sample
from placement_cli.report.charts.axes import MOST, drawable
from placement_cli.store.run_document import BlockRecord, CaseRecord, SampleRecord

MOST_MESSAGES = 10**12
"""No sample holds more; a document that says so is not believed."""


def measured(case: CaseRecord, arm: str) -> list[SampleRecord]:
    """Return the samples of `arm` that summaries rest on."""
    return [sample for block in case.counted for sample in in_block(block, arm)]


def in_block(block: BlockRecord, arm: str) -> list[SampleRecord]:
    """Return the measured samples of `arm` in one block, in the order of the rounds."""
    own = (each for each in block.samples if each.arm == arm and each.phase == "measure")
    taken = [each for each in own if 0 < each.messages <= MOST_MESSAGES]
    return sorted(taken, key=lambda sample: sample.round)


def primary_of(case: CaseRecord) -> Metric | None:
    """Return the metric that verdicts of this case rest on first; None for a reading that is not known here."""
    return next((metrics[0] for reading, metrics in METRICS.items() if reading == case.reading), None)


def reading_of(sample: SampleRecord, metric: Metric) -> float | None:
    """Return `metric` of one sample, as verdicts read it; None where there is nothing above zero to draw."""
    if metric.key == "latency_s" and not sample.latency_s:
        return None
    value = metric.read(Sample.from_json(sample.model_dump(exclude_none=True)))
    return value if drawable([value]) else None


def block_number(block: BlockRecord) -> int:
    """Return the number of a block as people count, from 1."""
    return max(0, min(block.index, MOST_MESSAGES)) + 1


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers the blocks of a scenario's cases: those that confirm what was flagged go on after all others."""

    first: int
    again: bool

    @classmethod
    def of(cls, cases: Sequence[CaseRecord]) -> Numbers:
        """Return the numbers of the blocks of `cases`."""
        blocks = [block for case in cases for block in case.blocks]
        first = max((block_number(block) for block in blocks if not block.confirms), default=0)
        return cls(first, any(block.confirms for block in blocks))

    def __call__(self, block: BlockRecord) -> int:
        """Return the number of a block, from 1."""
        return block_number(block) + (self.first if block.confirms else 0)

    def sentence(self) -> str:
        """Return what a reader must know of the numbers, empty where there is nothing to know."""
        return f" Blocks from {self.first + 1} on are fresh ones, which measured again what was flagged." * self.again


def middles(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the median of each position over rows that may differ in length."""
    longest = max(map(len, rows), default=0)
    return [median(row[place] for row in rows if place < len(row)) for place in range(longest)]


def lists_of(
    case: CaseRecord, arm: str, pick: Callable[[SampleRecord], Sequence[float] | None]
) -> list[Sequence[float]]:
    """Return the readings of single messages of each sample of `arm` that has them."""
    found = [values for values in map(pick, measured(case, arm)) if values]
    return [values for values in found if max(values) <= MOST and min(values) >= -MOST]


def peaks(values: Sequence[float], most: int) -> tuple[list[tuple[int, float]], int]:
    """Return positions (from 1) and values, of at most `most` equal stretches the largest each, and their length."""
    length = max(1, ceil(len(values) / most))
    starts = range(0, len(values), length)
    found = [max(range(start, min(start + length, len(values))), key=values.__getitem__) for start in starts]
    return [(place + 1, values[place]) for place in found], length


def summarised(case: CaseRecord) -> Iterator[str]:
    """Yield the arms of a case that have a summary; the control is none of them."""
    return (arm for arm in case.arms if arm in case.summary)
