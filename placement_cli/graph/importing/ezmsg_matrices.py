"""AffineTransform of ezmsg-sigproc: a matrix, of which exports show the first rows at best."""

from __future__ import annotations

import re
from typing import Any

from placement_cli.graph.importing.ezmsg_behaviour import Behaviour, Flow, Settings
from placement_cli.graph.importing.ezmsg_filters import fits
from placement_cli.graph.pipeline import ParameterValue

OUTPUTS_UNKNOWN = "the shape of its weights is not in the file, so as many channels come out as go in"
_FIRST_ROW = re.compile(r"\s*(?:array\()?\[\s*\[(?P<row>[^\[\].]*(?:\.(?!\.)[^\[\].]*)*)\]")
"""The first row of a matrix as NumPy prints it, unless it is cut short with an ellipsis."""
MAX_ROW = 100_000


def affine(settings: Settings, flow: Flow) -> Behaviour:
    """AffineTransform: the operator `affine`, with as many outputs as its weights have."""
    weights = settings.values.get("weights")
    outputs = _row_length(weights) if settings.flag("right_multiply", True) else _rows(weights)
    params: dict[str, ParameterValue] = {} if outputs is None else {"outputs": outputs}
    if outputs is None or not fits("affine", params):
        return Behaviour(flow, op="affine", says=(OUTPUTS_UNKNOWN,))
    return Behaviour(flow, op="affine", params=params)


def _row_length(weights: Any) -> int | None:
    if isinstance(weights, list):
        return len(weights[0]) if weights and isinstance(weights[0], list) else None
    found = _FIRST_ROW.match(weights[:MAX_ROW]) if isinstance(weights, str) else None
    return len(found["row"].split(",")) if found else None


def _rows(weights: Any) -> int | None:
    if isinstance(weights, list):
        return len(weights) or None
    if not isinstance(weights, str) or "..." in weights or not _FIRST_ROW.match(weights[:MAX_ROW]):
        return None
    return weights.count("[") - 1
