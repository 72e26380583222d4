"""Stored runs made up for the tests of this room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from placement_cli.comparing.recorded import Recorded, Series

FACTS = {"chip": "Example M1", "mlx": "0.32.4", "limits": {"wired": 0}}


def series(
    case: str = "chain[depth=1]",
    arm: str = "async",
    metric: str = "complete_s",
    *,
    values: Sequence[float] = (1.0, 1.01, 0.99, 1.005, 0.995, 1.002),
    scale: float = 1.0,
    **more: Any,
) -> Series:
    """Make a series of six values about one second, times `scale`."""
    return Series(case, arm, metric, more.pop("unit", "s"), tuple(scale * value for value in values), **more)


def run(
    name: str,
    *own: Series,
    started: str = "2026-01-05T10:00:00+00:00",
    facts: Mapping[str, Any] | None = None,
    fingerprint: str = "",
    notes: Sequence[str] = (),
) -> Recorded:
    """Make a run of this set-up, or of `facts`."""
    stable = FACTS if facts is None else facts
    return Recorded(name, f"{name}.json", "placement 0.1.0", started, fingerprint, stable, own, tuple(notes))


@pytest.fixture
def make_series() -> Callable[..., Series]:
    """Makes a series."""
    return series


@pytest.fixture
def make_run() -> Callable[..., Recorded]:
    """Makes a run."""
    return run
