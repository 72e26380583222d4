"""Small programs to play: chains of nodes with round costs, so that a period can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from placement_cli.timeline.program import Program, Step
from placement_cli.timeline.schedule import ASYNC, EVERY, OFF, SYNC, WINDOW, Batch

BUILD_S, DEVICE_S, READ_S = 10e-6, 100e-6, 2e-6
CODES = {"off": OFF, "async": ASYNC, "sync": SYNC, "window": WINDOW, "every": EVERY}

MakeChain = Callable[..., Program]
MakeBatch = Callable[..., Batch]


@pytest.fixture
def chain() -> MakeChain:
    """Make a chain of nodes, each `BUILD_S` of building and `device_s` on the device, with host work at the end."""

    def make(
        nodes: int = 2,
        work_s: float = 0.0,
        boundary: bool = True,
        device_s: float = DEVICE_S,
        kind: str = "",
        periods: Sequence[int] | None = None,
        source_s: float | None = None,
        piles: bool = True,
    ) -> Program:
        period = np.array(periods or [1] * nodes, dtype=np.int64)
        steps = [Step("node", BUILD_S, number, period=int(period[number])) for number in range(nodes)]
        steps += [Step("work", work_s, contention=kind)] if work_s else []
        steps += [Step("read", READ_S, nodes - 1, period=int(period[-1]))] if boundary else []
        device = np.full(nodes, device_s)
        return Program(
            tuple(steps),
            np.tril(np.ones((nodes, nodes), dtype=bool)),
            np.ones(nodes),
            np.ones(nodes),
            device,
            device,
            np.full(nodes, 1000.0),
            period,
            np.full(nodes, piles),
            source_s,
        )

    return make


@pytest.fixture
def batch() -> MakeBatch:
    """Make placements of words such as `async` or `window:2`, one list of nodes each."""

    def make(*placements: Sequence[str]) -> Batch:
        parts = [[mode.partition(":") for mode in placement] for placement in placements]
        codes = [[CODES[word] for word, _, _ in row] for row in parts]
        depths = [[int(depth or 0) for _, _, depth in row] for row in parts]
        return Batch(np.array(codes, dtype=np.int8), np.array(depths, dtype=np.int32))

    return make
