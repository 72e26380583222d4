"""What a profile says about the machine: the constants of the timeline, and the device time of operators."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Literal

from placement_cli.advice.advice import AdviceConfidence, ProfileUse
from placement_cli.profile.constant import Constant
from placement_cli.profile.profile import Profile
from placement_cli.timeline.accuracy import PERIOD_ERROR_P95, RATIO_ERROR_P90
from placement_cli.timeline.costs import Costs, QueueRule

Kind = Literal["metal", "cuda", "cpu"]
"""The backend of MLX that the graph runs on."""

_OPERATOR = re.compile(r"(device|held)\.(\w+)\.(\d+)x(\d+)")
_CONTENTION = re.compile(r"contention\.(\w+)\.(host|device)")
_IDLE = re.compile(r"idle\.([\d.]+)ms")

MODEL_ERROR: Mapping[AdviceConfidence, float] = {
    "measured": 0.03,
    "calibrated": RATIO_ERROR_P90,
    "published": 0.15,
    "assumed": 0.5,
}
"""Relative error to reckon with when placements of one graph are compared.

Measured: the smallest effect that `bench` claims. Calibrated: the 90th percentile on held-out recordings. Published:
what the published figures are predicted within (tests/statistics/test_published_profile.py). Assumed: constants of
another machine, which differ by a factor of two as a rule.
"""
TIME_ERROR: Mapping[AdviceConfidence, float] = {**MODEL_ERROR, "calibrated": PERIOD_ERROR_P95}
"""The same for times as such; for a calibrated profile the 95th percentile on held-out recordings."""
CPU_ASLEEP_AFTER_S = 2e-4
"""Linux guests poll for so long before they halt an idle core; the recordings say 240 us."""
LINGERING = frozenset({"blas"})
"""Host work whose threads go on spinning afterwards: OpenBLAS."""

SLOWED_S = 2e-3
"""Device time of a GPU that is slow after idling; then its clocks are back. 1.3 ms of work were seen to lose 1.2 ms
after 6 ms (published overlap table), 56 ms of work no more than 7 ms even after 0.2 to 1 s (llama.cpp 10119)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A backend of a machine.

    `device_table` maps an operator to (elements of a message, seconds of device time), in rising order, at its default
    parameters, and `held_table` likewise to bytes that a message keeps while nothing of it is done. `arrays_held`:
    arrays of the size of its output that a node of an operator keeps, the output included, where no table says it.
    `byte_s`: device time of a byte moved, for work that no table knows.
    """

    kind: Kind
    costs: Costs
    use: ProfileUse
    device_table: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    held_table: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    arrays_held: float = 1.0
    byte_s: float = 1e-10
    kernel_s: float = 2e-6
    hop_process_s: float = 1e-3
    buffer_limit: int = 499_000

    @property
    def error(self) -> float:
        """Relative error to reckon with when placements of one graph are compared."""
        return MODEL_ERROR[self.use.confidence]

    @property
    def time_error(self) -> float:
        """Relative error of predicted times as such."""
        return TIME_ERROR[self.use.confidence]

    def device_s(self, operator: str, elements: float) -> float | None:
        """Return the device time of `operator` for a message of so many elements; None when the table has none.

        Between known sizes by log-log interpolation, beyond them in proportion to the elements, or constant below the
        smallest: a kernel has a least time (cost-models.md, kernel table).
        """
        return _interpolated(self.device_table.get(operator), elements)

    def held_bytes(self, operator: str, elements: float) -> float | None:
        """Return the bytes that a message of `operator` keeps in flight; None when the table has none."""
        table = self.held_table.get(operator)
        if table and elements < table[0][0]:
            return table[0][1] * elements / table[0][0]
        return _interpolated(table, elements)


def _interpolated(table: Sequence[tuple[float, float]] | None, elements: float) -> float | None:
    if not table:
        return None
    sizes = [size for size, _ in table]
    place = bisect_left(sizes, elements)
    if place == 0:
        return table[0][1]
    if place == len(table):
        return table[-1][1] * elements / sizes[-1]
    (low, at_low), (high, at_high) = table[place - 1], table[place]
    share = log(elements / low) / log(high / low)
    return exp(log(at_low) + share * (log(at_high) - log(at_low)))


def machine_of(profile: Profile, kind: Kind, use: ProfileUse) -> Machine:
    """Return the machine that `profile` describes; constants it does not hold count as nothing."""
    found = profile.evaluation
    known: dict[str, dict[str, list[tuple[float, float]]]] = {"device": {}, "held": {}}
    slow: dict[str, dict[str, float]] = {"host": {}, "device": {}}
    idle = []
    for name, constant in found.items():
        if match := _OPERATOR.fullmatch(name):
            elements = float(match[3]) * float(match[4])
            known[match[1]].setdefault(match[2], []).append((elements, max(constant.value, 1e-9)))
        elif match := _CONTENTION.fullmatch(name):
            slow[match[2]][match[1]] = max(0.0, constant.value - 1.0)
        elif match := _IDLE.fullmatch(name):
            idle.append((float(match[1]) * 1e-3, constant.value))
    queue = QueueRule(_blocking(found, "queue_calls"), _blocking(found, "queue_ops"), _value(found, "buffer_ops", inf))
    costs = Costs(
        build_op_s=_value(found, "build_op"),
        build_node_s=_value(found, "build_node", _value(found, "build_call")),
        submit_call_s=_value(found, "submit_call"),
        submit_op_s=_value(found, "submit_op"),
        submit_asleep_s=_value(found, "submit_asleep"),
        wake_s=_value(found, "wake"),
        asleep_after_s=_value(found, "asleep_after", CPU_ASLEEP_AFTER_S if kind == "cpu" else 0.0),
        round_trip_s=_value(found, "round_trip"),
        boundary_call_s=_value(found, "boundary_call"),
        boundary_byte_s=_value(found, "boundary_byte"),
        ingest_call_s=_value(found, "ingest_call"),
        ingest_byte_s=_value(found, "ingest_byte"),
        held_byte_s=_value(found, "held_byte"),
        host_slowing=slow["host"],
        device_slowing=slow["device"],
        lingering=LINGERING if kind == "cpu" else frozenset(),
        idle=tuple(sorted(idle)),
        slowed_s=inf if kind == "cpu" else SLOWED_S,
        queue=queue,
        streams=kind == "cpu",
    )
    tables, held = ({name: tuple(sorted(rows)) for name, rows in known[kind].items()} for kind in ("device", "held"))
    return Machine(
        kind,
        costs,
        use,
        tables,
        held,
        arrays_held=_value(found, "arrays_held", 1.0),
        byte_s=_value(found, "device_byte", _byte_s(tables)),
        kernel_s=_value(found, "device_kernel", _kernel_s(tables)),
        hop_process_s=_value(found, "hop_process", 1e-3),
    )


def _value(found: Mapping[str, Constant], name: str, default: float = 0.0) -> float:
    """Return a constant; where the data did not determine it, never less than nothing."""
    constant = found.get(name)
    return default if constant is None else max(0.0, constant.value)


def _blocking(found: Mapping[str, Constant], name: str) -> float:
    """Return how much fills the queue; infinite where it was never seen to fill."""
    constant = found.get(name)
    if constant is None or constant.value <= 0 or constant.high is None:
        return inf
    return constant.value


def _byte_s(tables: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    """Return device seconds a byte of light elementwise work, from `abs`, which reads and writes four bytes each."""
    row = tables.get("abs")
    return row[-1][1] / (8.0 * row[-1][0]) if row else 1e-10


def _kernel_s(tables: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    row = tables.get("abs")
    return row[0][1] if row else 2e-6
