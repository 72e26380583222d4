"""Cases of an experiment in rounds: every case once a round, in random order, as many rounds as time allows."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from random import Random

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device
from placement_cli.measure.evaluation.observation import CaseValue, Observation

FEWEST_ROUNDS = 5
"""Rounds are taken even when time is over: fewer give no spread."""
MOST_ROUNDS = 60
"""More hardly narrow an interval that is mostly the difference between processes."""
SAMPLE_S = 2e-4
"""Work far shorter than this is repeated within one sample: 200 us are thousands of ticks of the clock."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where an experiment takes place: the device, the clock, random order, and the seconds it may take."""

    device: Device
    clock: Clock
    rng: Random
    budget_s: float


@dataclass(frozen=True, slots=True)
class Trial:
    """One case: `take` measures it once and returns a value for each reading, by name.

    It is measured in one of so many rounds as `every` says.
    """

    case: Mapping[str, CaseValue]
    take: Callable[[], Mapping[str, float]]
    every: int = 1


def take_rounds(experiment: str, trials: Sequence[Trial], site: Site, unit: str = "s") -> list[Observation]:
    """Measure the trials round by round, each in an order drawn anew; one observation a trial and reading.

    A first round is not counted: it loads code and fills caches. The number of the others is what the rest of the
    budget holds, within `FEWEST_ROUNDS` and `MOST_ROUNDS`. Readings of trials that are in every round have equally
    many values, and those at one place were taken close to each other.
    """
    taken: list[dict[str, list[float]]] = [{} for _ in trials]
    with _collector_at_rest():
        for number in range(rounds_within(site, trials)):
            due = [at for at, trial in enumerate(trials) if number % trial.every == 0]
            for at in site.rng.sample(due, len(due)):
                for reading, value in trials[at].take().items():
                    taken[at].setdefault(reading, []).append(value)
    return [
        Observation(experiment, {**trial.case, "reading": reading}, tuple(values), unit)
        for trial, readings in zip(trials, taken, strict=True)
        for reading, values in readings.items()
    ]


def rounds_within(site: Site, trials: Sequence[Trial]) -> int:
    """Take every trial once untimed, and return how many rounds the rest of the budget holds."""
    now = site.clock.now
    spent_s = round_s = 0.0
    for trial in trials:
        began = now()
        trial.take()
        taken_s = now() - began
        spent_s += taken_s
        round_s += taken_s / trial.every
    wanted = int((site.budget_s - spent_s) / round_s) if round_s > 0 else MOST_ROUNDS
    return max(FEWEST_ROUNDS, min(MOST_ROUNDS, wanted))


def repeats_within(site: Site, once: Callable[[], object], most: int) -> int:
    """Return how often to do what takes so little time that one sample is too short for it: at most `most` times."""
    once()
    began = site.clock.now()
    once()
    taken_s = site.clock.now() - began
    wanted = ceil(SAMPLE_S / taken_s) if taken_s > 0 else most
    return max(1, min(most, wanted))


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
