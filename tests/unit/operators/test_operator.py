"""What every operator promises, shown on all of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.operators.agreement import as_float64
from placement_cli.operators.catalog import OPERATORS
from placement_cli.operators.operator import ITEM_BYTES
from placement_cli.operators.unit import identity
from placement_cli.operators.work import VIEWS

QUICK_HOST = {"kind": "sleep", "length_ms": 0.0}

CASES: list[tuple[str, dict[str, Any], list[tuple[int, ...]]]] = [
    ("sosfilt", {}, [(30, 4)]),
    ("sosfilt", {"sections": 8}, [(1, 1)]),
    ("sosfilt", {}, [(64, 3)]),
    ("sosfilt", {}, [(65, 3)]),
    ("sosfilt", {}, [(1024, 2)]),
    ("sosfilt", {"sections": 8}, [(1003, 2)]),
    ("sosfilt", {"sections": 1}, [(5000, 1)]),
    ("ewm_scaler", {}, [(30, 4)]),
    ("ewm_scaler", {}, [(1024, 2)]),
    ("ewm_scaler", {}, [(777, 1)]),
    ("fir", {}, [(30, 4)]),
    ("fir", {"taps": 2}, [(1, 1)]),
    ("fir", {}, [(1024, 2)]),
    ("fir", {"taps": 7}, [(77, 1)]),
    ("abs", {}, [(5, 3)]),
    ("abs", {}, [(2, 5, 3)]),
    ("scale", {}, [(5, 3)]),
    ("scale", {}, [(1, 1)]),
    ("scale", {}, [(2, 5, 3)]),
    ("car", {}, [(5, 3)]),
    ("car", {}, [(5, 1)]),
    ("car", {}, [(1, 1)]),
    ("car", {}, [(2, 5, 3)]),
    ("affine", {}, [(5, 3)]),
    ("affine", {"outputs": 7}, [(5, 3)]),
    ("affine", {"outputs": 7}, [(2, 5, 3)]),
    ("affine", {}, [(1, 5, 3)]),
    ("spectrum", {}, [(16, 3)]),
    ("spectrum", {}, [(15, 1)]),
    ("spectrum", {}, [(1, 2)]),
    ("spectrum", {}, [(2, 16, 3)]),
    ("downsample", {}, [(30, 3)]),
    ("downsample", {"factor": 1}, [(30, 3)]),
    ("downsample", {"factor": 50}, [(20, 3)]),
    ("downsample", {}, [(1, 1)]),
    ("bin", {"size": 50}, [(20, 3)]),
    ("bin", {"size": 10}, [(30, 3)]),
    ("bin", {"size": 12}, [(30, 1)]),
    ("bin", {"size": 30}, [(10, 2)]),
    ("window", {"length": 16, "hop": 4}, [(10, 3)]),
    ("window", {"length": 10, "hop": 10}, [(30, 3)]),
    ("window", {"length": 32, "hop": 20}, [(7, 1)]),
    ("join", {}, [(5, 3), (5, 3)]),
    ("join", {}, [(5, 3)] * 5),
    ("join", {"kind": "concat"}, [(5, 3), (5, 1), (5, 2)]),
    ("join", {"kind": "concat"}, [(2, 5, 3), (2, 5, 1)]),
    ("host", QUICK_HOST, [(5, 3)]),
    ("values", {}, [(5, 3)]),
]
COUNTED = [
    (*case, dtype)
    for case, dtype in product(CASES, ITEM_BYTES)
    if (case[0], dtype) != ("values", "bfloat16")  # its one op is evaluated at once; see test_values.py
]


def _label(value: Any) -> str:
    return str(value).replace(" ", "") if value else "-"


@pytest.mark.parametrize(("name", "params", "shapes", "dtype"), COUNTED, ids=_label)
def test_features_are_those_of_the_graph_that_is_built(
    stream: Any, pending: Any, name: str, params: Any, shapes: Any, dtype: str
) -> None:
    """Ops, kernels, output and state of the message that arrives while the most is carried, in a steady stream."""
    node = stream(name, params, shapes, dtype)
    messages = node.messages()
    seen = []
    for _ in range(120 if node.operator.withholds else 3):
        carried = sum(array.nbytes for array in node.unit.state())
        output = node.unit.step(*messages)
        state = node.unit.state()
        names = pending(output, *state)
        seen.append((carried, output.size, names, tuple(output.shape)))
        mx.eval([message for message in messages if message is not output], list(state))
        if isinstance(output, mx.array):
            mx.eval(output)
    carried, _, names, shape = max(seen, key=lambda entry: entry[:2])
    features = node.features
    assert (features.ops, features.kernels) == (len(names), sum(name not in VIEWS for name in names)), names
    assert features.output == shape
    assert features.state_bytes == carried


@pytest.mark.parametrize("name", OPERATORS)
def test_state_is_carried_by_those_that_say_so(stream: Any, name: str) -> None:
    """An operator that carries state has arrays after a message, others never."""
    node = stream(name, QUICK_HOST if name == "host" else {}, [(30, 2)] * OPERATORS[name].inputs[0])
    node.unit.step(*node.messages())
    assert bool(node.unit.state()) == node.operator.carries_state
    assert (node.features.state_bytes > 0) == node.operator.carries_state


@pytest.mark.parametrize("dtype", ITEM_BYTES)
@pytest.mark.parametrize("name", [name for name in OPERATORS if name != "values"])
@pytest.mark.parametrize("samples", [40, 100])
def test_a_step_evaluates_nothing(stream: Any, pending: Any, name: str, dtype: str, samples: int) -> None:
    """The input is as lazy afterwards as it was before, for every message length."""
    node = stream(name, QUICK_HOST if name == "host" else {}, [(samples, 2)] * OPERATORS[name].inputs[0], dtype)
    for length in (samples, 0, 7, samples, samples):
        messages = [mx.negative(message) for message in node.messages(length)]
        node.unit.step(*messages)
        assert all(pending(message) == ["Negative"] for message in messages)


@pytest.mark.parametrize("name", OPERATORS)
def test_a_new_unit_leaves_nothing_to_evaluate(stream: Any, pending: Any, name: str) -> None:
    """The first state is there before the first message."""
    node = stream(name, QUICK_HOST if name == "host" else {}, [(30, 2)] * OPERATORS[name].inputs[0])
    assert pending(*node.unit.state()) == []


@pytest.mark.parametrize("name", OPERATORS)
def test_outputs_keep_the_element_type(stream: Any, name: str) -> None:
    """Constants promote nothing: two-byte messages stay two-byte messages."""
    for dtype in ITEM_BYTES:
        node = stream(name, QUICK_HOST if name == "host" else {}, [(30, 2)] * OPERATORS[name].inputs[0], dtype)
        for length in (30, 0, 1):
            output = node.unit.step(*node.messages(length))
            if name != "values":
                assert output.dtype == getattr(mx, dtype)


@pytest.mark.parametrize("name", OPERATORS)
def test_after_a_reset_the_same_stream_gives_the_same_values(stream: Any, name: str) -> None:
    """Both implementations forget everything they saw."""
    node = stream(name, QUICK_HOST if name == "host" else {}, [(30, 2)] * OPERATORS[name].inputs[0])
    lengths = (30, 11, 29)

    def run(unit: Any, read: Any) -> list[Any]:
        node.random = np.random.default_rng(5)
        return [np.asarray(unit.step(*map(read, node.messages(length)))) for length in lengths]

    for unit, read in ((node.unit, identity), (node.reference, as_float64)):
        first = run(unit, read)
        unit.reset()
        for before, after in zip(first, run(unit, read), strict=True):
            np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_seed_decides_the_weights(stream: Any, name: str) -> None:
    """Two units with one seed compute the same."""
    params = QUICK_HOST if name == "host" else {}
    shapes = [(30, 2)] * OPERATORS[name].inputs[0]
    one, two = stream(name, params, shapes, seed=3), stream(name, params, shapes, seed=3)
    np.testing.assert_array_equal(
        np.asarray(one.unit.step(*one.messages())), np.asarray(two.unit.step(*two.messages()))
    )


@pytest.mark.parametrize("name", OPERATORS)
@settings(deadline=None, max_examples=15)
@given(
    lengths=st.lists(st.one_of(st.integers(0, 2), st.integers(0, 140)), min_size=1, max_size=6),
    channels=st.integers(1, 4),
    dtype=st.sampled_from(sorted(ITEM_BYTES)),
    seed=st.integers(0, 999),
)
def test_messages_of_any_length_agree_with_the_reference(
    stream: Any, name: str, lengths: list[int], channels: int, dtype: str, seed: int
) -> None:
    """Streams with messages of no, one or many samples give the values of NumPy and SciPy, whatever the type."""
    params = {"host": QUICK_HOST, "bin": {"size": 9}, "window": {"length": 40, "hop": 15}}.get(name, {})
    shapes = [(max(1, *lengths, 1), channels)] * OPERATORS[name].inputs[0]
    assert stream(name, params, shapes, dtype, seed).worst(lengths) < 1


@pytest.mark.parametrize("name", [name for name in OPERATORS if 3 in OPERATORS[name].ranks])
def test_stacks_of_windows_agree_with_the_reference(stream: Any, name: str) -> None:
    """Operators that take windows x samples x channels take a stack of none as well."""
    shapes = [(3, 8, 2)] * OPERATORS[name].inputs[0]
    node = stream(name, QUICK_HOST if name == "host" else {}, shapes)
    assert node.disagreement() < 1
    for windows in (0, 1, 2):
        messages = [message[:windows] for message in node.messages()]
        got = node.unit.step(*messages)
        want = node.reference.step(*(np.asarray(message, dtype=np.float64) for message in messages))
        assert got.shape == want.shape
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-4, atol=1e-5)
