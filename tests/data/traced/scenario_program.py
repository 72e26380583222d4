"""Play one arm of one case of a shipped scenario, as the pipeline of a person would run it.

    python scenario_program.py SCENARIO ARM MESSAGES [AXIS=VALUE ...]

The case is the first of the scenario's quick ones with these values. Its operators, evaluation points, host work, pace
and messages are those that `placement bench` measures; what `bench` does for the sake of measuring is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from placement_cli.bench.cases import make_scenario
from placement_cli.bench.catalog import find_scenario
from placement_cli.bench.overrides import parse_override
from placement_cli.bench.scenario_file import load_scenario
from placement_cli.device.clock import SystemClock
from placement_cli.device.mlx_device import MlxDevice, open_device
from placement_cli.measure.messages import cycle_messages, message_pool
from placement_cli.measure.readings.instruments import Instruments
from placement_cli.measure.readings.paced import take_paced
from placement_cli.measure.rig import Rig, build_rig, to_numpy
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.unread import sink_modes

SEED = 1
BURST = 8
HOLD_SIDE = 768
"""Side of the square product that holds the device where messages are to queue behind it."""


def chosen(name: str, arm: str, settings: Sequence[str]) -> tuple[Case, Arm]:
    """Return the first quick case of a shipped scenario with these settings, and its arm."""
    overrides = [parse_override(text) for text in (*settings, f"arms={arm}", f"base={arm}")]
    case = make_scenario(load_scenario(find_scenario(name)), overrides, quick=True).cases[0]
    return case, case.arm(arm)


def stream(rig: Rig, messages: Sequence[Any]) -> None:
    """Feed all messages back to back and wait for what is left."""
    rig.feed(messages)
    rig.finish()


def bursts(rig: Rig, messages: Sequence[Any], *, evaluates: bool) -> None:
    """Feed a few messages, wait for them, and so on; an arm that evaluates nothing throws its graph away."""
    for first in range(0, len(messages), BURST):
        rig.feed(messages[first : first + BURST])
        if evaluates:
            rig.finish()
        rig.let_go()


def queue(rig: Rig, messages: Sequence[Any], device: MlxDevice) -> None:
    """Submit messages behind long work, then wait for all."""
    matrix = device.core.random.normal((HOLD_SIDE, HOLD_SIDE))
    device.evaluate(matrix)
    held = matrix @ matrix
    device.submit(held)
    rig.feed(messages)
    rig.finish()
    device.evaluate(held)


def paced(rig: Rig, messages: Sequence[Any], case: Case, arm: Arm, device: MlxDevice) -> None:
    """Wait for each message to arrive, feed it, and read values as soon as the arm offers them."""
    instruments = Instruments(device, SystemClock(), page_faults=lambda: 0, host_cpu=lambda: 0.0)
    read: Callable[[Any], Any] = to_numpy(case.pipeline.source.dtype)
    sample = take_paced(rig, messages, case.rate, sink_modes(arm, case.pipeline), read, instruments)
    assert len(sample.latency_s) == len(messages)


def play(case: Case, arm: Arm, count: int) -> None:
    """Build the arm on MLX and put `count` messages through it."""
    device = open_device()
    rig = build_rig(case, arm, device, SEED, amounts={})
    messages = cycle_messages(message_pool(case.pipeline.source, SEED), count)
    match case.reading:
        case Reading.BURST:
            bursts(rig, messages, evaluates=arm.mode is not ArmMode.OFF)
        case Reading.QUEUE:
            queue(rig, messages, device)
        case Reading.PACED:
            paced(rig, messages, case, arm, device)
        case _:
            stream(rig, messages)
    rig.let_go()


if __name__ == "__main__":
    scenario, wanted, number, *axes = sys.argv[1:]
    play(*chosen(scenario, wanted, axes), int(number))
