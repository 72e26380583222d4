"""The operators, as a list for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group
from rich.text import Text

from placement_cli.operators.operator import Features, Operator, Parameter
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.units import format_size

EXAMPLE_SHAPE = (64, 256)
"""Shape of the message whose costs are listed: samples x channels."""
EXAMPLE_DTYPE = "float32"


def operator_list(operators: Iterable[Operator]) -> Group:
    """Return what each operator does, its parameters with defaults, and what one message costs."""
    known = list(operators)
    room = max((len(operator.name) for operator in known), default=0) + 2
    samples, channels = EXAMPLE_SHAPE
    note = Text(f"Costs are those of one message of {samples} x {channels} {EXAMPLE_DTYPE}.", style="dim")
    return Group(*(part for operator in known for part in _entry_lines(operator, room)), Hanging(note))


def _entry_lines(operator: Operator, room: int) -> Iterator[Hanging]:
    yield Hanging(plain(operator.summary), plain(operator.name, "bold"), room)
    if operator.parameters:
        yield Hanging(plain(", ".join(map(_parameter, operator.parameters))), room=room)
    yield Hanging(plain(_costs(operator), "dim"), room=room)


def _costs(operator: Operator) -> str:
    features = example_features(operator)
    parts = [
        _counted(features.ops, "op"),
        _counted(features.kernels, "kernel"),
        f"{features.flops / 1e6:.3g} Mflop",
        f"{format_size(features.bytes_moved)} moved",
        f"{format_size(features.state_bytes)} of state" if operator.carries_state else "",
        "may withhold output" if operator.withholds else "",
    ]
    return ", ".join(filter(None, parts))


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


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


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
