"""One constant of a machine: its value, how sure it is, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True)
class Constant:
    """A value with the interval it lies in (5 to 95 % of the refits) and the unit both are in.

    `identified` says whether the data determined it; when not, the value leans on a prior and `source` says
    so. `low` and `high` are None where no interval can be given, as for a threshold chosen from a grid.
    Raises ValueError when a number is not finite or the value lies outside its interval.
    """

    value: float
    low: float | None
    high: float | None
    unit: str
    identified: bool
    source: str

    def __post_init__(self) -> None:
        numbers = [number for number in (self.low, self.value, self.high) if number is not None]
        if not all(isfinite(number) for number in numbers):
            raise ValueError(f"a constant is finite, not {numbers}")
        if numbers != sorted(numbers):
            raise ValueError(f"{self.value} lies outside its interval {self.low} to {self.high}")
