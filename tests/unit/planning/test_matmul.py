"""The planner as a pipeline calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks import planner
from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.planning import matmul
from placement_cli.planning.matmul import plan_block_matmul, plan_for_lengths
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import save_profile

SHIPPED = "Nothing was measured for this set-up yet."


class Chosen:
    """A stand-in for timing that finds plan number `at` of those it is given the fastest, and writes them down."""

    def __init__(self) -> None:
        self.at = 0
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, plans: Any, *rest: Any) -> Any:
        """Keep one."""
        self.calls.append((tuple(plans), *rest))
        return plans[self.at]


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """Timing that finds the first plan the fastest, or another when told."""
    chosen = Chosen()
    monkeypatch.setattr(matmul, "fastest", chosen)
    return chosen


def product_of(plan: Any, weights: Any) -> Any:
    """Return what computes `x @ weights` by a plan, where None is the dense product."""
    return (lambda x: x @ weights) if plan is None else plan.bind(weights)


def test_plans_are_those_of_the_planner_by_the_costs_of_this_machine(
    here: Any, profile: Profile, banks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The saved profile prices them, as do the profile itself and its path; the last note says whose costs."""
    monkeypatch.setattr("placement_cli.planning.setting.numpy_threads", lambda: 1)
    monkeypatch.setenv("PLACEMENT_PROFILES", str(tmp_path))
    path = save_profile(profile, tmp_path, "1")
    weights = banks([64] * 8)
    expected = planner.plan_block_matmul(weights, 30, profile=profile.price)
    for given in (None, profile, path, str(path)):
        plan = plan_block_matmul(weights, 30, profile=given)
        assert (plan.sections, plan.notes) == (expected.sections, (*expected.notes, "Costs: fitted here."))


def test_dense_products_are_none(profile: Profile) -> None:
    """As in ezmsg-sigproc; so is what is no matrix, or empty."""
    for weights in (np.ones((64, 64)), np.ones(5), np.ones((0, 4)), np.ones((2, 2, 2)), [[1.0, 2.0]]):
        assert plan_block_matmul(weights, 30, profile=profile) is None
    assert plan_block_matmul(np.ones(5), 30, profile=profile, rigor="measure") is None
    one_block = np.arange(1.0, 17.0).reshape(4, 4)
    assert plan_block_matmul(one_block, 30, profile=profile, force=True) is None


def test_forced_plans_are_never_timed(missed: Profile, banks: Any, timed: Chosen) -> None:
    """The finest structure is wanted, whatever it costs."""
    plan = plan_block_matmul(banks([1] * 4), 1, profile=missed, force=True, rigor="measure")
    assert plan.n_blocks == 4
    assert timed.calls == []


def test_measuring_keeps_the_fastest(profile: Profile, banks: Any, timed: Chosen) -> None:
    """The best three by price are timed on the weights themselves, and the note of the costs stays."""
    weights, timed.at = banks([64] * 8), 1
    plan = plan_block_matmul(weights, 30, profile=profile, rigor="measure")
    ((plans, given, samples, backend, dtype),) = timed.calls
    assert len(plans) == 3
    assert plan.sections == plans[1].sections
    assert plan.notes[-1] == "Costs: fitted here."
    assert given is weights
    assert (samples, backend, dtype) == (30, "numpy", "float32")


def test_a_dense_product_that_is_fastest_is_none(profile: Profile, banks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured or predicted, dense means None."""

    def densest(plans: Any, *_: Any) -> Any:
        return next(plan for plan in plans if plan.formulation.kind == "dense")

    monkeypatch.setattr(matmul, "TIMED", 100)
    monkeypatch.setattr(matmul, "fastest", densest)
    assert plan_block_matmul(banks([64] * 8), 30, profile=profile) is not None
    assert plan_block_matmul(banks([64] * 8), 30, profile=profile, rigor="measure") is None


def test_a_missed_gate_is_measured_unless_an_estimate_is_asked_for(missed: Profile, banks: Any, timed: Chosen) -> None:
    """Choices by such a profile are not trusted."""
    plan_block_matmul(banks([64] * 8), 30, profile=missed, rigor="estimate")
    assert len(timed.calls) == 0
    plan_block_matmul(banks([64] * 8), 30, profile=missed)
    assert len(timed.calls) == 1


@pytest.mark.parametrize("dtype", [np.complex64, np.int64])
def test_types_that_are_not_timed_go_by_the_price(profile: Profile, banks: Any, dtype: Any, timed: Chosen) -> None:
    """Their plan is the one of the estimate, and computes the product."""
    weights = (2 * banks([64] * 8)).astype(dtype)
    plan = plan_block_matmul(weights, 30, profile=profile, rigor="measure")
    assert timed.calls == []
    assert plan == plan_block_matmul(weights, 30, profile=profile, rigor="estimate")
    x = np.arange(3 * 512).reshape(3, 512).astype(dtype)
    np.testing.assert_allclose(plan.bind(weights)(x), x @ weights, rtol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_measured_plan_computes_the_product(profile: Profile, banks: Any, form: Any) -> None:
    """Timed for real, on dense and on sparse weights."""
    weights = banks([8] * 4)
    plan = plan_block_matmul(form(weights), 4, profile=profile, rigor="measure")
    x = np.ones((3, 32), np.float32)
    np.testing.assert_allclose(product_of(plan, form(weights))(x), x @ weights, rtol=1e-5)


def test_weights_of_mlx_are_planned_for_mlx(banks: Any) -> None:
    """By the costs of the real set-up here, of which nothing was measured; a plan computes the product."""
    weights, x = mx.array(banks([64] * 8)), mx.random.uniform(shape=(3, 512))
    plan = plan_block_matmul(weights, 300)
    assert plan.notes[-1].startswith("Costs: ")
    assert SHIPPED in plan.notes[-1]
    for found in (plan, plan_block_matmul(weights, 300, rigor="measure")):
        assert mx.allclose(product_of(found, weights)(x), x @ weights, rtol=1e-4).item()


def test_dispatched_weights_are_planned_by_costs_of_mlx(profile: Profile, banks: Any) -> None:
    """A profile of NumPy is refused for them."""
    with pytest.raises(UsageError, match="not of mlx"):
        plan_block_matmul(banks([8] * 4), 30, dispatched=True, profile=profile)


def test_tolerance_and_tiling_reach_the_planner(profile: Profile, banks: Any, timed: Chosen) -> None:
    """Small weights count as zero, and plans keep to what upstream's executor runs, measured or not."""
    weights = banks([64] * 8) + np.float32(1e-4)
    for rigor in ("estimate", "measure"):
        options: dict[str, Any] = {"profile": profile, "rigor": rigor, "tiling_only": True}
        assert plan_block_matmul(weights, 30, **options) is None
        plan = plan_block_matmul(weights, 30, tolerance=1e-2, **options)
        assert plan.is_tiling
        assert plan.tolerance == 1e-2


@pytest.mark.parametrize("rigor", ["patient", "", 1])
def test_another_rigor_is_refused(rigor: Any, banks: Any) -> None:
    """It is named, with those there are."""
    with pytest.raises(ValueError, match="'estimate', 'measure' or None"):
        plan_block_matmul(banks([2, 2]), 30, rigor=rigor)


def test_what_cannot_be_planned_is_refused(profile: Profile, banks: Any, tmp_path: Path) -> None:
    """No number of samples, no profile at a path, and weights that are no numbers are errors."""
    with pytest.raises(ValueError, match="n_samples"):
        plan_block_matmul(banks([2, 2]), np.nan, profile=profile)
    with pytest.raises(UnreadableInput):
        plan_block_matmul(banks([2, 2]), 30, profile=tmp_path / "absent.json")
    with pytest.raises(UsageError, match="not numbers"):
        plan_block_matmul(np.array([["a"]]), 30, profile=profile, rigor="measure")


def test_a_table_over_lengths_goes_by_the_same_costs(profile: Profile, banks: Any) -> None:
    """Each range begins with the plan for its shortest chunk."""
    weights = banks([64] * 8)
    table = plan_for_lengths(weights, [1, 30, 3000], profile=profile)
    for row in table:
        plan = planner.plan_block_matmul(weights, row.samples_from, profile=profile.price)
        assert row.choice.is_dense if plan is None else row.choice.plan == plan
    assert table[0].samples_from == 1
    assert table[-1].samples_to is None
