"""The operators, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from rich import box
from rich.table import Table

from placement_cli.operators.operator import Features, Operator, Parameter
from placement_cli.render.plain import plain
from placement_cli.units import format_size

EXAMPLE_SHAPE = (64, 256)
"""Shape of the message whose costs are listed: samples x channels."""
EXAMPLE_DTYPE = "float32"


def operators_table(operators: Iterable[Operator]) -> Table:
    """Return a table of operators: what each does, its parameters with defaults, and what one message costs."""
    samples, channels = EXAMPLE_SHAPE
    table = Table(box=box.SIMPLE_HEAD, caption=f"costs of one message of {samples} x {channels} float32")
    for heading in ("operator", "what it does", "parameters", "state", "withholds"):
        table.add_column(heading)
    for heading in ("ops", "kernels", "Mflop", "moved"):
        table.add_column(heading, justify="right")
    for operator in operators:
        features = example_features(operator)
        table.add_row(
            plain(operator.name),
            plain(operator.summary),
            plain("\n".join(_parameter(parameter) for parameter in operator.parameters)),
            format_size(features.state_bytes) if operator.carries_state else "",
            "yes" if operator.withholds else "",
            str(features.ops),
            str(features.kernels),
            f"{features.flops / 1e6:.3g}",
            format_size(features.bytes_moved),
        )
    return table


def operators_json(operators: Iterable[Operator]) -> str:
    """Return the operators as one JSON document."""
    return json.dumps(
        {"schema": "placement.operators", "schema_version": "1.0.0", "operators": [*map(_entry, operators)]},
        indent=1,
    )


def example_features(operator: Operator) -> Features:
    """Return what one message of the example shape costs in `operator` with its defaults."""
    inputs = max(1, operator.inputs[0])
    return operator.features([EXAMPLE_SHAPE] * inputs, {p.name: p.default for p in operator.parameters}, EXAMPLE_DTYPE)


def _parameter(parameter: Parameter) -> str:
    allowed = ""
    if parameter.choices:
        allowed = f" ({', '.join(parameter.choices)})"
    elif parameter.low is not None and parameter.high is not None:
        allowed = f" ({parameter.low:g} to {parameter.high:g})"
    return f"{parameter.name}={parameter.default}{allowed}"


def _entry(operator: Operator) -> Mapping[str, object]:
    features = example_features(operator)
    return {
        "name": operator.name,
        "summary": operator.summary,
        "backend": operator.backend,
        "carries_state": operator.carries_state,
        "withholds": operator.withholds,
        "inputs": list(operator.inputs),
        "parameters": [
            {
                "name": p.name,
                "default": p.default,
                "low": p.low,
                "high": p.high,
                "choices": list(p.choices),
                "summary": p.summary,
            }
            for p in operator.parameters
        ],
        "example": {
            "shape": list(EXAMPLE_SHAPE),
            "ops": features.ops,
            "kernels": features.kernels,
            "flops": features.flops,
            "moved_bytes": features.bytes_moved,
            "state_bytes": features.state_bytes,
            "output": list(features.output),
        },
    }
