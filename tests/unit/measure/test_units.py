"""The operators of a pipeline in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.messages import message_pool
from placement_cli.measure.units import designs_of, device_ops, make_units
from placement_cli.operators.agreement import as_float64

MakePipeline = Callable[..., Pipeline]


def test_equal_seeds_give_equal_weights(cpu: MlxDevice, make_pipeline: MakePipeline) -> None:
    """A second process of an arm computes with the same weights; another seed or place has others."""
    pipeline = make_pipeline(("one", "affine", ["source"]), ("two", "affine", ["source"]))
    message = message_pool(pipeline.source, 0)[0]

    def output(seed: int, name: str) -> object:
        return as_float64(make_units(pipeline, seed)[name].step(_mlx(message))).tolist()

    assert output(1, "one") == output(1, "one")
    assert output(1, "one") != output(2, "one")
    assert output(1, "one") != output(1, "two")


def test_the_reference_has_the_weights_of_the_arm(cpu: MlxDevice, make_pipeline: MakePipeline) -> None:
    """Both sides of the comparison draw them from the same seed."""
    pipeline = make_pipeline(("mix", "affine", ["source"]))
    message = message_pool(pipeline.source, 0)[0]
    got = make_units(pipeline, 1)["mix"].step(_mlx(message))
    want = make_units(pipeline, 1, reference=True)["mix"].step(message.astype(np.float64))
    np.testing.assert_allclose(as_float64(got), want, rtol=1e-4, atol=1e-5)


def test_ops_are_those_of_the_device(make_pipeline: MakePipeline) -> None:
    """Every MLX node counts with its primitives, host nodes with none."""
    chain = make_pipeline(
        ("a", "abs", ["source"]), ("b", "abs", ["a"]), ("work", "host", ["b"]), ("v", "values", ["b"])
    )
    assert device_ops(chain) == 2


def test_designs_are_plain_and_change_nothing(cpu: MlxDevice, make_pipeline: MakePipeline) -> None:
    """What is worked out once goes over the pipe, and a unit made with it computes the same."""
    pipeline = make_pipeline(("filter", "sosfilt", ["source"]), ("rectify", "abs", ["filter"]))
    designs = designs_of(pipeline)
    message = message_pool(pipeline.source, 0)[0]
    own, given = (make_units(pipeline, 1, None, each)["filter"].step(_mlx(message)) for each in (None, designs))
    assert list(designs) == ["filter"]
    np.testing.assert_array_equal(as_float64(own), as_float64(given))


def _mlx(message: Any) -> Any:
    import mlx.core as mx

    return mx.array(message)
