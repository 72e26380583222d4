"""How often operators that gather samples give output."""

from __future__ import annotations

import numpy as np
import pytest

from placement_cli.graph.document.emission import STRIDES, operator_emission
from placement_cli.graph.graph import ALWAYS, Emission
from placement_cli.operators.catalog import OPERATORS, check_params


def test_every_operator_that_withholds_has_a_stride() -> None:
    """A new one needs its parameter named."""
    withholding = {name: op for name, op in OPERATORS.items() if op.withholds}

    assert withholding.keys() == STRIDES.keys()
    assert all(STRIDES[name] in check_params(op, {}) for name, op in withholding.items())


def test_other_operators_always_give_output() -> None:
    """Whatever reaches them."""
    assert operator_emission(OPERATORS["abs"], {}, 1) == ALWAYS


def test_a_bin_of_50_fed_with_20_gives_output_on_every_third_message_or_sooner() -> None:
    """One that is fed with whole bins always does."""
    op = OPERATORS["bin"]

    assert operator_emission(op, check_params(op, {"size": 50}), 20) == Emission(3)
    assert operator_emission(op, check_params(op, {"size": 50}), 50) == ALWAYS


@pytest.mark.parametrize("name", STRIDES)
@pytest.mark.parametrize("samples", [1, 7, 20, 300])
def test_outputs_are_no_further_apart_than_said(name: str, samples: int) -> None:
    """In a stream through the reference of each operator, from its first output on."""
    op = OPERATORS[name]
    params = check_params(op, {})
    unit = op.make_numpy([(samples, 1)], params, "float32", 0)
    given = [index for index in range(1200 // samples) if len(unit.step(np.zeros((samples, 1))))]
    gaps = np.diff(given)

    assert gaps.max() <= operator_emission(op, params, samples).every
