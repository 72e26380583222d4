"""Shapes and costs worked out without running a pipeline."""

from __future__ import annotations

import pytest

from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.shapes import NodeShapes, node_features, pipeline_features, pipeline_shapes

SOURCE = Source(30, 64, 256)


def test_shapes_follow_the_longest_message() -> None:
    """Each node takes what its inputs give, in its own order of inputs."""
    pipeline = Pipeline(
        SOURCE,
        (
            Node("mix", "affine", ("source",), {"outputs": 32}),
            Node("both", "join", ("mix", "source"), {"kind": "concat"}),
            Node("less", "downsample", ("both",), {"factor": 4}),
            Node("out", "values", ("less",)),
        ),
    )

    assert pipeline_shapes(pipeline) == {
        "mix": NodeShapes(((64, 256),), (64, 32)),
        "both": NodeShapes(((64, 32), (64, 256)), (64, 288)),
        "less": NodeShapes(((64, 288),), (16, 288)),
        "out": NodeShapes(((16, 288),), (16, 288)),
    }


def test_costs_follow_the_shapes_and_the_element_type() -> None:
    """A float16 message moves half the bytes of a float32 one."""
    nodes = (Node("rectify", "abs", ("source",)),)
    single = pipeline_features(Pipeline(SOURCE, nodes))["rectify"]
    half = pipeline_features(Pipeline(Source(30, 64, 256, "float16"), nodes))["rectify"]

    assert single.output == half.output == (64, 256)
    assert single.bytes_moved == 2 * half.bytes_moved


def test_a_node_cannot_read_what_comes_later() -> None:
    """The order of a pipeline is the order in which it runs."""
    with pytest.raises(KeyError, match="later"):
        pipeline_shapes(Pipeline(SOURCE, (Node("first", "abs", ("later",)), Node("later", "abs", ("source",)))))


def test_inputs_that_an_operator_does_not_take_are_refused() -> None:
    """Wrong numbers of inputs, shapes and parameters are usage errors."""
    with pytest.raises(UsageError, match="join takes 2 to 64 inputs, not 1"):
        node_features(Node("j", "join", ("source",)), ((8, 4),), "float32")
    with pytest.raises(UsageError, match="join takes inputs of one length"):
        node_features(Node("j", "join", ("a", "b")), ((8, 4), (4, 4)), "float32")
    with pytest.raises(UsageError, match="abs has no parameter 'gain'"):
        node_features(Node("a", "abs", ("source",), {"gain": 1}), ((8, 4),), "float32")
