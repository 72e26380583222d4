"""When an operator that gathers samples gives output, from its parameters and the samples that reach it."""

from __future__ import annotations

from collections.abc import Mapping

from placement_cli.graph.graph import ALWAYS, Emission
from placement_cli.operators.operator import Operator, Params

STRIDES: Mapping[str, str] = {"bin": "size", "downsample": "factor", "window": "hop"}
"""Operator that withholds to its parameter that says how many samples lie from one output to the next."""


def operator_emission(operator: Operator, params: Params, samples: int) -> Emission:
    """Return when `operator` with all its parameters gives output, if every message brings `samples`.

    Between two outputs lie the samples of one stride, so at most ceil(stride / samples) messages: a `bin` of 50 fed
    with 20 gives output on every third message or sooner. That the first window takes longer to fill is left out.
    """
    if not operator.withholds:
        return ALWAYS
    stride = int(params[STRIDES[operator.name]])
    return Emission(every=-(-stride // max(1, samples)))
