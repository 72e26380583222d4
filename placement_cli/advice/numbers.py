"""The numbers of one placement: what it is predicted to do, as plain floats."""

from __future__ import annotations

from dataclasses import dataclass, fields

from placement_cli.advice.advice import Placement
from placement_cli.advice.playing import Outcome
from placement_cli.timeline.program import Vector


@dataclass(frozen=True, slots=True)
class Numbers:
    """One row of an `Outcome`, with its placement and the bytes in flight that the search counts."""

    placement: Placement
    memory_bytes: float
    period_s: float
    host_s: float
    host_busy_s: float
    device_s: float
    latency_s: float
    latency_p90_s: float
    blocked_s: float
    waited_s: float
    ahead: float
    capacity: float
    longest_s: float
    busiest_s: float

    @property
    def device_busy(self) -> float:
        """Share of the time that the device works."""
        return min(1.0, self.device_s / self.period_s) if self.period_s > 0 else 0.0


def numbers_of(placement: Placement, outcome: Outcome, memory: Vector, row: int) -> Numbers:
    """Return the numbers of one row, to nine digits: what differs less is the same, and compares as equal."""
    names = [field.name for field in fields(Numbers) if field.name not in {"placement", "memory_bytes"}]
    return Numbers(placement, float(memory[row]), *(_rounded(getattr(outcome, name)[row]) for name in names))


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")
