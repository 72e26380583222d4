"""`device`: how long the device works on one message of each operator, at several shapes of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from placement_cli.measure.evaluation.device_work import TRIALS, Make, device_seconds, make_product
from placement_cli.measure.evaluation.observation import CaseValue, Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, take_rounds
from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.operator import DESIGN, Operator, Shape, Unit

DEVICE = "device"
SHAPES: tuple[Shape, ...] = ((30, 64), (64, 256), (128, 512), (512, 1024))
"""Samples and channels of the messages."""
DTYPE = "float32"
HOLD_S = 1e-3
"""How long the device is held while messages are submitted; submitting takes half of that at most."""
WORK_S = 1.5e-3
"""Messages of one sample take about this long together: far longer than it takes to wake the host."""
LONG_S, SELDOM = 0.05, 3
"""A shape of which one message takes longer is measured only in every third round, for the sake of the others;"""
LONGEST_S = 0.5
"""one that takes this long is left out."""
QUEUE_SHARE = 0.7
"""How much of the device's queue is filled: none of the submissions may wait."""
IN_FLIGHT_BYTES = 16 << 20
"""What the kernels of one sample read and write at most: half of what MLX's CPU backend keeps for reuse. Beyond that
the operating system's page faults would be measured."""


def measure_operators(site: Site) -> list[Observation]:
    """Time every operator that works on the device, by itself and with its default parameters.

    Seconds a message, by `operator`, `samples` and `channels`. Operators of several inputs get the same message for
    all. Those that withhold output are timed over messages with and without.
    """
    hold = make_product(site.device, site.clock, HOLD_S)
    trials = [
        trial for operator in OPERATORS.values() if operator.backend == "mlx" for trial in _trials(operator, site, hold)
    ]
    return take_rounds(DEVICE, trials, site)


def _trials(operator: Operator, site: Site, hold: Make) -> Iterator[Trial]:
    for shape in SHAPES:
        features = operator.features([shape] * operator.inputs[0], check_params(operator, {}), DTYPE)
        at_most = min(
            QUEUE_SHARE * site.device.queue_depth_messages(features.ops),
            IN_FLIGHT_BYTES / max(features.bytes_moved, 1.0),
        )
        stream = operator_stream(operator, shape, site)
        messages, message_s = _sized(stream, site, hold, at_most)
        if message_s <= LONGEST_S:
            case: dict[str, CaseValue] = {"operator": operator.name, "samples": shape[0], "channels": shape[1]}
            every = SELDOM if message_s > LONG_S else 1
            yield Trial(case, _working(stream, site, hold, messages), every)


@dataclass(frozen=True, slots=True)
class OperatorStream:
    """A unit, and the message it gets for each of its inputs again and again."""

    unit: Unit
    inputs: Sequence[Any]

    def build(self) -> tuple[Any, ...]:
        """Build one message's graph; returns its output and the arrays carried on."""
        return (self.unit.step(*self.inputs), *self.unit.state())


def operator_stream(operator: Operator, shape: Shape, site: Site) -> OperatorStream:
    """Return an operator at its default parameters, ready for messages of `shape`, the same for all its inputs."""
    params = check_params(operator, {})
    if operator.design is not None:
        params[DESIGN] = operator.design(params)
    inputs = [shape] * operator.inputs[0]
    return OperatorStream(operator.make_mlx(inputs, params, DTYPE, 0), [_message(shape, site)] * len(inputs))


def _message(shape: Shape, site: Site) -> Any:
    import mlx.core as mx
    import numpy as np

    rng = np.random.default_rng(site.rng.getrandbits(32))
    return mx.array(rng.standard_normal(shape, dtype=np.float32))


def _sized(stream: OperatorStream, site: Site, hold: Make, at_most: float) -> tuple[int, float]:
    """Return how many messages one sample has, and the seconds that the device takes for one.

    The least of some timings counts, so that one disturbance does not make samples short.
    """
    site.device.evaluate(*stream.build())
    timed = [_one_message(stream, site, hold)]
    while len(timed) < TRIALS and timed[-1][1] < LONG_S:
        timed.append(_one_message(stream, site, hold))
    submit_s, work_s = (min(column) for column in zip(*timed, strict=True))
    limits = [at_most]
    limits += [WORK_S / work_s + 1] if work_s > 0 else []
    limits += [HOLD_S / 2 / submit_s] if submit_s > 0 else []
    return max(1, int(min(limits))), work_s


def _one_message(stream: OperatorStream, site: Site, hold: Make) -> tuple[float, float]:
    """Return the seconds of submitting one message behind a hold, and of the device's work on it."""
    device, now = site.device, site.clock.now
    arrays, held = stream.build(), hold()
    device.synchronize()
    device.submit(held)
    began = now()
    device.submit(*arrays)
    submitted = now()
    device.evaluate(held)
    ready = now()
    device.evaluate(*arrays)
    return submitted - began, now() - ready


def _working(stream: OperatorStream, site: Site, hold: Make, messages: int) -> Callable[[], dict[str, float]]:
    def take() -> dict[str, float]:
        outputs = [stream.build() for _ in range(messages)]
        return {DEVICE: device_seconds(site.device, site.clock, hold, outputs) / messages}

    return take
