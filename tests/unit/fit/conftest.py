"""Configurations whose times follow known prices, so that a fit can be compared with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, blocks_of, dense
from placement_cli.fit.block_priors import BLOCK_PRIORS, TERM_ORDER
from placement_cli.fit.observations import Configuration, Timing
from placement_cli.profile.block_constants import BlockPrice
from placement_cli.profile.terms import Thresholds

TRUE_PRICES = {
    "once": 3e-7, "call": 2e-6, "slice_call": 1e-6, "batch_call": 5e-6, "batch_block": 8e-8, "gather_call": 4e-6,
    "gather": 2e-9, "gather_far": 1e-9, "scatter": 3e-9, "small_mac": 5e-11, "large_mac": 3e-11, "packed_weight": 6e-10,
    "output": 1e-10, "packed_output": 2e-10, "vector_weight": 1e-10, "vector_weight_far": 2e-10,
    "streamed_weight": 2e-10, "traffic": 2e-10, "row": 3e-9, "strided_row": 1e-8,
    "strided_small": 1e-9, "strided_large": 5e-10,
}  # fmt: skip
TRUE_THRESHOLDS = Thresholds(small_macs=2.5e5)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS from spinning threads on the small matrices of a fit, which a busy machine punishes."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="session")
def truth() -> BlockPrice:
    """The price that made the times; terms that no configuration contains have the value of their prior."""
    values: dict[str, float] = {}
    for name in TERM_ORDER:
        prior = BLOCK_PRIORS[name]
        values[name] = TRUE_PRICES.get(name, prior.ratio * (values[prior.parent] if prior.parent else 1.0))
    return BlockPrice(values, TRUE_THRESHOLDS)


@pytest.fixture(scope="session")
def configurations(truth: BlockPrice) -> tuple[Configuration, ...]:
    """Thirty-six products with times by `truth`, give or take 3 %, and a shared 10 % a configuration."""
    generator = np.random.default_rng(5)
    shapes = [(256, 16), (512, 64), (1024, 32), (1024, 256), (1536, 96), (2048, 128)]
    return tuple(
        timed(channels, size, samples, truth, generator)
        for channels, size in shapes
        for samples in (1, 4, 30, 300, 1000, 3000)
    )


def timed(channels: int, size: int, samples: int, truth: BlockPrice, generator: np.random.Generator) -> Configuration:
    """Return one product of equal blocks with every recorded kind of formulation."""
    speed = generator.lognormal(0, 0.1)
    timings = []
    for name, formulation in formulations(channels, size).items():
        halves = [truth(formulation, samples) * speed * generator.lognormal(0, 0.03) for _ in range(2)]
        timings.append(Timing(name, formulation, sum(halves) / 2, (halves[0], halves[1])))
    return Configuration(samples, ((BlockShape(size, size), channels // size),), tuple(timings), "calibration")


def formulations(channels: int, size: int) -> dict[str, Formulation]:
    """Return dense, loops and batches of one, two and four blocks merged, a permuted loop and a bare gather."""
    found = {"dense": dense(channels, channels)}
    for merged in (1, 2, 4):
        blocks = [(BlockShape(size * merged, size * merged), channels // size // merged)]
        found[f"loop{merged}"] = blocks_of(Kind.LOOP, blocks, channels, channels)
        found[f"batch{merged}"] = blocks_of(Kind.BATCH, blocks, channels, channels)
    found["perm1"] = replace(found["loop1"], gathered_in=channels, gathered_out=channels, gathers=2)
    found["gather"] = Formulation(channels, channels, (), gathered_in=channels, gathers=1)
    return found
