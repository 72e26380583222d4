from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from placement_cli.ezmsg import use_profile
from placement_cli.profile.profile import Profile

CONSTANTS = ("WEIGHT_LOAD_SAMPLES", "CALL_COST_MACS", "CALL_COST_MACS_DISPATCHED", "GATHER_COST_MACS")


def _values(module: Any) -> dict[str, float]:
    return {name: getattr(module, name) for name in CONSTANTS}


def test_constants_are_set_and_put_back(blockdiag: Any, on_numpy: Profile) -> None:
    """Within the context they are the profile's, but for the call cost of the other backend."""
    before = _values(blockdiag)
    with use_profile(on_numpy) as in_use:
        assert in_use.profiles == (on_numpy,)
        assert _values(blockdiag) == before | on_numpy.blocks.upstream.assignments()
    assert _values(blockdiag) == before


def test_an_error_inside_the_context_puts_them_back_too(blockdiag: Any, on_numpy: Profile) -> None:
    """The error goes on to the caller."""
    before = _values(blockdiag)
    with pytest.raises(KeyError), use_profile(on_numpy, planner=True):
        raise KeyError
    assert _values(blockdiag) == before


def test_restoring_twice_changes_nothing(blockdiag: Any, on_numpy: Profile, on_mlx: Profile) -> None:
    """The second time takes nothing off that came later."""
    first = use_profile(on_numpy)
    first.restore()
    with use_profile(on_mlx):
        first.restore()
        assert on_mlx.blocks.upstream.call_cost_macs.value == blockdiag.CALL_COST_MACS_DISPATCHED


def test_nested_profiles_are_taken_off_in_turn(consumer: Any, blockdiag: Any, on_numpy: Any, on_mlx: Any) -> None:
    """Each context leaves what it found, constants and planner."""
    before = _values(blockdiag), consumer.plan_block_matmul
    with use_profile(on_numpy, planner=True):
        outer = _values(blockdiag), consumer.plan_block_matmul
        with use_profile(on_mlx, on_numpy, planner=True):
            assert on_mlx.blocks.upstream.gather_cost_macs.value == blockdiag.GATHER_COST_MACS
            assert consumer.plan_block_matmul is blockdiag.plan_block_matmul
        assert _values(blockdiag) == outer[0]
        assert blockdiag.plan_block_matmul is consumer.plan_block_matmul is not before[1]
    assert (_values(blockdiag), consumer.plan_block_matmul) == before


def test_profiles_can_be_taken_off_in_any_order(consumer: Any, blockdiag: Any, on_numpy: Any, on_mlx: Any) -> None:
    """What came into use later stays in use, and its end finds the module as it was shipped."""
    before = _values(blockdiag), consumer.plan_block_matmul
    first = use_profile(on_numpy, planner=True)
    second = use_profile(on_mlx)
    first.restore()
    assert _values(blockdiag) == before[0] | on_mlx.blocks.upstream.assignments()
    assert consumer.plan_block_matmul is before[1]
    second.restore()
    assert _values(blockdiag) == before[0]


def test_what_a_user_had_set_by_hand_comes_back(
    blockdiag: Any, on_numpy: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The values before are those of the moment, not those of an earlier use."""
    use_profile(on_numpy).restore()
    with monkeypatch.context() as patch:
        patch.setattr(blockdiag, "CALL_COST_MACS", 7.0)
        with use_profile(on_numpy):
            assert blockdiag.CALL_COST_MACS != 7.0
        assert blockdiag.CALL_COST_MACS == 7.0


def test_the_planner_is_only_replaced_when_asked_for(consumer: Any, blockdiag: Any, on_numpy: Profile) -> None:
    """Constants alone leave upstream's function where it is."""
    own = blockdiag.plan_block_matmul
    with use_profile(on_numpy):
        assert blockdiag.plan_block_matmul is consumer.plan_block_matmul is own
    with use_profile(on_numpy, planner=True):
        assert blockdiag.plan_block_matmul is consumer.plan_block_matmul is not own


def test_modules_that_import_the_planner_meanwhile_get_upstreams_back(
    blockdiag: Any, on_numpy: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever module of ezmsg holds the function, under whatever name, holds upstream's in the end."""
    late = ModuleType("ezmsg.late")
    monkeypatch.setitem(sys.modules, late.__name__, late)
    with use_profile(on_numpy, planner=True):
        late.plan = blockdiag.plan_block_matmul
    assert late.plan is blockdiag.plan_block_matmul
