"""Configurations as the arrays a fit works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from placement_cli.fit.block_priors import TERM_ORDER
from placement_cli.fit.robust import Data
from placement_cli.profile.terms import Thresholds, block_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from placement_cli.fit.observations import Configuration


def block_data(configurations: Sequence[Configuration], thresholds: Thresholds, item_bytes: int = 4) -> Data:
    """Return the amounts of every term in every timing, with its seconds and the number of its configuration."""
    rows = [
        (number, timing.seconds, block_terms(timing.formulation, entry.samples, thresholds, item_bytes))
        for number, entry in enumerate(configurations)
        for timing in entry.timings
    ]
    return Data(
        np.array([[amounts.get(name, 0.0) for name in TERM_ORDER] for _, _, amounts in rows], dtype=np.float64),
        np.array([seconds for _, seconds, _ in rows], dtype=np.float64),
        np.array([number for number, _, _ in rows], dtype=np.intp),
    )


class BlockTable:
    """The arrays of some configurations for every set of thresholds asked for, each counted once.

    A fit searches thresholds and held-out validation repeats that for many subsets; counting would take
    longer than fitting.
    """

    def __init__(self, configurations: Sequence[Configuration], item_bytes: int = 4) -> None:
        """Raises ValueError when there are no configurations."""
        if not configurations:
            raise ValueError("a fit needs at least one configuration")
        self.configurations = tuple(configurations)
        self.item_bytes = item_bytes
        self._counted: dict[Thresholds, Data] = {}

    def data(self, thresholds: Thresholds, members: NDArray[np.bool_] | None = None) -> Data:
        """Return the arrays of all configurations, or of those that `members` marks."""
        if thresholds not in self._counted:
            self._counted[thresholds] = block_data(self.configurations, thresholds, self.item_bytes)
        counted = self._counted[thresholds]
        return counted if members is None else counted.chosen(np.flatnonzero(members[counted.groups]))


def resampled(data: Data, generator: np.random.Generator) -> Data:
    """Return `data` with its configurations drawn again with replacement; timings of one stay together."""
    groups = np.unique(data.groups)
    members = [np.flatnonzero(data.groups == group) for group in groups]
    picks = generator.integers(groups.size, size=groups.size)
    return data.chosen(np.concatenate([members[pick] for pick in picks]))
