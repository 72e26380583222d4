"""Configurations as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from placement_cli.fit.block_data import BlockTable, block_data, resampled
from placement_cli.fit.block_priors import TERM_ORDER
from placement_cli.fit.observations import Configuration
from placement_cli.profile.terms import Thresholds, block_terms


def test_rows_are_timings_and_columns_terms(configurations: tuple[Configuration, ...]) -> None:
    """Every timing has its amounts in the order of the terms, its seconds and its configuration."""
    data = block_data(configurations, Thresholds())
    second = configurations[1].timings[2]
    at = len(configurations[0].timings) + 2
    amounts = block_terms(second.formulation, configurations[1].samples, Thresholds())

    assert data.amounts.shape == (sum(len(entry.timings) for entry in configurations), len(TERM_ORDER))
    assert dict(zip(TERM_ORDER, data.amounts[at], strict=True)) == {n: amounts.get(n, 0.0) for n in TERM_ORDER}
    assert data.seconds[at] == second.seconds
    assert data.groups[at] == 1


def test_members_are_counted_as_if_alone(configurations: tuple[Configuration, ...]) -> None:
    """A subset of a table is the table of the subset."""
    members = np.arange(len(configurations)) % 3 == 0
    part = BlockTable(configurations).data(Thresholds(), members)
    alone = block_data([entry for entry, kept in zip(configurations, members, strict=True) if kept], Thresholds())

    assert np.array_equal(part.amounts, alone.amounts)
    assert np.array_equal(part.seconds, alone.seconds)


def test_a_table_needs_configurations() -> None:
    """Nothing cannot be fitted."""
    with pytest.raises(ValueError, match="at least one"):
        BlockTable([])


def test_resampling_keeps_configurations_whole(configurations: tuple[Configuration, ...]) -> None:
    """A drawn configuration brings all its timings, as often as it was drawn."""
    data = block_data(configurations, Thresholds())
    drawn = resampled(data, np.random.default_rng(0))
    per_group = np.bincount(data.groups)
    counts = np.bincount(drawn.groups, minlength=per_group.size)

    assert np.all(counts % per_group == 0)
    assert (counts // per_group).sum() == len(configurations)
    assert 0 < (counts == 0).sum() < len(configurations)
