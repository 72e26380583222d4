"""Validation on timings that were not fitted."""

from __future__ import annotations

import pytest

from placement_cli.fit.observations import Configuration
from placement_cli.fit.validation import PARTS, cross_validate, validate
from placement_cli.profile.block_constants import BlockPrice
from placement_cli.profile.upstream import APPLE


def test_a_model_that_is_right_passes_across_itself(configurations: tuple[Configuration, ...]) -> None:
    """Times that follow the model are predicted held out, with a noise floor from their halves."""
    found = cross_validate(configurations, APPLE)

    assert found.passed, found.misses
    assert found.configurations == len(configurations)
    assert found.order > 0.97
    assert found.noise_floor is not None
    assert found.noise_floor < 0.05
    assert found.noise_floor_reason is None
    assert found.fold is not None
    assert found.rules["always-dense"] > found.regret_mean


def test_a_price_is_scored_without_folds(configurations: tuple[Configuration, ...], truth: BlockPrice) -> None:
    """The true price errs by the noise and leaves no folds to tell of."""
    found = validate(configurations, truth, APPLE)

    assert found.regret_mean < 0.02
    assert found.worst_fold is None
    assert found.fold is None


def test_a_price_that_chooses_badly_fails(configurations: tuple[Configuration, ...], truth: BlockPrice) -> None:
    """A price that is upside down is sent to measure instead."""

    def upside_down(formulation: object, samples: int) -> float:
        return 1 / truth(formulation, samples)  # type: ignore[arg-type]  # a formulation

    found = validate(configurations, upside_down, APPLE)

    assert not found.passed
    assert len(found.misses) == 2


def test_too_few_configurations_cannot_be_held_out(configurations: tuple[Configuration, ...]) -> None:
    """Fewer configurations than parts to deal are refused."""
    with pytest.raises(ValueError, match=str(PARTS)):
        cross_validate(configurations[: PARTS - 1], APPLE)
