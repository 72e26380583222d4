"""A wrong arm is found, however fast it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure import rig as rig_module
from placement_cli.measure.agreement import Agreement, compare_with_reference
from placement_cli.measure.messages import message_pool
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.rig import build_rig
from placement_cli.measure.specs import Arm, ArmMode, Case
from placement_cli.operators.unit import FunctionUnit

SEED = 3
OFF = Arm("off", ArmMode.OFF)
Compare = Callable[..., Agreement]


@pytest.fixture
def compare(
    cpu: MlxDevice,
    make_case: Callable[..., Case],
    make_pipeline: Callable[..., Pipeline],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Compare:
    """Compares two rectifiers with their reference, the second of them replaced by a step of the test's."""

    def compared(step: Callable[[Any], Any]) -> Agreement:
        case = make_case(make_pipeline(("first", "abs", ["source"]), ("second", "abs", ["source"])))
        reference = tmp_path / "reference.npz"
        save_reference(reference, reference_outputs(case, SEED))
        units = {"first": FunctionUnit(mx.abs), "second": FunctionUnit(step)}
        monkeypatch.setattr(rig_module, "make_units", lambda *_, **__: units)
        pool = message_pool(case.pipeline.source, SEED)
        return compare_with_reference(build_rig(case, OFF, cpu, SEED, {}), pool, str(reference), "float32")

    return compared


def test_right_values_agree(compare: Compare) -> None:
    """Rounding is no error."""
    agreement = compare(mx.abs)
    assert agreement.agrees
    assert agreement.error < 1


def test_a_wrong_unit_is_found(compare: Compare) -> None:
    """Values that are off by more than the tolerance disagree, and the place is told."""
    agreement = compare(lambda x: mx.abs(x) + 0.01)
    assert not agreement.agrees
    assert agreement.error > 1
    assert agreement.where.endswith("output 2")


def test_a_unit_that_goes_wrong_later_is_found(compare: Compare) -> None:
    """More than the first message is compared."""
    seen: list[Any] = []

    def step(x: Any) -> Any:
        seen.append(x)
        return mx.abs(x) * (2 if len(seen) == 2 else 1)

    assert compare(step).where == "message 2, output 2"


def test_nan_disagrees(compare: Compare) -> None:
    """A value that is no number is infinitely wrong."""
    agreement = compare(lambda x: mx.abs(x) * mx.array(float("nan")))
    assert agreement.error == float("inf")
    assert not agreement.agrees


def test_another_shape_disagrees(compare: Compare) -> None:
    """Output that lost a sample is infinitely wrong."""
    agreement = compare(lambda x: mx.abs(x)[1:])
    assert agreement.error == float("inf")
    assert not agreement.agrees


def test_the_reference_goes_on_until_something_comes_out(
    make_case: Callable[..., Case], make_pipeline: Callable[..., Pipeline]
) -> None:
    """Where output is withheld, as many messages are compared as it takes to get some."""
    case = make_case(make_pipeline(("gather", "bin", ["source"], {"size": 50})))
    outputs = reference_outputs(case, SEED)
    assert [len(row[0]) for row in outputs] == [0, 0, 0, 0, 0, 0, 1]


def test_the_reference_is_double_precision_and_deterministic(
    make_case: Callable[..., Case], make_pipeline: Callable[..., Pipeline]
) -> None:
    """Equal seeds give equal values, at a precision that leaves the error to the arm."""
    case = make_case(make_pipeline(("filter", "sosfilt", ["source"]), ("mix", "affine", ["filter"])))
    one, other = reference_outputs(case, SEED), reference_outputs(case, SEED)
    assert len(one) == 3
    assert all(row[0].dtype == np.float64 for row in one)
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left[0], right[0])


def test_saved_references_hold_every_sink_of_every_message(tmp_path: Path) -> None:
    """The file names message and sink, and needs no pickling."""
    path = tmp_path / "reference.npz"
    save_reference(path, [[np.ones(2), np.zeros((0, 3))], [np.full(2, 2.0), np.ones((1, 3))]])
    with np.load(path, allow_pickle=False) as saved:
        assert sorted(saved.files) == ["0.0", "0.1", "1.0", "1.1"]
        np.testing.assert_array_equal(saved["1.0"], [2.0, 2.0])
        assert saved["0.1"].shape == (0, 3)
