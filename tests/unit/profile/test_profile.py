"""A profile as pipelines and planners use it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placement_cli.blocks.formulation import dense
from placement_cli.blocks.planner import plan_block_matmul
from placement_cli.errors import UsageError
from placement_cli.profile.defaults import shipped_profile
from placement_cli.profile.profile import Profile


def test_the_planner_takes_a_profile_as_it_is() -> None:
    """Passed as `profile=`, it makes plans by its own prices: a small loop that upstream's call cost leaves dense."""
    weights = np.kron(np.eye(4), np.ones((32, 32)))

    plan = plan_block_matmul(weights, 30, profile=shipped_profile("numpy-1-thread-float32"))

    assert plan is not None
    assert plan_block_matmul(weights, 30, profile=None) is None


def test_a_profile_without_block_constants_says_what_to_run(profile: Profile) -> None:
    """Asking it for prices of matrix products is an error with a way out."""
    assert profile.price(dense(8, 8), 4) > 0
    with pytest.raises(UsageError, match="fit-costs"):
        _ = replace(profile, blocks=None).price
