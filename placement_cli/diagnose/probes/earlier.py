"""Figures that were measured before, and where what a probe sees now is not the same."""

from __future__ import annotations

from dataclasses import dataclass

from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration, format_size

WHERE = "CPU backend, MLX 0.32.4"
"""Where every figure with a number was measured before: two shared x86-64 cores, Linux, Python 3.11."""
TIMES = 3.0
"""Times count as the same within this factor: they were measured on another machine, which was busy too."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A figure from before: `what` it is, and from `low` to `high` what counts as the same.

    `unit` is `bytes`, `s` or a word for what is counted; it may go on, as in `bytes a message`.
    """

    what: str
    low: float
    high: float
    unit: str

    def difference(self, seen: float | None) -> str | None:
        """Return in a sentence how `seen` differs, None when it does not; `seen` None: there was nothing to see."""
        if seen is not None and self.low <= seen <= self.high:
            return None
        ends = [self._shown(self.low)] if self.low == self.high else [self._shown(self.low), self._shown(self.high)]
        here = "never seen" if seen is None else self._shown(seen)
        return f"{self.what}: expected from before ({WHERE}) {' to '.join(ends)}, here {here}."

    def _shown(self, value: float) -> str:
        quantity, _, each = self.unit.partition(" ")
        if quantity == "bytes":
            shown = format_size(value)
        else:
            shown = format_duration(value) if quantity == "s" else f"{value:.3g} {quantity}"
        return f"{shown} {each}" if each else shown


def about(what: str, seconds: float, unit: str = "s") -> Earlier:
    """Return a time from before, which is the same within a factor of `TIMES`."""
    return Earlier(what, seconds / TIMES, seconds * TIMES, unit)


def differing(rig: Rig, *pairs: tuple[Earlier, float | None]) -> str | None:
    """Return what differs from before on the backend that it was measured on; None when nothing does, and elsewhere."""
    if rig.backend != "cpu":
        return None
    return " ".join(said for earlier, seen in pairs if (said := earlier.difference(seen))) or None
