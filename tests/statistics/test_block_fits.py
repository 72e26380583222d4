"""Fits to recorded block timings: what they reach on rows they never saw, and that the shipped constants are they.

The bars are regrets: how much longer the chosen formulation took than the best of all that were measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from placement_cli.fit.block_data import BlockTable
from placement_cli.fit.block_fit import GRIDS, fit_point
from placement_cli.fit.block_profile import fit_block_profile
from placement_cli.fit.observations import Recording
from placement_cli.fit.recording_lines import parse_recording
from placement_cli.fit.rules import constant_rules
from placement_cli.fit.validation import cross_validate
from placement_cli.profile.block_constants import BlockConstants, BlockPrice
from placement_cli.profile.defaults import RECORDED, shipped_profile
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile

TIMINGS = Path(__file__).parents[1] / "data" / "block-timings"
MACHINE = "2 x86 cores (AMD EPYC)"
PROVENANCE = "fitted to timings recorded on 2 x86 cores, not on this machine"
KEYS = {
    "numpy-1-thread": ProfileKey(MACHINE, "numpy", 1, versions={"numpy": "2.4.6", "blas": "OpenBLAS 0.3.31 SkylakeX"}),
    "numpy-2-threads": ProfileKey(MACHINE, "numpy", 2, versions={"numpy": "2.4.6", "blas": "OpenBLAS 0.3.31 SkylakeX"}),
    "mlx-cpu": ProfileKey(MACHINE, "mlx-cpu", 1, versions={"mlx": "0.32.4", "blas": "reference"}),
}
REGRET_BARS = {"numpy-1-thread": 0.01, "numpy-2-threads": 0.015, "mlx-cpu": 0.015}


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS from spinning threads on the small matrices of a fit, which a busy machine punishes."""
    with threadpool_limits(limits=1):
        yield


@cache
def recording(name: str) -> Recording:
    """Return the recorded timings of one backend."""
    path = TIMINGS / f"{name}.jsonl"
    return parse_recording(path.read_text(encoding="utf-8").splitlines(), path.name)


@cache
def fitted(name: str) -> Profile:
    """The profile as it ships: fitted to the calibration rows, validated on the test rows."""
    key = KEYS[name]
    return fit_block_profile(
        recording(name).split("calibration"),
        key,
        name=key.file_name.removesuffix(".json"),
        provenance=PROVENANCE,
        confidence="assumed",
        held_out=recording(name).split("test"),
    )


def constants(profile: Profile) -> BlockConstants:
    """Return the block constants, which every fit here has."""
    assert profile.blocks is not None
    return profile.blocks


@pytest.mark.parametrize("name", KEYS)
def test_choices_on_rows_never_seen_cost_at_most_a_percent_or_so(name: str) -> None:
    """A fit to the calibration rows chooses on the test rows within the bar of the best formulation."""
    validation = fitted(name).validation

    assert validation is not None
    assert validation.regret_mean <= REGRET_BARS[name]
    assert validation.regret_p95 <= 0.05
    assert validation.order >= 0.95
    assert validation.passed


@pytest.mark.parametrize("name", KEYS)
def test_a_fit_beats_every_rule_that_needs_none(name: str) -> None:
    """Always dense, always the finest blocks and upstream's model, shipped or refitted, cost many times as much."""
    validation = fitted(name).validation

    assert validation is not None
    assert set(validation.rules) == {"always-dense", "finest-blocks", "upstream-shipped", "upstream-refitted"}
    assert min(validation.rules.values()) > 20 * max(validation.regret_mean, 0.01)


@pytest.mark.parametrize("name", KEYS)
def test_the_calibration_rows_alone_let_a_fit_through_the_gate(name: str) -> None:
    """Held-out validation inside the calibration rows trusts the fit, whole folds left out included."""
    upstream = constants(fitted(name)).upstream
    assert upstream is not None

    validation = cross_validate(recording(name).split("calibration"), upstream)

    assert validation.passed, validation.misses
    assert validation.worst_fold is not None
    assert validation.noise_floor is None
    assert validation.noise_floor_reason


@pytest.mark.parametrize("name", KEYS)
def test_the_shipped_constants_are_this_fit(name: str) -> None:
    """The profile in the package is what fitting the recorded rows gives, so nobody can edit it by hand."""
    fresh, shipped = fitted(name), shipped_profile(fitted(name).name)

    assert shipped.key == fresh.key
    assert shipped.confidence == "assumed"
    assert shipped.provenance == PROVENANCE
    assert constants(shipped).thresholds == constants(fresh).thresholds
    for term, price in constants(fresh).prices.items():
        kept = constants(shipped).prices[term]
        assert kept.value == pytest.approx(price.value, rel=0.02), term
        assert (kept.low, kept.high) == pytest.approx((price.low, price.high), rel=0.1), term
        assert kept.identified == price.identified, term


def test_every_recording_ships_a_profile() -> None:
    """The shipped profiles are those of the recorded backends and no others."""
    assert {key.file_name.removesuffix(".json") for key in KEYS.values()} == set(RECORDED)


@pytest.mark.parametrize(
    ("name", "load", "call", "gather"),
    [
        ("numpy-1-thread", (1.0, 3.5), (4.5e4, 7e4), (38, 58)),
        ("numpy-2-threads", (3.0, 8.1), (9e4, 1.4e5), (75, 105)),
        ("mlx-cpu", (0, 0.3), (1.5e4, 2.6e4), (8.5, 15)),
    ],
)
def test_upstream_constants_are_far_from_the_shipped_ones(
    name: str, load: tuple[float, float], call: tuple[float, float], gather: tuple[float, float]
) -> None:
    """In upstream's meaning this machine's constants are tens to hundreds of times below the shipped ones."""
    upstream = constants(fitted(name)).upstream
    assert upstream is not None

    assert load[0] <= upstream.weight_load_samples.value <= load[1]
    assert call[0] <= upstream.call_cost_macs.value <= call[1]
    assert gather[0] <= upstream.gather_cost_macs.value <= gather[1]
    assert upstream.dispatched == name.startswith("mlx")


def test_a_machine_without_a_weight_load_does_not_get_a_sure_one() -> None:
    """MLX's reference BLAS repacks nothing, and the constant for it is reported as not identified."""
    upstream = constants(fitted("mlx-cpu")).upstream
    assert upstream is not None
    load = upstream.weight_load_samples

    assert not load.identified
    assert load.low is not None
    assert load.high is not None
    assert load.high > 10 * load.value
    assert "do not determine" in load.source


@pytest.mark.parametrize("name", ["numpy-1-thread", "numpy-2-threads"])
def test_the_kernel_change_is_found_where_the_library_has_it(name: str) -> None:
    """OpenBLAS leaves its small kernels at a million multiply-accumulates, and the search finds that from timings."""
    table = BlockTable(recording(name).split("calibration"))

    assert fit_point(table).thresholds.small_macs == 1e6


def test_many_narrow_blocks_over_a_chunk_beyond_the_cache_cost_more() -> None:
    """The limitation that upstream documents is priced: without the term the finest blocks of such a row look best."""
    name = "numpy-2-threads"
    row = next(
        entry
        for entry in recording(name).split("calibration")
        if (entry.channels, entry.samples, entry.block_rows) == (1536, 1000, 16)
    )
    price = fitted(name).price
    blind = BlockPrice({**price.values, "strided_small": 0.0, "strided_large": 0.0}, price.thresholds, price.item_bytes)
    measured = {timing.name: timing.seconds for timing in row.timings}

    def best(by: BlockPrice) -> str:
        return min(row.candidates, key=lambda timing: by(timing.formulation, row.samples)).name

    assert measured[best(price)] == min(timing.seconds for timing in row.candidates)
    assert measured[best(blind)] > 1.2 * measured[best(price)]


@pytest.mark.parametrize("name", KEYS)
def test_a_fit_is_the_same_every_time(name: str) -> None:
    """Two fits to the same rows give the same numbers to the last bit."""
    rows = recording(name).split("calibration")

    first, second = fit_point(BlockTable(rows)), fit_point(BlockTable(rows))

    assert first.thresholds == second.thresholds
    assert first.fit.prices.tolist() == second.fit.prices.tolist()


def test_thresholds_come_from_the_grid() -> None:
    """A profile's thresholds are values that the search tried."""
    for name in KEYS:
        chosen = constants(fitted(name)).thresholds
        assert all(getattr(chosen, threshold) in values for threshold, values in GRIDS.items())


def test_upstreams_model_refitted_still_loses_what_it_has_no_word_for() -> None:
    """Even with constants of this machine upstream's model costs a third and more: it cannot batch equal blocks."""
    for name in KEYS:
        upstream = constants(fitted(name)).upstream
        assert upstream is not None
        rules = constant_rules(recording(name).split("test"), upstream)
        assert rules["upstream-refitted"] > 0.3
