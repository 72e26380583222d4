"""What a point in a loop could save if the host worked while it waits: the shorter of working and waiting."""

from __future__ import annotations

from dataclasses import dataclass

from placement_cli.diagnose.findings.seen import later_s
from placement_cli.tracing.raw import RawPoint, RawProcess


@dataclass(frozen=True, slots=True)
class Overlap:
    """Seconds that the host worked between the calls of a point, waited in them, and took for all cycles together.

    None of them takes in the first call, nor what came before it: reading files and building a model happen once, and
    so does loading kernels. `worked_s` leaves out what the host slept or waited for a source, and what tracing took.
    """

    point: RawPoint
    worked_s: float
    waited_s: float
    cycles_s: float

    @property
    def saved_s(self) -> float:
        """The seconds that could be saved at best."""
        return min(self.worked_s, self.waited_s)

    @property
    def share(self) -> float:
        """The same as a share of all cycles; 0 where they took no time."""
        return self.saved_s / self.cycles_s if self.cycles_s > 0 else 0.0


def overlap_at(process: RawProcess, index: int) -> Overlap:
    """Return what overlap could save at the point with this index in the process."""
    point = process.points[index]
    # A step that was taken once is the way into the loop.
    steps = [step for step in process.steps if step.after == index and step.before >= 0 and step.count > 1]
    counting_s = sum(step.ops * process.cost.op_s + step.count * process.cost.call_s for step in steps)
    host_s = max(0.0, sum(step.host_s for step in steps) - counting_s)
    waited_s = later_s(point)
    cycles_s = max(point.last_at_s - point.first_at_s, host_s + waited_s)
    return Overlap(point, host_s * point.host_busy, waited_s, cycles_s)
