"""Timings in upstream's four constants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placement_cli.fit.observations import Configuration
from placement_cli.fit.upstream_fit import fit_upstream, upstream_computes
from placement_cli.profile.upstream import APPLE


def by_upstream(entry: Configuration, rate: float) -> Configuration:
    """The same products with times that follow upstream's own model exactly."""
    timings = tuple(
        replace(timing, seconds=rate * APPLE(timing.formulation, entry.samples), halves=None)
        for timing in entry.timings
    )
    return replace(entry, timings=timings)


@pytest.mark.parametrize("rate", [1e-12, 1e-9])
def test_its_own_constants_are_found_again(configurations: tuple[Configuration, ...], rate: float) -> None:
    """Times made by the shipped constants give them back, at any speed of the machine."""
    found = fit_upstream([by_upstream(entry, rate) for entry in configurations], draws=10)

    for name in ("weight_load_samples", "call_cost_macs", "gather_cost_macs"):
        constant = getattr(found, name)
        assert constant.value == pytest.approx(getattr(APPLE, name).value, rel=0.02), name
        assert constant.identified, name


def test_what_upstream_cannot_compute_takes_no_part(configurations: tuple[Configuration, ...]) -> None:
    """Batched times, however odd, change nothing."""
    odd = [
        replace(
            entry,
            timings=tuple(
                replace(timing, seconds=timing.seconds * (100 if timing.name.startswith("batch") else 1), halves=None)
                for timing in entry.timings
            ),
        )
        for entry in configurations
    ]

    assert fit_upstream(odd, draws=5) == fit_upstream(configurations, draws=5)


def test_only_dense_and_loops_are_upstreams(configurations: tuple[Configuration, ...]) -> None:
    """Dense, loops and permuted loops are what it can choose."""
    able = {timing.name for timing in configurations[0].timings if upstream_computes(timing)}

    assert able == {"dense", "loop1", "loop2", "loop4", "perm1"}


def test_a_cost_that_is_not_there_is_not_identified(configurations: tuple[Configuration, ...]) -> None:
    """Without any weight load in the times its constant is told to be undetermined, call cost is not."""
    bare = replace(APPLE, weight_load_samples=replace(APPLE.weight_load_samples, value=0.0))
    entries = [
        replace(
            entry,
            timings=tuple(
                replace(timing, seconds=1e-10 * bare(timing.formulation, entry.samples), halves=None)
                for timing in entry.timings
            ),
        )
        for entry in configurations
    ]
    found = fit_upstream(entries, draws=10, dispatched=True)

    assert not found.weight_load_samples.identified
    assert found.call_cost_macs.identified
    assert found.dispatched
