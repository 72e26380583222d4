"""A small product with its plans, stand-ins for plans, and backends that compute for real or only take time."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.candidates import dense_plan, finest_plan
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import dense
from placement_cli.measure.products.backends import ProductBackend, open_backend
from placement_cli.measure.products.case import ProductCase

SIDE = 12


@dataclass(frozen=True)
class StandIn:
    """What is a plan of a product as far as a worker looks: `bind` is told the weights and the library."""

    bind: Callable[[Any, str], Callable[[Any], Any]]
    n_in: int = SIDE
    tolerance: float = 0.0

    @property
    def formulation(self) -> Any:
        """The dense product, whatever is computed."""
        return dense(self.n_in, self.n_in)


@pytest.fixture(scope="session")
def stand_in() -> type[StandIn]:
    """The class of stand-ins for plans."""
    return StandIn


@pytest.fixture(scope="session")
def weights() -> Any:
    """Three diagonal blocks of 4 x 4, float32."""
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    return (blocks * np.random.default_rng(0).uniform(1, 2, blocks.shape)).astype(np.float32)


@pytest.fixture(scope="session")
def plans(weights: Any) -> tuple[Any, ...]:
    """The dense plan of the weights, and the one of all blocks."""
    structure = find_structure(weights)
    return dense_plan(structure), finest_plan(structure)


@pytest.fixture(params=["numpy", "mlx-cpu"])
def backend(request: pytest.FixtureRequest) -> ProductBackend:
    """Every backend that is on every machine."""
    return open_backend(request.param)


@pytest.fixture
def on_disk(tmp_path: Path) -> Callable[[ProductCase], str]:
    """Writes a case as a worker reads it, and returns the path."""

    def write(case: ProductCase) -> str:
        path = tmp_path / "case.pickle"
        path.write_bytes(pickle.dumps(case))
        return str(path)

    return write


@dataclass
class Timed:
    """A backend whose products only take time: what is bound is the seconds a call takes; `log` lists the runs."""

    clock: Any
    slower_first: float = 1.0

    def __post_init__(self) -> None:
        self.log: list[tuple[float, int]] = []
        self.product = ProductBackend("fake", "numpy", lambda values, dtype: values, np.asarray, self.run)

    def run(self, seconds: float, x: Any, calls: int) -> None:
        """Take the time of so many calls; the first call ever takes `slower_first` times as long."""
        self.clock.advance(seconds * calls * (1.0 if self.log else self.slower_first))
        self.log.append((seconds, calls))


@pytest.fixture(scope="session")
def timed() -> type[Timed]:
    """The class of backends that only take time."""
    return Timed
