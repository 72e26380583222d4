from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.planner import plan_block_matmul
from placement_cli.ezmsg import use_profile
from placement_cli.ezmsg.planning import from_upstream, to_upstream
from placement_cli.profile.profile import Profile


def _same(channels: Any, other: Any) -> bool:
    return np.array_equal(channels, other) if channels is not None and other is not None else channels is other


@pytest.mark.parametrize("dispatched", [False, True])
def test_plans_are_those_of_our_planner_in_upstreams_class(
    dispatched: bool, blockdiag: Any, hidden_banks: Any, on_numpy: Profile, on_mlx: Profile
) -> None:
    """Of two profiles the one for the backend prices the plan; permutations are arrays of the caller's own."""
    with use_profile(on_numpy, on_mlx, planner=True):
        plan = blockdiag.plan_block_matmul(hidden_banks, 30, dispatched=dispatched)
    price = (on_mlx if dispatched else on_numpy).price
    ours = plan_block_matmul(hidden_banks, 30, dispatched=dispatched, profile=price, tiling_only=True)
    assert isinstance(plan, blockdiag.BlockPlan)
    assert plan.blocks == ours.blocks
    assert _same(plan.in_perm, ours.in_perm)
    assert _same(plan.out_perm, ours.out_perm)
    assert plan.in_perm.flags.writeable


def test_a_backend_without_a_profile_keeps_the_planner_beneath(
    blockdiag: Any, banks: Any, on_numpy: Profile, on_mlx: Profile
) -> None:
    """A profile of NumPy plans nothing for MLX: upstream does, or the profile of MLX in use around it."""
    weights = banks([(16, 16)] * 16)
    with use_profile(on_numpy, planner=True):
        alone = blockdiag.plan_block_matmul(weights, 30, dispatched=True)
    assert alone is None
    with use_profile(on_mlx, planner=True), use_profile(on_numpy, planner=True):
        inside = blockdiag.plan_block_matmul(weights, 30, dispatched=True)
    assert inside.n_blocks > 1


def test_dense_and_forced_plans_mean_the_same(blockdiag: Any, banks: Any) -> None:
    """None is the dense product, and force gives the finest structure that there is."""
    weights = banks([(1, 1)] * 4)
    with use_profile(planner=True):
        assert blockdiag.plan_block_matmul(weights, 1) is None
        assert blockdiag.plan_block_matmul(weights, 1, force=True).n_blocks == 4
        assert blockdiag.plan_block_matmul(np.ones((4, 4)), 1, force=True) is None
        assert blockdiag.plan_block_matmul(np.ones(4), 1) is None


def test_weights_that_our_planner_refuses_are_left_to_upstream(blockdiag: Any) -> None:
    """A pipeline with odd weights runs as it did."""
    weights = np.kron(np.eye(4), np.ones((2, 2))).astype(object)
    with use_profile(planner=True):
        assert blockdiag.plan_block_matmul(weights, 30, force=True).n_blocks == 4


def test_plans_survive_there_and_back(blockdiag: Any, banks: Any, hidden_banks: Any) -> None:
    """A plan of ours that upstream can execute is the same after both conversions, its notes aside."""
    for weights in (hidden_banks, banks([(4, 6), (4, 6), (5, 3)])):
        plan = plan_block_matmul(weights, 30, force=True, tiling_only=True)
        back = from_upstream(to_upstream(plan, blockdiag.BlockPlan), *weights.shape)
        assert back.sections == plan.sections
        assert back.is_tiling
