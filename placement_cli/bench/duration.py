"""About how long a run will take, worked out before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.measure.hold import HOLD_S
from placement_cli.measure.orders import ROUNDS
from placement_cli.measure.shapes import pipeline_features
from placement_cli.measure.sizing import SAMPLE_S, fixed_messages
from placement_cli.measure.specs import Case, Reading
from placement_cli.statistics.control import CONTROL

START_S = 0.35
"""About what starting one worker takes: the interpreter, NumPy, MLX and the fence's self-test."""
PREPARE_S = 0.03
"""About what building one arm and comparing it with the reference takes."""
WARM_UPS = 2
"""Batches of an arm before the measured ones."""
OP_S, BYTES_PER_S, FLOPS_PER_S = 4e-6, 8e9, 3e9
"""A slow machine: seconds an op, memory bandwidth, matrix arithmetic of MLX's CPU backend. Faster ones take less."""


@dataclass(frozen=True, slots=True)
class ScenarioDuration:
    """A scenario's cases and processes, and about how long its first stage and all its stages take, in seconds."""

    name: str
    cases: int
    workers: int
    least_s: float
    most_s: float


def estimate_duration(plan: ScenarioPlan, method: Method) -> ScenarioDuration:
    """Return about how long `plan` takes when every case is decided at the first stage, and when none is."""
    arms = {arm.name for case in plan.cases for arm in case.arms} | ({CONTROL} if plan.control_case else set())
    block_s = START_S * len(arms) + sum(_case_s(case, plan.control_case) for case in plan.cases)
    stages = method.stages
    return ScenarioDuration(plan.name, len(plan.cases), len(arms), block_s * stages[0], block_s * stages[-1])


def _case_s(case: Case, control_case: str | None) -> float:
    workers = len(case.arms) + (case.id == control_case)
    return workers * (PREPARE_S + (ROUNDS + WARM_UPS) * _sample_s(case))


def _sample_s(case: Case) -> float:
    if case.reading is Reading.PACED:
        return case.duration_s
    messages = fixed_messages(case)
    if messages is None:
        return max(SAMPLE_S, 12 * message_s(case))
    hold_s = HOLD_S if case.reading is Reading.QUEUE else 0.0
    return hold_s + messages * message_s(case)


def message_s(case: Case) -> float:
    """Return about what one message takes on a slow machine, host work included."""
    features = pipeline_features(case.pipeline).values()
    device_s = sum(f.ops * OP_S + f.bytes_moved / BYTES_PER_S + f.flops / FLOPS_PER_S for f in features)
    host_s = sum(float(node.params.get("length_ms", 1.0)) / 1e3 for node in case.pipeline.nodes if node.op == "host")
    return device_s + host_s


def budget_shares(durations: Sequence[ScenarioDuration]) -> list[float]:
    """Return which share of what is left of a time budget each scenario may use, in order."""
    weights = [duration.least_s for duration in durations]
    return [weight / sum(weights[index:]) for index, weight in enumerate(weights)]
