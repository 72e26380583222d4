"""Prices of a block matmul from timings."""

from __future__ import annotations

import numpy as np
import pytest

from placement_cli.fit.block_data import BlockTable
from placement_cli.fit.block_fit import GRIDS, fit_blocks, fit_point, refit
from placement_cli.fit.observations import Configuration
from placement_cli.fit.scoring import score
from placement_cli.profile.block_constants import BlockConstants, BlockPrice
from placement_cli.profile.terms import Thresholds

UNTIMED = {
    "elementwise", "added", "zero", "zero_call", "masked_mm_whole",
    "gather_mm_call", "gather_mm_block", "masked_mm_call", "masked_mm_mac", "compiled_once",
    "compiled_call", "compiled_elementwise",
}  # fmt: skip


@pytest.fixture(scope="module")
def fitted(configurations: tuple[Configuration, ...]) -> BlockConstants:
    """The constants fitted to the made-up timings."""
    return fit_blocks(configurations, draws=30)


def test_the_threshold_that_made_the_times_is_found(configurations: tuple[Configuration, ...]) -> None:
    """Another limit of small products than the usual one is found by the search."""
    assert fit_point(BlockTable(configurations)).thresholds.small_macs == 2.5e5


def test_predictions_come_close(configurations: tuple[Configuration, ...], fitted: BlockConstants) -> None:
    """Times are predicted within the shared noise, and choices lose next to nothing."""
    price = BlockPrice.of(fitted)
    scores = [score(entry, price) for entry in configurations]

    assert np.median(np.abs([error for entry in scores for error in entry.errors])) < 0.12
    assert np.mean([entry.regret for entry in scores]) < 0.01


def test_prices_that_matter_lie_in_their_intervals(fitted: BlockConstants, truth: BlockPrice) -> None:
    """The true price is in, or next to, the interval of most terms that were identified."""
    identified = {name: price for name, price in fitted.prices.items() if price.identified}
    near = [
        name
        for name, price in identified.items()
        if price.low is not None
        and price.high is not None
        and price.low / 1.25 <= truth.values[name] <= price.high * 1.25
    ]

    assert {"call", "batch_block", "small_mac", "large_mac", "packed_weight", "gather"} <= identified.keys()
    assert len(near) >= 0.8 * len(identified)


def test_untimed_terms_are_not_identified(fitted: BlockConstants) -> None:
    """What no timing contains leans on its prior, says so, and has a wide interval."""
    assert set(fitted.undetermined) >= UNTIMED
    for name in UNTIMED:
        price = fitted.prices[name]
        assert "do not determine" in price.source
        assert price.low is not None
        assert price.high is not None
        assert price.high > 4 * price.low


def test_a_threshold_without_evidence_stays(configurations: tuple[Configuration, ...]) -> None:
    """Products that never come near a cache leave its threshold at the default."""
    few = [entry for entry in configurations if entry.channels <= 512 and entry.samples <= 30]

    assert fit_point(BlockTable(few)).thresholds.far_bytes == Thresholds().far_bytes


def test_the_default_thresholds_are_on_the_grid() -> None:
    """The search can always come back to where it started."""
    assert all(getattr(Thresholds(), name) in values for name, values in GRIDS.items())


def test_one_configuration_is_enough_for_an_answer(configurations: tuple[Configuration, ...]) -> None:
    """Hardly any data gives finite prices that lean on their priors."""
    fit = fit_point(BlockTable(configurations[:1])).fit

    assert np.all(np.isfinite(fit.prices))
    assert np.all(fit.prices > 0)


def test_refitting_keeps_thresholds(configurations: tuple[Configuration, ...]) -> None:
    """A refit to some configurations moves prices alone."""
    table = BlockTable(configurations)
    whole = fit_point(table)
    part = refit(table, np.arange(len(configurations)) % 2 == 0, whole)

    assert part.thresholds == whole.thresholds
    assert part.fit.prices.tolist() != whole.fit.prices.tolist()


def test_equal_seeds_give_equal_constants(configurations: tuple[Configuration, ...], fitted: BlockConstants) -> None:
    """Fits are reproducible to the last bit, and another seed moves intervals only."""
    again, other = fit_blocks(configurations, draws=30), fit_blocks(configurations, draws=30, seed=1)

    assert again == fitted
    assert other.prices["call"].value == fitted.prices["call"].value
    assert other.prices["call"].low != fitted.prices["call"].low


def test_nothing_cannot_be_fitted() -> None:
    """No configurations are refused."""
    with pytest.raises(ValueError, match="at least one"):
        fit_blocks([])
