"""What a rule says about one process, and the words and shares that rules have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from placement_cli.diagnose.finding import Finding, Severity
from placement_cli.diagnose.findings.thresholds import NAMES
from placement_cli.tracing.raw import EVALUATING_KINDS, Place, RawError, RawPoint, RawProcess


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding in one thread of one process.

    `stake` is what is at stake as a share from 0 to 1: seconds of the run, bytes of the most that was in use.
    `aspect` tells findings of one code at one place apart. `thread` is empty where the whole process is meant.
    """

    finding: Finding
    stake: float
    aspect: str
    thread: str

    @property
    def key(self) -> tuple[str | int | None, ...]:
        """What the same finding of another thread or process has in common with this one."""
        finding = self.finding
        return (finding.code, finding.file, finding.line, finding.node, self.aspect)


def seen(
    code: str,
    severity: Severity,
    place: Place | None,
    *,
    node: str | None,
    says: str,
    fix: str,
    next_check: str,
    stake: float = 0.0,
    aspect: str = "",
    thread: str = "",
    line: int | None = None,
    **evidence: float | str | None,
) -> Seen:
    """Return a finding at `place`, or at another `line` of its file."""
    file = None if place is None else place.file
    at = line if line is not None or place is None else place.line
    finding = Finding(code, severity, file, at, node, says, fix, next_check, evidence)
    return Seen(finding, min(1.0, max(0.0, stake)), aspect, thread)


def run_share(process: RawProcess, seconds: float) -> float:
    """Return seconds as a share of the run; 0 for a run that took none."""
    return seconds / process.duration_s if process.duration_s > 0 else 0.0


def memory_share(process: RawProcess, size: float) -> float:
    """Return bytes as a share of the most that MLX had in use and in its cache at a sample; 0 without samples."""
    most = max((sample.active + sample.cache for sample in process.memory), default=0)
    return size / most if most > 0 else 0.0


def active_growth(process: RawProcess) -> int:
    """Return bytes that active memory rose by, from the first sample to the largest.

    The last sample may have been taken when the variables of functions that ended had been given back.
    """
    active = [sample.active for sample in process.memory]
    return max(active) - active[0] if active else 0


def blocked_in_all(process: RawProcess) -> float:
    """Return the seconds that all points of a process were blocked."""
    return sum(point.blocked_s for point in process.points)


def later_s(point: RawPoint) -> float:
    """Return the seconds of all calls but the first, which loads kernels and computes what was set up as well."""
    return max(0.0, point.blocked_s - point.first_s)


def evaluating(process: RawProcess) -> list[RawPoint]:
    """Return the points that schedule what is lazy."""
    return [point for point in process.points if point.kind in EVALUATING_KINDS]


def evaluated_calls(point: RawPoint) -> float:
    """Return about how many calls computed what they were given themselves, from those that were checked."""
    return point.count * point.pending_calls / point.checked_calls if point.checked_calls else 0.0


def message_of(error: RawError) -> str:
    """Return the message of an error on one line, without a full stop at its end."""
    return " ".join(error.message.split()).rstrip(".") or "no message"


def at(place: Place) -> str:
    """Return a place for a sentence, such as `decode.py:12`."""
    return f"{PurePath(place.file).name or place.file}:{place.line}"


def function_of(place: Place) -> str | None:
    """Return the function for the node of a finding; None at the top of a file."""
    return None if place.function in {"", "<module>"} else place.function


def counted(number: float, one: str, many: str | None = None) -> str:
    """Return a number with its noun, thousands apart: `1 call`, `4,000 calls`."""
    whole = round(number)
    return f"{whole:,} {one if whole == 1 else many or one + 's'}"


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence, each once: `a`, `b` and 3 more."""
    every = [f"`{' '.join(name.split())}`" for name in dict.fromkeys(names)]
    if len(every) > NAMES:
        return f"{', '.join(every[:NAMES])} and {len(every) - NAMES} more"
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)
