"""All experiments by name, and how long each may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from zlib import crc32

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.measure.evaluation.building import BUILD, measure_building
from placement_cli.measure.evaluation.contention import CONTENTION, measure_contention
from placement_cli.measure.evaluation.crossing import BOUNDARY, INGEST, measure_boundary, measure_ingest
from placement_cli.measure.evaluation.held_bytes import HELD, measure_held
from placement_cli.measure.evaluation.idling import IDLE, measure_idling
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.operator_work import DEVICE, measure_operators
from placement_cli.measure.evaluation.queueing import QUEUE, measure_queue
from placement_cli.measure.evaluation.rounds import Site
from placement_cli.measure.evaluation.submitting import SUBMIT, WAKE, measure_submitting, measure_waking

_MEASURE: Mapping[str, Callable[[Site], list[Observation]]] = MappingProxyType(
    {
        BUILD: measure_building,
        SUBMIT: measure_submitting,
        WAKE: measure_waking,
        QUEUE: measure_queue,
        BOUNDARY: measure_boundary,
        INGEST: measure_ingest,
        DEVICE: measure_operators,
        HELD: measure_held,
        CONTENTION: measure_contention,
        IDLE: measure_idling,
    }
)

EXPERIMENTS: tuple[str, ...] = tuple(_MEASURE)
"""Names of the experiments, in the order in which they are best carried out."""

BUDGETS_S: Mapping[str, float] = MappingProxyType(
    {
        BUILD: 0.2,
        SUBMIT: 0.6,
        WAKE: 0.8,
        QUEUE: 1.2,
        BOUNDARY: 0.1,
        INGEST: 0.2,
        DEVICE: 4.0,
        HELD: 0.2,
        CONTENTION: 1.0,
        IDLE: 1.6,
    }
)
"""Seconds for the rounds of each experiment in one process; preparing them takes about two more, all together. Two
processes, which is what intervals need, are then done within 25 s."""


def run_experiment(
    name: str, device: Device, clock: Clock, seed: int, budget_s: float | None = None
) -> list[Observation]:
    """Carry out one experiment on `device` and return what it found, numbered as process 0.

    `budget_s` replaces the seconds of `BUDGETS_S`. Equal seeds give equal orders. Raises UsageError when there is no
    such experiment.
    """
    if name not in _MEASURE:
        raise UsageError(f"There is no experiment {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    rng = Random(seed ^ crc32(name.encode()))  # noqa: S311 - an order, not a secret
    return _MEASURE[name](Site(device, clock, rng, BUDGETS_S[name] if budget_s is None else budget_s))
