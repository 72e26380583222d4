"""The measured weaknesses of ezmsg-sigproc's planner, one test each, under prices as found on an x86 machine."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Formulation, Kind, Price
from placement_cli.blocks.lengths import table
from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.planner import Choice, choose, plan_block_matmul
from placement_cli.blocks.pricing import upstream_price


def _best(weights: Any, samples: int, price: Price, tolerance: float = 0.0, **more: Any) -> Choice:
    return choose(find_structure(weights, tolerance), samples, price, **more)[0]


def _dense_s(weights: Any, samples: int, price: Price) -> float:
    choices = choose(find_structure(weights), samples, price)
    return next(choice.predicted_s for choice in choices if choice.is_dense)


def _check(choice: Choice, weights: Any, samples: int = 7) -> None:
    """The plan computes the product."""
    x = np.random.default_rng(9).random((samples, len(weights))).astype(weights.dtype)
    np.testing.assert_allclose(choice.plan.bind(weights)(x), x @ weights, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("samples", [30, 100])
def test_w1_a_tidy_bank_in_front_does_not_hide_shuffled_ones(
    samples: int, banks: Any, shuffled: Any, numpy_price: Price
) -> None:
    """One contiguous bank and 63 shuffled ones are 64 blocks, not two."""
    weights = banks([(32, 32)] * 64)
    weights[32:, 32:] = shuffled(weights[32:, 32:])
    choice = _best(weights, samples, numpy_price)
    assert choice.plan.n_blocks == 64
    assert choice.formulation.permuted
    assert choice.predicted_s < _dense_s(weights, samples, numpy_price) / 10
    _check(choice, weights)


def test_w1_one_more_channel_in_front_changes_nothing(banks: Any, shuffled: Any, numpy_price: Price) -> None:
    """A single channel tied to itself alone is not taken for all the structure there is."""
    weights = banks([(1, 1)] + [(32, 32)] * 64)
    weights[1:, 1:] = shuffled(weights[1:, 1:])
    choice = _best(weights, 300, numpy_price)
    assert choice.plan.n_blocks == 65
    assert choice.predicted_s < _dense_s(weights, 300, numpy_price) / 7


def test_w2_a_dense_matrix_is_known_as_such_from_few_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search over components looks at more than one weight a row and column when these tie all together."""
    from placement_cli.blocks import components

    seen: list[int] = []
    labels = components._labels

    def counting(extents: Any, edges: Any) -> Any:
        seen.append(len(edges[0]))
        return labels(extents, edges)

    monkeypatch.setattr(components, "_labels", counting)
    weights = np.random.default_rng(0).random((1500, 1500), dtype=np.float32) + 1
    weights[700, 700] = 0
    assert plan_block_matmul(weights, 30) is None
    assert seen == [3000]


def test_w3_unused_channels_are_not_multiplied(numpy_price: Price) -> None:
    """Of 2048 channels 512 are used, in two scattered groups: two small products, whatever lies between."""
    weights = np.zeros((2048, 2048), np.float32)
    order = np.random.default_rng(0).permutation(2048)
    for group in (order[:256], order[256:512]):
        weights[np.ix_(np.sort(group), np.sort(group))] = 1 + np.random.default_rng(1).random((256, 256))
    for samples in (30, 300):
        choice = _best(weights, samples, numpy_price)
        assert choice.formulation.macs <= 512 * 512
        assert choice.predicted_s < _dense_s(weights, samples, numpy_price) / 10
    _check(choice, weights)


def test_w3_two_corners_are_two_small_products(numpy_price: Price) -> None:
    """Between two blocks in opposite corners outputs are filled with zeros."""
    weights = np.zeros((2048, 2048), np.float32)
    weights[:64, :64] = np.random.default_rng(0).random((64, 64))
    weights[-64:, -64:] = np.random.default_rng(1).random((64, 64))
    choice = _best(weights, 300, numpy_price)
    assert choice.formulation.macs == 2 * 64 * 64
    assert choice.formulation.zero_filled_out == 2048 - 128
    assert not choice.formulation.permuted
    _check(choice, weights)


@pytest.mark.parametrize(("channels", "size"), [(512, 64), (1000, 100), (1024, 64), (2048, 64)])
@pytest.mark.parametrize("samples", [30, 300])
def test_w4_shuffled_blocks_are_gathered_where_gathering_is_cheap(
    channels: int, size: int, samples: int, banks: Any, shuffled: Any, numpy_price: Price
) -> None:
    """Small matrices are searched too, and a gather costs what it costs here."""
    weights = shuffled(banks([(size, size)] * (channels // size)))
    choice = _best(weights, samples, numpy_price)
    assert choice.formulation.permuted
    assert choice.formulation.macs < 2 * channels * size
    assert choice.predicted_s < _dense_s(weights, samples, numpy_price) / 2


def test_w5_other_constants_give_other_plans(banks: Any, numpy_price: Price, mlx_price: Price) -> None:
    """What is dense by the constants of another machine is blocks by those of this one."""
    weights = banks([(8, 8)] * 32)
    assert plan_block_matmul(weights, 30, dispatched=True) is None
    here = plan_block_matmul(weights, 30, dispatched=True, profile=mlx_price)
    assert here is not None
    assert here.formulation.macs <= 256 * 64


@pytest.mark.parametrize(("channels", "count"), [(256, 16), (256, 32), (320, 16), (384, 48)])
@pytest.mark.parametrize("samples", [1, 4])
def test_w6_no_plan_is_dearer_than_the_dense_product(
    channels: int, count: int, samples: int, banks: Any, numpy_price: Price
) -> None:
    """For a few samples the plan that is chosen costs at most what the dense product does."""
    weights = banks([(channels // count, channels // count)] * count)
    assert _best(weights, samples, numpy_price).predicted_s <= _dense_s(weights, samples, numpy_price)


@pytest.mark.parametrize("samples", [30, 300])
def test_w7_equal_blocks_are_one_batched_product(
    samples: int, banks: Any, numpy_price: Price, mlx_price: Price
) -> None:
    """Many equal blocks take one call, with NumPy and with MLX."""
    weights = banks([(16, 16)] * 64)
    assert _best(weights, samples, numpy_price).formulation.kind is Kind.BATCH
    assert _best(weights, samples, numpy_price).formulation.calls == 1
    on_mlx = _best(weights, samples, mlx_price, backend="mlx").formulation
    assert on_mlx.kind in {Kind.BATCH, Kind.GATHER_MM}
    _check(_best(weights, samples, numpy_price), weights)


def test_w8_a_dense_output_does_not_hide_the_blocks(banks: Any, numpy_price: Price) -> None:
    """One output that reads every input is a thin product beside the blocks."""
    weights = banks([(64, 64)] * 16)
    weights[:, 5] = 1
    choice = _best(weights, 30, numpy_price)
    assert choice.formulation.name == "batch + thin"
    assert choice.formulation.dense_columns == 1
    _check(choice, weights)


def test_w8_a_band_is_a_few_slabs(numpy_price: Price) -> None:
    """Five diagonals are computed over windows of the inputs."""
    rng = np.random.default_rng(0)
    weights = sum(np.diag(rng.random(1024 - abs(k)), k) for k in range(-2, 3)).astype(np.float32)
    choice = _best(weights, 30, numpy_price)
    assert choice.predicted_s < _dense_s(weights, 30, numpy_price) / 8
    assert choice.formulation.macs < 1024 * 128
    _check(choice, weights)


def test_w8_rounding_does_not_hide_blocks_under_a_tolerance(banks: Any, shuffled: Any, numpy_price: Price) -> None:
    """An inverse whose zeros are rounding is dense as it is, and blocks with a tolerance."""
    blocks = banks([(64, 64)] * 16).astype(np.float64) + 50 * np.eye(1024)
    weights = shuffled(np.linalg.inv(blocks)) + 1e-17
    assert _best(weights, 30, numpy_price).is_dense
    choice = _best(weights, 30, numpy_price, tolerance=1e-9)
    assert choice.plan.n_blocks == 16
    _check(choice, weights)


def test_w8_common_references_and_diagonals_are_no_products(numpy_price: Price) -> None:
    """A common average reference is a sum a bank, diagonal weights are one multiplication a channel."""
    reference = np.kron(np.eye(8), np.eye(128) - 1 / 128).astype(np.float32)
    diagonal = np.diag(np.arange(1.0, 1025)).astype(np.float32)
    for weights, kind in ((reference, Kind.SHARED_SUM), (diagonal, Kind.ELEMENTWISE)):
        for samples in (30, 300):
            choice = _best(weights, samples, numpy_price)
            assert choice.formulation.kind is kind
        _check(choice, weights)


@pytest.mark.parametrize("channels", [512, 1024, 1023])
def test_w9_swapped_banks_need_no_gather(channels: int, banks: Any, numpy_price: Price) -> None:
    """Blocks along the other diagonal are read by slices."""
    size = channels // (8 if channels % 2 == 0 else 11)
    count = channels // size
    straight = banks([(size, size)] * count).reshape(count, size, channels)
    weights = np.ascontiguousarray(straight[::-1].reshape(channels, channels))
    choice = _best(weights, 300, numpy_price)
    assert not choice.formulation.permuted
    assert choice.formulation.macs == channels * size
    _check(choice, weights)


def test_w10_merges_are_never_dearer_than_upstreams(banks: Any) -> None:
    """By upstream's own cost the merge is at most as dear as any of its own, powers of two of rows, and often less."""
    rng = np.random.default_rng(0)
    price, gains = upstream_price(), []
    for _ in range(12):
        shapes = [(int(r), int(c)) for r, c in rng.integers(1, 150, (int(rng.integers(5, 25)), 2))]
        weights = banks(shapes)
        best = _best(weights, 30, price, tiling_only=True)
        merges = [_merged(shapes, 1 << power) for power in range(12)]
        theirs = min((30 + 108) * sum(r * c for r, c in merge) + 1.6e6 * len(merge) for merge in merges)
        assert best.predicted_s <= theirs
        gains.append(theirs / best.predicted_s)
    assert max(gains) > 1.05


def _merged(shapes: list[tuple[int, int]], rows: int) -> list[tuple[int, int]]:
    """Join neighbours until each has at least so many rows, what is left over with the last."""
    merged: list[tuple[int, int]] = []
    row = column = 0
    for r, c in shapes:
        row, column = row + r, column + c
        if row >= rows:
            merged.append((row, column))
            row = column = 0
    if row and merged:
        merged[-1] = (merged[-1][0] + row, merged[-1][1] + column)
    return merged or [(row, column)]


def test_w11_plans_say_that_not_a_number_reaches_fewer_outputs(banks: Any, numpy_price: Price) -> None:
    """Whoever relies on NaN spreading to every output is told that it does not."""
    weights = banks([(64, 64)] * 8)
    plan = plan_block_matmul(weights, 30, profile=numpy_price)
    x = np.ones((1, 512), np.float32)
    x[0, 3] = np.nan
    assert "NaN" in plan.explain()
    assert np.isnan(plan.bind(weights)(x)).sum() == 64


def test_w12_plans_change_with_the_length_of_a_chunk(banks: Any, numpy_price: Price) -> None:
    """The table has a plan for one sample and another for thousands, with the length where they change."""
    rows = table(find_structure(banks([(16, 16)] * 16)), [1, 3000], numpy_price)
    assert len(rows) > 1
    assert rows[0].choice.plan != rows[-1].choice.plan
    for before, after in pairwise(rows):
        for n in (before.samples_to, after.samples_from):
            assert before.choice.plan != after.choice.plan
            best = choose(find_structure(banks([(16, 16)] * 16)), n, numpy_price)[0].predicted_s
            chosen = before if n == before.samples_to else after
            assert numpy_price(chosen.choice.formulation, n) <= 1.1 * best


def test_w13_new_weights_are_never_cut_to_an_old_plan(banks: Any, numpy_price: Price) -> None:
    """Binding dense weights to a plan of blocks is an error, not a wrong product."""
    plan = plan_block_matmul(banks([(64, 64)] * 8), 30, profile=numpy_price)
    with pytest.raises(UnusableWeights, match="would be lost"):
        plan.bind(np.ones((512, 512), np.float32))


def test_w14_leading_axes_are_flattened(banks: Any, numpy_price: Price) -> None:
    """A batch of single samples is one chunk for the product."""
    weights = banks([(64, 64)] * 8)
    bound = plan_block_matmul(weights, 500, profile=numpy_price).bind(weights)
    x = np.random.default_rng(0).random((500, 1, 512)).astype(np.float32)
    np.testing.assert_array_equal(bound(x)[:, 0], bound(x[:, 0]))


def test_w15_long_strided_chunks_are_a_term_of_the_price(banks: Any) -> None:
    """Where a price charges walking a long chunk once more for every block, blocks are merged further."""

    def plain(formulation: Formulation, n: int) -> float:
        return 1e-6 * formulation.calls + 2e-11 * n * formulation.macs

    def walking(formulation: Formulation, n: int) -> float:
        return plain(formulation, n) + 1e-8 * n * formulation.calls

    structure = find_structure(banks([(16, 18)] * 40 + [(17, 15)] * 40))
    finer, coarser = (choose(structure, 4000, price, tiling_only=True)[0].plan for price in (plain, walking))
    assert 1 < coarser.n_blocks < finer.n_blocks
