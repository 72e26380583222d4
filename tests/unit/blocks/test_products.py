"""Any matrix, any plan: the product is the dense one."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import mlx.core as mx
import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Formulation, Kind
from placement_cli.blocks.planner import choose, plan_block_matmul

SIZES = st.integers(1, 9)


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray:
    """Blocks in any order with unused channels and dense rows, bands, and matrices with weights anywhere."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    form = draw(st.sampled_from(["blocks", "equal", "references", "diagonal", "band", "anywhere"]))
    count = draw(st.integers(1, 8))
    match form:
        case "blocks":
            weights = sp.block_diag([rng.random((draw(SIZES), draw(SIZES))) + 1 for _ in range(count)]).toarray()
        case "equal":
            shape = draw(SIZES), draw(SIZES)
            weights = sp.block_diag([rng.random(shape) + 1 for _ in range(count)]).toarray()
        case "references":
            size = draw(st.integers(8, 11))
            weights = np.kron(np.eye(count), np.eye(size) - 1 / size)
        case "diagonal":
            weights = np.diag(rng.random(5 * count) + 1)
        case "band":
            size = 5 * count
            weights = sum(np.eye(size, k=k) * (k + 5) for k in range(-2, draw(st.integers(-1, 3))))
        case _:
            weights = (rng.random((draw(st.integers(0, 20)), draw(st.integers(0, 20)))) < 0.1) * 1.5
    return _disturbed(draw, weights, rng)


def _disturbed(draw: st.DrawFn, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = draw(st.sampled_from(["kept", "kept", "rows", "columns", "both", "swapped", "mirrored"]))
    if order in {"rows", "both"}:
        weights = weights[rng.permutation(len(weights))]
    if order in {"columns", "both"}:
        weights = weights[:, rng.permutation(weights.shape[1])]
    if order == "swapped":
        weights = np.roll(weights, weights.shape[1] // 2, axis=1)
    if order == "mirrored":
        weights = weights[::-1].copy()
    if draw(st.booleans()):
        weights[rng.random(len(weights)) < 0.2] = 0
    if draw(st.booleans()):
        weights[:, rng.random(weights.shape[1]) < 0.2] = 0
    if draw(st.integers(0, 3)) == 0 and weights.size:
        weights[rng.integers(len(weights))] = rng.random(weights.shape[1])
    if draw(st.integers(0, 3)) == 0 and weights.size:
        weights[:, rng.integers(weights.shape[1])] = rng.random(len(weights))
    return weights


@st.composite
def prices(draw: st.DrawFn) -> Any:
    """Machines on which calls, batches, gathers or arithmetic are what costs."""
    call, batch, block, gather = (draw(st.sampled_from([1.0, 30.0, 1000.0])) for _ in range(4))
    one_call = draw(st.sampled_from([1.0, 100.0]))

    def price(formulation: Formulation, n: int) -> float:
        cost = gather / 10 * n * (formulation.gathered_in + formulation.gathered_out)
        for part in formulation.parts:
            if part.kind in {Kind.BATCH, Kind.GATHER_MM}:
                cost += batch + block / 10 * part.count + n * part.macs
            elif part.calls == part.count or part.kind is Kind.MASKED_MM:
                cost += call * part.calls + n * part.macs
            else:
                cost += one_call + n * part.macs
        return cost

    return price


def _typed(weights: np.ndarray, kind: str) -> np.ndarray:
    match kind:
        case "?":
            return weights != 0
        case "i4":
            return np.rint(weights * 4).astype(kind)
        case "c16":
            return weights * (1 - 0.5j)
        case "column-major":
            return np.asfortranarray(weights)
        case "strided":
            return np.repeat(np.repeat(weights, 2, axis=0), 2, axis=1)[::2, ::2]
        case _:
            return weights.astype(kind)


def _chunk(samples: int, weights: np.ndarray) -> np.ndarray:
    x = np.random.default_rng(samples).integers(-5, 6, (samples, len(weights)))
    return (x > 0) if weights.dtype == np.bool_ else x.astype(weights.dtype)


@settings(deadline=None, max_examples=120)
@given(
    matrices(),
    prices(),
    st.sampled_from(["f4", "f8", "i4", "?", "c16", "column-major", "strided"]),
    st.sampled_from([1, 2, 30]),
)
def test_every_formulation_equals_the_dense_product_with_numpy(
    weights: np.ndarray, price: Any, kind: str, samples: int
) -> None:
    """All plans for all structures, types and memory orders give the values and the type of `x @ W`."""
    weights = _typed(weights, kind)
    x = _chunk(samples, weights)
    expected = x @ weights
    single = weights.dtype == np.float32
    structure = find_structure(weights)
    for backend in ("numpy", "mlx"):  # a plan made for MLX is one for NumPy as well
        for choice in choose(structure, samples, price, backend=backend):
            done = choice.plan.bind(weights, "numpy")(x)
            assert done.dtype == expected.dtype
            np.testing.assert_allclose(done, expected, rtol=1e-4 if single else 1e-9, atol=1e-3 if single else 1e-9)
            written = [span for section in choice.plan.sections if not section.accumulates for span in section.spans()]
            assert _apart(written) or choice.formulation.dense_columns


def _apart(spans: list[tuple[int, int]]) -> bool:
    ordered = sorted(spans)
    return all(before[1] <= after[0] for before, after in pairwise(ordered))


@settings(deadline=None, max_examples=60)
@given(matrices().filter(lambda w: w.size), prices(), st.sampled_from(["f4", "c8"]), st.sampled_from([1, 30]))
def test_every_formulation_equals_the_dense_product_with_mlx(
    weights: np.ndarray, price: Any, kind: str, samples: int
) -> None:
    """The same with MLX, gather_mm and block_masked_mm among the kinds."""
    kept = mx.array(weights.astype(kind))
    x = mx.array(_chunk(samples, weights).astype(np.float32))
    expected = x @ kept
    for choice in choose(find_structure(kept), samples, price, backend="mlx"):
        done = choice.plan.bind(kept)(x)
        assert done.dtype == expected.dtype
        np.testing.assert_allclose(np.array(done), np.array(expected), rtol=1e-4, atol=1e-3)


@settings(deadline=None, max_examples=60)
@given(matrices().filter(lambda w: w.size), prices(), st.sampled_from([1, 30]), st.booleans())
def test_equal_weights_give_equal_plans_in_every_form(
    weights: np.ndarray, price: Any, samples: int, force: bool
) -> None:
    """The plan depends on the weights alone, not on how they are stored, and survives pickling."""
    plans = [
        plan_block_matmul(form, samples, profile=price, force=force)
        for form in (weights, weights.copy(), np.asfortranarray(weights), sp.coo_array(weights))
    ]
    assert plans[0] == plans[1] == plans[2] == plans[3]
    assert pickle.loads(pickle.dumps(plans[0])) == plans[0]
    if plans[0] is not None:
        assert plans[0].explain()
        x = _chunk(samples, weights)
        np.testing.assert_allclose(plans[0].bind(sp.csc_array(weights))(x), x @ weights, rtol=1e-9, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(matrices().filter(lambda w: w.size), prices(), st.sampled_from([1, 30]))
def test_tilings_can_be_executed_by_blocks_and_permutations_alone(
    weights: np.ndarray, price: Any, samples: int
) -> None:
    """An executor that knows `blocks`, `in_perm` and `out_perm` computes the product of a tiling."""
    for force in (False, True):
        plan = plan_block_matmul(weights, samples, profile=price, force=force, tiling_only=True)
        if plan is None:
            continue
        assert plan.is_tiling
        permuted = weights if plan.in_perm is None else weights[plan.in_perm]
        permuted = permuted if plan.out_perm is None else permuted[:, plan.out_perm]
        x = _chunk(samples, weights)
        read = x if plan.in_perm is None else x[:, plan.in_perm]
        done = np.concatenate([read[:, r] @ permuted[r, c] for r, c in plan.blocks], axis=1)
        if plan.out_perm is not None:
            done = done[:, np.argsort(plan.out_perm)]
        np.testing.assert_allclose(done, x @ weights, rtol=1e-9, atol=1e-9)
