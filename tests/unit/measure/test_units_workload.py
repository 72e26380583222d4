"""A case carries its workload to the workers, where it decides whose operators are made."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure import units
from placement_cli.measure.reference import reference_outputs
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading, Workload
from placement_cli.operators.operator import Operator
from placement_cli.operators.unit import FunctionUnit

PIPELINE = Pipeline(Source(8, 8, 2), (Node("rectify", "abs", ("source",)),))
CASE = Case("c", "s", Reading.STREAM, PIPELINE, (Arm("async", ArmMode.ASYNC, ("rectify",)),), "async")


@pytest.fixture(autouse=True)
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators through ezmsg-sigproc whose units, on either side, add 100."""

    def through(operator: Operator) -> Operator:
        unit = FunctionUnit(lambda x: x + 100.0)
        return replace(operator, make_mlx=lambda *_: unit, make_numpy=lambda *_: unit)

    monkeypatch.setattr(units, "through_ezmsg", through)


@pytest.mark.parametrize("workload", Workload)
def test_the_workload_of_a_case_survives_the_pipe(workload: Workload) -> None:
    """What the worker reads is what was sent."""
    case = replace(CASE, workload=workload)
    assert Case.from_json(case.to_json()) == case


def test_a_case_without_a_workload_is_builtin() -> None:
    """Journals from before the choice can be resumed."""
    written = CASE.to_json()
    del written["workload"]
    assert Case.from_json(written) == CASE


@pytest.mark.parametrize("reference", [True, False])
@pytest.mark.parametrize(("workload", "value"), [(Workload.BUILTIN, 1.0), (Workload.EZMSG, 99.0)])
def test_the_workload_decides_whose_units_are_made(workload: Workload, value: float, reference: bool) -> None:
    """On the device and in the reference alike."""
    message = np.full((8, 2), -1.0) if reference else mx.full((8, 2), -1.0)
    unit = units.make_units(PIPELINE, 0, reference=reference, workload=workload)["rectify"]
    assert float(unit.step(message)[0, 0]) == value


def test_the_reference_of_a_case_is_that_of_its_workload() -> None:
    """A worker on one workload is never compared with the values of the other."""
    builtin, ezmsg = (reference_outputs(replace(CASE, workload=workload), 0) for workload in Workload)
    assert builtin[0][0].max() < 50 < ezmsg[0][0].min()
