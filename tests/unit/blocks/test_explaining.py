from __future__ import annotations

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.plan import BlockPlan, Run, Section


def test_a_plan_tells_its_steps() -> None:
    """Gathers, runs, thin products, zeros and notes have a line each, in the order in which they happen."""
    runs = (
        Run(Kind.LOOP, 0, 4, 0, 4),
        Run(Kind.LOOP, 4, 4, 4, 4),
        Run(Kind.BATCH, 8, 2, 8, 2, count=3, row_step=2),
        Run(Kind.SHARED_SUM, 14, 9, 14, 9),
        Run(Kind.ELEMENTWISE, 23, 1, 23, 1, count=2, row_step=1),
    )
    sections = (
        Section(runs, Channels(range(25)), Channels(range(25))),
        Section((Run(Kind.THIN, 0, 30, 26, 1),)),
        Section((Run(Kind.THIN, 3, 1, 0, 30),), accumulates=True),
    )
    assert BlockPlan(30, 30, sections, compiled=True, notes=("Mind the gap.",)).explain().splitlines() == [
        "30 inputs x 30 outputs: permuted mixed + thin (compiled).",
        "Gather 25 inputs by index.",
        "2 products with a block of 4 x 4, one after the other.",
        "3 blocks of 2 x 2 as one batched product.",
        "1 block of 9 x 9: scale, and add the scaled sum.",
        "2 channels, each times its own weight.",
        "Put 25 outputs in their places by index.",
        "One thin product of 30 x 1, for the outputs that read everything.",
        "One thin product of 1 x 30, added to every output.",
        "Fill 4 outputs with zeros: no weight reaches them.",
        "The whole as one compiled function.",
        "Mind the gap.",
    ]


def test_many_different_runs_are_counted() -> None:
    """A long list of unequal blocks is cut off with how many follow."""
    runs = tuple(Run(Kind.LOOP, 0, 1 + i % 2, i, 1) for i in range(20))
    assert "And 12 runs of blocks more." in BlockPlan(2, 20, (Section(runs),)).explain()


def test_kinds_of_mlx_and_the_dense_product_are_named() -> None:
    """gather_mm, block_masked_mm and the dense product have sentences of their own."""
    dense = BlockPlan(64, 64, (Section((Run(Kind.DENSE, 0, 64, 0, 64),)),))
    masked = BlockPlan(64, 64, (Section((Run(Kind.MASKED_MM, 0, 64, 0, 64, count=2, tile=32),)),))
    gather = Run(Kind.GATHER_MM, 0, 4, 0, 4, count=4, row_step=4)
    assert "One product with a matrix of 64 x 64." in dense.explain()
    assert "block_masked_mm of 64 x 64, 2 tiles of 32 x 32 not zero." in masked.explain()
    assert "4 blocks of 4 x 4 as one gather_mm." in BlockPlan(16, 16, (Section((gather,)),)).explain()
