"""What a fit of the timeline starts from: whole graphs, each timed under several placements of evaluation points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from placement_cli.graph.mode import ASYNC, SYNC, Mode

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TimedNode:
    """One node of a timed graph: its inputs by number (-1 is the source), and what it costs.

    `ops` are kernels with their views, two dispatches of MLX each; `weight` is its share of the graph's device time, in
    any unit. `arrays` is the size of its value in messages. `in_place`: MLX may write the value into an input's buffer.
    """

    inputs: tuple[int, ...]
    ops: float
    weight: float
    arrays: float = 1.0
    in_place: bool = True


@dataclass(frozen=True, slots=True)
class PlacementTiming:
    """One placement and what a message took under it, by round: the rounds of all placements are interleaved.

    `modes` by node, without those that are off. `lag`: the boundary reads the values of so many messages ago.
    `seconds` from message to message, `busy_s` of the host's thread at work, `peak_bytes` the most in flight.
    """

    modes: Mapping[int, Mode]
    seconds: tuple[float, ...]
    busy_s: tuple[float, ...]
    peak_bytes: tuple[float, ...]
    lag: int = 0

    def __post_init__(self) -> None:
        if not all(isfinite(each) and each > 0 for each in (*self.seconds, *self.busy_s)):
            raise ValueError(f"times are finite and above zero, not {self.seconds} and {self.busy_s}")


@dataclass(frozen=True)
class TimedGraph:
    """One graph, message size and host work, with the timings of its placements.

    Each message the host takes in `message_bytes`, builds the nodes in order, does `work_s` seconds of its own work of
    the kind `work` (empty: none), and at a `boundary` reads the last node as a NumPy array. `device_s` is the graph
    evaluated with one SYNC after another: besides the device's time it holds one submission and one wait. `messages`
    is how many were timed in a row. Placements hold each other's rounds: all have equally many, of at least two.
    """

    name: str
    nodes: tuple[TimedNode, ...]
    message_bytes: float
    device_s: float
    work: str
    work_s: float
    boundary: bool
    messages: int
    timings: tuple[PlacementTiming, ...]

    def __post_init__(self) -> None:
        rounds = {len(timing.seconds) for timing in self.timings}
        if len(rounds) != 1 or min(rounds) < 2:
            raise ValueError(f"{self.name}: placements are timed in equally many rounds, at least two, not {rounds}")

    @cached_property
    def log_seconds(self) -> Vector:
        """Logarithms of seconds, of shape (placements, rounds)."""
        return np.log([timing.seconds for timing in self.timings])

    @cached_property
    def relative(self) -> Vector:
        """The logarithm of each placement's time over the mean of its round, at the median of rounds.

        A round shares the machine's speed of its moment, so that placements compare better than their medians do.
        """
        return paired(self.log_seconds)

    @cached_property
    def busy_s(self) -> Vector:
        """Seconds of the host's thread at work, at the median of rounds."""
        return np.median([timing.busy_s for timing in self.timings], axis=1)

    def find(self, modes: Mapping[int, Mode]) -> int | None:
        """Return the number of the placement that has just these modes and reads its own values, None for none."""
        return next((at for at, each in enumerate(self.timings) if each.modes == modes and not each.lag), None)

    @property
    def rules(self) -> dict[str, int]:
        """Simple rules by name, each with the placement it chooses; a graph that reads nothing is never OFF."""
        last = len(self.nodes) - 1
        every = dict.fromkeys(range(len(self.nodes)), ASYNC)
        found = {
            "async tail": self.find({last: ASYNC}),
            "every node": self.find(every),
            "sync tail": self.find({last: SYNC}),
            "off": self.find({} if self.boundary else {last: SYNC}),
        }
        return {name: at for name, at in found.items() if at is not None}


def paired(log_seconds: Vector) -> Vector:
    """Return the median over rounds of what placements take relative to the mean of their round, as logarithms."""
    return np.asarray(np.median(log_seconds - log_seconds.mean(axis=0), axis=1))
