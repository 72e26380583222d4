"""The observations of one experiment as arrays, and drawing them again: processes first, then their rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from placement_cli.measure.evaluation.observation import CaseValue, Observation

Vector = NDArray[np.float64]
Key = tuple[tuple[str, "CaseValue"], ...]
"""A case with its entries in the order of their names."""


@dataclass(frozen=True, slots=True)
class Readings:
    """Values of every case, in one row each: rounds of all processes that were drawn, one process after another.

    Where all cases have equally many rounds, values at one place belong to one round.
    """

    values: Mapping[Key, Vector]

    def of(self, **case: CaseValue) -> Vector | None:
        """Return the values of the case with just these entries; None when it was not measured."""
        return self.values.get(key_of(case))

    def column(self, entry: str, **rest: CaseValue) -> list[tuple[float, Vector]]:
        """Return (`entry`, values) of the cases that have a number there and are `rest` besides, by that number."""
        wanted = set(rest.items())
        found = []
        for key, row in self.values.items():
            case = dict(key)
            number = case.pop(entry, None)
            if isinstance(number, float) and set(case.items()) == wanted:
                found.append((number, row))
        return sorted(found, key=lambda pair: pair[0])

    def distinct(self, entry: str) -> list[CaseValue]:
        """Return what stands at `entry` in any case, in order."""
        return sorted({value for key in self.values for name, value in key if name == entry}, key=repr)


def key_of(case: Mapping[str, CaseValue]) -> Key:
    """Return the case as a key."""
    return tuple(sorted(case.items()))


class Sittings:
    """The observations of one experiment, by process."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        """Observations of one case in one process are joined; their order does not matter."""
        joined: dict[int, dict[Key, list[float]]] = {}
        for entry in sorted(observations, key=lambda entry: (entry.process, repr(key_of(entry.case)), entry.values)):
            joined.setdefault(entry.process, {}).setdefault(key_of(entry.case), []).extend(entry.values)
        self._processes: list[dict[Key, Vector]] = [
            {key: np.array(values, dtype=np.float64) for key, values in cases.items()}
            for _, cases in sorted(joined.items())
        ]

    @property
    def processes(self) -> int:
        """In how many processes anything was measured."""
        return len(self._processes)

    @property
    def rounds(self) -> int:
        """The rounds of all processes together."""
        return sum(_rounds(cases) for cases in self._processes)

    def pooled(self) -> Readings:
        """Return everything that was measured."""
        return _joined(self._processes)

    def drawn(self, generator: np.random.Generator) -> Readings:
        """Return processes drawn with replacement, and of each rounds drawn likewise, the same for all its cases."""
        picks = generator.integers(self.processes, size=self.processes)
        return _joined([_resampled(self._processes[pick], generator) for pick in picks])


def _rounds(cases: Mapping[Key, Vector]) -> int:
    return max(row.size for row in cases.values())


def _resampled(cases: Mapping[Key, Vector], generator: np.random.Generator) -> dict[Key, Vector]:
    shares = generator.random(_rounds(cases))
    return {key: row[(shares[: row.size] * row.size).astype(np.intp)] for key, row in cases.items()}


def _joined(processes: Sequence[Mapping[Key, Vector]]) -> Readings:
    keys = sorted({key for cases in processes for key in cases}, key=repr)
    return Readings({key: np.concatenate([cases[key] for cases in processes if key in cases]) for key in keys})
