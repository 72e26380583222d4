"""Taking rounds of a case from a worker: what the commands that time products do, each at its own length."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from placement_cli.errors import InvalidMeasurement
from placement_cli.measure.spawn import CommandFailedError, Spawn, Worker, WorkerLostError, error_of, spawn_module
from placement_cli.profile.key import ProfileKey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.measure.products.case import ProductCase


KEPT_MEMORY: Mapping[str, str] = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_TOP_PAD_": str(64 << 20),
}
"""Lets glibc keep freed memory, as it does in a process that has run for a while; others ignore it.

Whether a fresh process gives an array of some MiB back to the system, to fault it in page by page at the next call,
depends on what was freed before: the same product took 2.1 or 4.8 ms.
"""


def product_worker(backend: str, threads: int, dtype: str) -> Spawn:
    """Return what starts a worker that times products on `backend` with so many BLAS threads."""
    arguments = (backend, str(threads), dtype)
    return partial(spawn_module, "placement_cli.measure.products.session", arguments, threads, KEPT_MEMORY)


class ProductTimer(Protocol):
    """What times a product; `ProductBench` is one."""

    def load(self, case: ProductCase) -> list[float | None]:
        """Return about how many seconds each plan takes, None for one that cannot run."""

    def rounds(self, plans: Sequence[int], rounds: int) -> NDArray[np.float64]:
        """Return seconds a call, rounds x plans."""


@dataclass(slots=True)
class ProductBench:
    """A worker with what it is asked with: a scratch folder, and the generator that draws the orders."""

    worker: Worker
    scratch: Path
    generator: np.random.Generator

    def key(self, backend: str, dtype: str) -> ProfileKey:
        """Return the key of the set-up that the worker measures."""
        said = self._ask("hello")
        return ProfileKey(said["machine"], backend, said["threads"], dtype, said["versions"])

    def load(self, case: ProductCase) -> list[float | None]:
        """Hand a case over; return about how many seconds each plan takes, None for one that cannot run here.

        Raises ScenarioFailed when one computes something else than the product, InvalidMeasurement when the worker
        is lost.
        """
        path = self.scratch / "case.pickle"
        path.write_bytes(pickle.dumps(case))
        first: list[float | None] = self._ask("load", path=str(path))["first_s"]
        return first

    def rounds(self, plans: Sequence[int], rounds: int) -> NDArray[np.float64]:
        """Return seconds a call (rounds x plans) of these plans of the case, each round in random order."""
        orders = [self.generator.permutation(list(plans)).tolist() for _ in range(rounds)]
        table = np.array(self._ask("rounds", orders=orders)["seconds"], dtype=np.float64)
        return table[:, list(plans)]

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        try:
            return self.worker.ask(do, **arguments)
        except CommandFailedError as failed:
            raise error_of(failed) from None
        except WorkerLostError as lost:
            raise InvalidMeasurement(f"{lost}. Nothing that was measured before is lost.") from None


def opened(spawn: Callable[[], Worker]) -> AbstractContextManager[Worker]:
    """Return a started worker that ends with the context."""
    return closing(spawn())
