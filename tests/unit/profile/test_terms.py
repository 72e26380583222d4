"""What a product consists of, counted from shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, blocks_of, dense
from placement_cli.profile.shapes import FormulationLike
from placement_cli.profile.terms import KINDS, UNITS, Thresholds, block_terms

T = Thresholds()
PART_KINDS = [kind for kind in Kind if kind not in {Kind.MIXED, Kind.ZEROS}]


def loop(size: int, count: int) -> Formulation:
    """Equal square blocks, one call each."""
    return blocks_of(Kind.LOOP, [(BlockShape(size, size), count)], size * count, size * count)


def batch(size: int, count: int) -> Formulation:
    """Equal square blocks, one call for all."""
    return blocks_of(Kind.BATCH, [(BlockShape(size, size), count)], size * count, size * count)


def test_a_small_product_neither_packs_nor_threads() -> None:
    """Up to the threshold a product is calls, small multiply-accumulates, its outputs and its traffic."""
    assert block_terms(loop(32, 2), 300, T) == {
        "once": 1,
        "call": 2,
        "slice_call": 2,
        "small_mac": 2 * 300 * 32 * 32,
        "output": 2 * 300 * 32,
        "row": 2 * 300,
        "traffic": 2 * 300 * 64,
    }


def test_a_large_product_pays_the_small_rate_up_to_the_threshold() -> None:
    """Beyond the threshold the rest runs at another rate and the weights are packed once a call."""
    amounts = block_terms(dense(512, 512), 300, T)

    assert amounts["small_mac"] == 1e6
    assert amounts["large_mac"] == 300 * 512 * 512 - 1e6
    assert amounts["packed_weight"] == 512 * 512
    assert amounts["packed_output"] == 300 * 512
    assert "slice_call" not in amounts


def test_one_sample_reads_weights() -> None:
    """A matrix-vector product is priced by its weights, at another price once they exceed the nearer cache."""
    near, far = block_terms(dense(256, 256), 1, T), block_terms(dense(1024, 1024), 1, T)

    assert near["vector_weight"] == 256 * 256
    assert "vector_weight_far" not in near
    assert far["vector_weight_far"] == 1024 * 1024
    assert "vector_weight" not in far
    assert "small_mac" not in far


def test_weights_beyond_the_farther_cache_are_streamed() -> None:
    """Weights of 16 MiB come from memory in every call, those of 4 MiB do not."""
    assert block_terms(dense(2048, 2048), 10, T)["streamed_weight"] == 2048 * 2048
    assert "streamed_weight" not in block_terms(dense(1024, 1024), 10, T)


@pytest.mark.parametrize(("size", "term"), [(16, "strided_small"), (64, "strided_large")])
def test_slices_of_a_chunk_beyond_the_cache_cost_more(size: int, term: str) -> None:
    """A loop over a 14 MiB chunk pays for its strided reads and writes by size of product, a small chunk does not."""
    far = block_terms(loop(size, 1536 // size), 1200, T)
    near = block_terms(loop(size, 1536 // size), 100, T)

    assert far[term] == 2 * 1200 * 1536
    assert far["strided_row"] == 1200 * (1536 // size)
    assert not {"strided_row", "strided_small", "strided_large"} & near.keys()


def test_a_chunk_a_little_beyond_the_cache_costs_a_little_more() -> None:
    """Between the size of the cache and one and a half times that, the share of accesses that miss it grows."""
    amounts = [
        block_terms(loop(16, 64), samples, T).get("strided_row", 0.0) / samples for samples in (1024, 1280, 1536)
    ]
    assert amounts == pytest.approx([0, 32, 64])


def test_columns_are_rounded_up_to_lanes() -> None:
    """A block of three columns multiplies as long as one of eight; its outputs are three."""
    narrow = block_terms(Formulation(16, 3, (Part(Kind.LOOP, BlockShape(16, 3)),)), 10, replace(T, lanes=8))
    assert narrow["small_mac"] == 10 * 16 * 8
    assert narrow["output"] == 10 * 3


def test_the_dense_product_reads_whole_rows() -> None:
    """However large the chunk, the dense product is not strided."""
    assert not {"strided_row", "strided_large"} & block_terms(dense(1536, 1536), 4000, T).keys()


def test_a_batch_is_one_call() -> None:
    """A batched product differs from a loop in its calls alone."""
    calls = {"call", "slice_call", "batch_call", "batch_block"}
    one, many = block_terms(batch(32, 8), 30, T), block_terms(loop(32, 8), 30, T)

    assert one["batch_call"] == 1
    assert one["batch_block"] == 8
    assert {name: one[name] for name in one if name not in calls} == {
        name: many[name] for name in many if name not in calls
    }


def test_gathers_count_elements_and_calls() -> None:
    """Gathered inputs and scattered outputs are elements moved, dearer beyond the cache; zeros are elements written."""
    moved = replace(loop(32, 2), gathered_in=64, gathered_out=32, gathers=2, zero_filled_out=10)
    amounts = block_terms(moved, 100, T)
    far = block_terms(moved, 100, replace(T, far_bytes=1000))

    assert amounts["gather_call"] == 2
    assert (amounts["gather"], amounts["scatter"]) == (6400, 3200)
    assert (amounts["zero"], amounts["zero_call"]) == (1000, 1)
    assert not {"gather_far", "scatter_far"} & amounts.keys()
    assert (far["gather_far"], far["scatter_far"]) == (6400, 3200)


def test_compiled_calls_are_priced_apart() -> None:
    """A compiled formulation has no plain calls."""
    amounts = block_terms(replace(loop(32, 2), compiled=True), 30, T)

    assert amounts["compiled_once"] == 1
    assert amounts["compiled_call"] == 2
    assert not {"once", "call"} & amounts.keys()


def test_a_diagonal_is_elements() -> None:
    """An elementwise product has no multiply-accumulates of a matrix product; shared sums pass three times."""
    for kind, passes in ((Kind.ELEMENTWISE, 1), (Kind.SHARED_SUM, 3)):
        diagonal = Formulation(128, 128, (Part(kind, BlockShape(128, 128)),))
        assert block_terms(diagonal, 30, T) == {"once": 1, "call": passes, "elementwise": passes * 30 * 128}


def test_what_is_added_is_read_and_written_again() -> None:
    """A part that accumulates takes one more call and pass over its outputs."""
    part = Part(Kind.THIN, BlockShape(2, 256), accumulates=True)
    added, written = (
        block_terms(Formulation(256, 256, (each,)), 30, T) for each in (part, replace(part, accumulates=False))
    )

    assert added["call"] == written["call"] + 1
    assert added["added"] == 30 * 256


def test_mlx_kernels_have_their_own_calls() -> None:
    """`gather_mm` is a batch with another call; a masked product pays for its tiles and for the whole."""
    gathered = block_terms(Formulation(64, 64, (Part(Kind.GATHER_MM, BlockShape(32, 32), 2),)), 30, T)
    masked = block_terms(Formulation(64, 64, (Part(Kind.MASKED_MM, BlockShape(64, 64), 2, tile=32),)), 30, T)

    assert (gathered["gather_mm_call"], gathered["gather_mm_block"]) == (1, 2)
    assert masked == {
        "once": 1,
        "masked_mm_call": 1,
        "masked_mm_mac": 30 * 2 * 32 * 32,
        "masked_mm_whole": 30 * 64 * 64,
    }


def test_every_kind_of_part_has_terms() -> None:
    """The planner's kinds and the priced kinds are the same."""
    assert set(KINDS) == {str(kind) for kind in PART_KINDS}


def test_an_unknown_kind_is_refused() -> None:
    """A kind without terms is named in the error instead of being free."""

    @dataclass(frozen=True)
    class Odd:
        shape: BlockShape
        kind: str = "spectral"
        count: int = 1
        accumulates: bool = False
        calls: int = 1
        macs: int = 4

    formulation: FormulationLike = replace(dense(2, 2), parts=(Odd(BlockShape(2, 2)),))  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ValueError, match="spectral"):
        block_terms(formulation, 1, T)


def test_no_samples_count_as_one() -> None:
    """A chunk without samples is priced like one sample."""
    assert block_terms(dense(8, 8), 0, T) == block_terms(dense(8, 8), 1, T)


@given(
    st.sampled_from(PART_KINDS),
    st.integers(1, 600),
    st.integers(1, 600),
    st.integers(1, 40),
    st.integers(1, 5000),
)
@settings(deadline=None)
def test_amounts_are_known_terms_above_zero(kind: Kind, rows: int, columns: int, count: int, samples: int) -> None:
    """Whatever is counted has a unit and an amount above zero."""
    part = Part(kind, BlockShape(rows, columns), count, tile=32)
    amounts = block_terms(Formulation(rows * count, columns * count, (part,)), samples, T)

    assert amounts.keys() <= UNITS.keys()
    assert all(amount > 0 for amount in amounts.values())


@given(st.lists(st.integers(1, 64), min_size=2, max_size=6), st.integers(1, 300))
@settings(deadline=None)
def test_parts_add_up_while_weights_fit_the_cache(sizes: list[int], samples: int) -> None:
    """What a loop takes is the sum over its blocks of what each adds to a formulation with none."""
    total = sum(sizes)
    whole = blocks_of(Kind.LOOP, [(BlockShape(size, size), 1) for size in sizes], total, total)
    amounts: dict[str, float] = {"once": 1.0}
    for size in sizes:
        part = Formulation(total, total, (Part(Kind.LOOP, BlockShape(size, size)),))
        for name, amount in block_terms(part, samples, T).items():
            if name != "once":
                amounts[name] = amounts.get(name, 0.0) + amount

    assert block_terms(whole, samples, T) == pytest.approx(amounts)
