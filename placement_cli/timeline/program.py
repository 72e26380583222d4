"""What the host does for one message, step by step: the program that the timeline plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Vector = NDArray[np.float64]

StepKind = Literal["host", "node", "work", "read"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the host.

    `host`: `seconds` of time that is always there (ingesting, hops). `node`: node number `node` is built, in
    `seconds`; an evaluation point may follow, whose submission takes `submit_s` where that is known. `work`: `seconds`
    of host work of a `contention` kind. `read`: the host waits for the values of `node`, those of `lag` messages ago,
    and takes `seconds` to hand them over. A step happens on every `period`-th message.
    """

    kind: StepKind
    seconds: float = 0.0
    node: int = -1
    contention: str = ""
    period: int = 1
    lag: int = 0
    submit_s: float | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """Everything about one message that does not depend on evaluation points. Arrays are by node.

    `ancestors[n]` flags the nodes that must be computed for node n, itself included. `ops`, `kernels` and `device_s`
    are of one message, `idle_device_s` the device time after idling (equal where nothing is known), `held_bytes` what
    the node keeps while its submission is not done. `period[n]`: the node runs on every so many-th message.
    `piles[n]`: its work is not lost when a message is not evaluated but added to what comes later. `source_period_s`:
    seconds between messages, None for as fast as possible. `latency_step` is the number of the last step that waits
    for values, -1 where none does: a message is then through when the device has finished it.
    """

    steps: tuple[Step, ...]
    ancestors: Flags
    ops: Vector
    kernels: Vector
    device_s: Vector
    idle_device_s: Vector
    held_bytes: Vector
    period: NDArray[np.int64]
    piles: Flags
    source_period_s: float | None = None

    @property
    def nodes(self) -> int:
        """How many MLX nodes there are."""
        return len(self.ops)
