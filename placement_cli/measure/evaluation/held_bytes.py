"""`held`: the bytes that one message of each operator keeps while nothing of it is done yet.

MLX allocates every buffer of a submission when it is submitted. So a message submitted behind work that holds the
device shows all that it needs at once, its output included; what MLX can use again in place is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from placement_cli.measure.evaluation.device_work import Make, make_product
from placement_cli.measure.evaluation.observation import CaseValue, Observation
from placement_cli.measure.evaluation.operator_work import HOLD_S, SHAPES, OperatorStream, operator_stream
from placement_cli.measure.evaluation.rounds import Site
from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.operator import Operator, Shape

HELD = "held"
MOST_BYTES_MOVED = 1 << 28
"""An operator whose kernels read and write more for one message is left out: it would take long."""
MOST_FLOPS = 5e8
"""One with more arithmetic too."""


def measure_held(site: Site) -> list[Observation]:
    """Return the bytes by `operator`, `samples` and `channels`; one value each, for they do not vary."""
    hold = make_product(site.device, site.clock, HOLD_S)
    return list(_observed(site, hold))


def _observed(site: Site, hold: Make) -> Iterator[Observation]:
    for operator, shape in product(OPERATORS.values(), SHAPES):
        if operator.backend == "mlx" and _light(operator, shape):
            held = _held_bytes(operator_stream(operator, shape, site), site, hold)
            case: dict[str, CaseValue] = {"operator": operator.name, "samples": shape[0], "channels": shape[1]}
            yield Observation(HELD, {**case, "reading": HELD}, (float(held),), "B")


def _light(operator: Operator, shape: Shape) -> bool:
    features = operator.features([shape] * operator.inputs[0], check_params(operator, {}), "float32")
    return features.bytes_moved <= MOST_BYTES_MOVED and features.flops <= MOST_FLOPS


def _held_bytes(stream: OperatorStream, site: Site, hold: Make) -> int:
    """Return by how much the active bytes grow while one message is submitted behind a hold."""
    device = site.device
    device.evaluate(*stream.build())
    device.evaluate(*stream.build())
    arrays, held = stream.build(), hold()
    device.synchronize()
    device.submit(held)
    before = device.memory().active_bytes
    device.submit(*arrays)
    after = device.memory().active_bytes
    device.evaluate(*arrays)
    return max(0, after - before)
