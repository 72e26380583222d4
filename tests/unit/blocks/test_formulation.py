from __future__ import annotations

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, blocks_of, dense, run_length


def test_loops_over_one_shape_are_joined() -> None:
    """Neighbouring loops over equal blocks become one part, batches stay calls of their own."""
    shape = BlockShape(4, 4)
    joined = run_length([Part(Kind.LOOP, shape), Part(Kind.LOOP, shape, 2), Part(Kind.BATCH, shape, 3)] * 2)
    assert [(part.kind, part.count) for part in joined] == [
        (Kind.LOOP, 3),
        (Kind.BATCH, 3),
        (Kind.LOOP, 3),
        (Kind.BATCH, 3),
    ]


def test_a_batch_is_one_call_and_a_loop_one_a_block() -> None:
    """Calls count kernels: one for all blocks of a batch, one for each block of a loop."""
    run = [(BlockShape(16, 8), 10)]
    assert blocks_of(Kind.LOOP, run, 160, 80).calls == 10
    assert blocks_of(Kind.BATCH, run, 160, 80).calls == 1
    assert blocks_of(Kind.BATCH, run, 160, 80).macs == blocks_of(Kind.LOOP, run, 160, 80).macs == 1280


def test_macs_of_parts_that_are_no_product() -> None:
    """A diagonal costs one multiplication a channel, a shared sum two, a masked product its tiles."""
    assert Part(Kind.ELEMENTWISE, BlockShape(100, 100)).macs == 100
    assert Part(Kind.SHARED_SUM, BlockShape(16, 16), 4).macs == 128
    assert Part(Kind.MASKED_MM, BlockShape(128, 128), 3, tile=32).macs == 3 * 32 * 32


def test_names_say_what_is_done() -> None:
    """The short name tells gathers, zeros, thin products and compilation."""
    loop = blocks_of(Kind.LOOP, [(BlockShape(4, 4), 2)], 8, 8)
    thin = Part(Kind.THIN, BlockShape(8, 1))
    assert dense(8, 8).name == "dense"
    assert loop.name == "loop"
    assert Formulation(8, 8, loop.parts, gathered_in=8, gathers=1).name == "permuted loop"
    assert Formulation(8, 12, loop.parts, zero_filled_out=4).name == "compressed loop"
    assert Formulation(8, 9, (*loop.parts, thin)).name == "loop + thin"
    assert Formulation(8, 8, loop.parts, compiled=True).name == "loop (compiled)"
    assert Formulation(8, 8, (), zero_filled_out=8).name == "zeros"
    assert Formulation(12, 12, (*loop.parts, Part(Kind.BATCH, BlockShape(2, 2), 2))).name == "mixed"


def test_thin_rows_and_columns_are_counted_apart() -> None:
    """Dense rows are the thin parts that add to the output, dense columns those that write it."""
    row = Part(Kind.THIN, BlockShape(3, 8), accumulates=True)
    column = Part(Kind.THIN, BlockShape(8, 2))
    formulation = Formulation(8, 8, (column, row))
    assert (formulation.dense_rows, formulation.dense_columns) == (3, 2)
    assert formulation.blocks == ()


def test_blocks_are_run_length_whatever_computes_them() -> None:
    """Block shapes come with how often each follows, over parts of several kinds."""
    shape = BlockShape(4, 4)
    formulation = Formulation(24, 24, (Part(Kind.LOOP, shape), Part(Kind.BATCH, shape, 5)))
    assert formulation.blocks == ((shape, 6),)
