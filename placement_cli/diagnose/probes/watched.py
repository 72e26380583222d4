"""Calls that are watched: how long they take, what they leave lazy, and how that is put into words.

Every call is made several times on fresh work and the shortest time counts: whatever else runs on the machine only
adds, so a call that does not wait shows it at least once, and one that waits never looks as if it did not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration

TRIALS = 3
"""How often a call is made. More cost a work each and change nothing unless the machine is hopelessly busy."""
NOTHING = "none"
"""Stands for the error of a call that raised none."""

Call = Callable[[Any, Any], Any]
"""What is done to an array: takes MLX's core module and the array."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A call on lazy work: the shortest time, and the operations pending behind the work before and after."""

    took_s: float
    before: int
    after: int

    def waits(self, rig: Rig) -> bool:
        """Tell whether it waited for the work and left nothing of the graph."""
        return rig.waited(self.took_s) and self.before > 0 and self.after == 0

    def leaves_lazy(self, rig: Rig) -> bool:
        """Tell whether it returned at once and left the graph as it was."""
        return not rig.waited(self.took_s) and self.after == self.before > 0


def watch(rig: Rig, call: Call) -> Watched:
    """Make the call on fresh lazy work, TRIALS times; of the operations left pending the most count."""
    trials = [_trial(rig, call) for _ in range(TRIALS)]
    return Watched(min(took for took, _, _ in trials), trials[0][1], max(after for _, _, after in trials))


def _trial(rig: Rig, call: Call) -> tuple[float, int, int]:
    array = rig.work()
    before = rig.pending_ops(array)
    rig.quiet()
    took_s = rig.timed(lambda: call(rig.mx, array))
    after = rig.pending_ops(array)
    rig.quiet()
    return took_s, before, after


def watch_all(rig: Rig, calls: Mapping[str, Call]) -> dict[str, Watched]:
    """Watch each of the calls."""
    return {name: watch(rig, call) for name, call in calls.items()}


def repeated(rig: Rig, trial: Callable[[], tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Run a trial TRIALS times and return what it measured by column, each with a reading per trial.

    A trial must leave nothing running on a stream other than the default one.
    """
    readings = []
    for _ in range(TRIALS):
        rig.quiet()
        readings.append(trial())
    return list(zip(*readings, strict=True))


def error_of(call: Callable[[], Any]) -> str:
    """Return the name of the error that the call raises, or NOTHING."""
    try:
        call()
    except (ValueError, RuntimeError, TypeError) as error:
        return type(error).__name__
    return NOTHING


def seconds(rig: Rig, **times_s: float) -> dict[str, float]:
    """Return the times as numbers of an observation, in seconds, with that of the work."""
    return {f"{name}_s": took_s for name, took_s in {**times_s, "work": rig.work_s}.items()}


def numbers_of(rig: Rig, watched: Mapping[str, Watched]) -> dict[str, float]:
    """Return the numbers of watched calls: seconds and nodes left of each, and the nodes before."""
    numbers = seconds(rig, **{name: call.took_s for name, call in watched.items()})
    numbers["before_nodes"] = min(call.before for call in watched.values())
    return numbers | {f"{name}_after_nodes": call.after for name, call in watched.items()}


def spoken(rig: Rig, watched: Mapping[str, Watched]) -> str:
    """Say of each call how long it took beside the work, and how many of the pending operations it left."""
    lefts = {call.after for call in watched.values()}
    before = max(call.before for call in watched.values())
    calls = [f"{name} took {format_duration(call.took_s)}" for name, call in watched.items()]
    if len(lefts) == 1:
        after = f"; of {before} pending operations {lefts.pop()} were left"
    else:
        calls = [f"{said} and left {call.after}" for said, call in zip(calls, watched.values(), strict=True)]
        after = f" of {before} pending operations"
    return f"With work of {format_duration(rig.work_s)} to do, {', '.join(calls)}{after}."


def unlike(rig: Rig, alike: bool, before: str) -> str | None:
    """Return how what was seen is not what was measured before, which was on the CPU backend; None elsewhere."""
    if alike or rig.backend != "cpu":
        return None
    return f"Not as measured before ({before})."
