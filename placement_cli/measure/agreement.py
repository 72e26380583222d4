"""Do an arm's values agree with the NumPy reference? A fast wrong arm is no winner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from placement_cli.measure.rig import Rig
from placement_cli.operators.agreement import disagreement


@dataclass(frozen=True, slots=True)
class Agreement:
    """The largest error of an arm against the reference, as a multiple of what its element type tolerates."""

    error: float
    where: str

    @property
    def agrees(self) -> bool:
        """Whether every value is within the tolerance."""
        return self.error <= 1.0


def compare_with_reference(rig: Rig, pool: Sequence[Any], reference: str, dtype: str) -> Agreement:
    """Feed the first messages to a fresh arm and compare every sink with the values saved in `reference`."""
    import numpy as np

    worst, where = 0.0, ""
    with np.load(reference, allow_pickle=False) as saved:
        count = 1 + max(int(key.split(".")[0]) for key in saved.files)
        for message in range(count):
            rig.feed((pool[message % len(pool)],))
            for sink, value in enumerate(rig.last):
                error = disagreement(value, saved[f"{message}.{sink}"], dtype)
                if error > worst:
                    worst, where = error, f"message {message + 1}, output {sink + 1}"
    rig.finish()
    return Agreement(worst, where)
