"""A rig on MLX's CPU backend, and the same with some functions of MLX replaced."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from placement_cli.diagnose.probes.probe import Observed
from placement_cli.diagnose.probes.rig import Rig

WORK_S = 0.03
MOST_PRODUCTS = 30
SIZES = (128, 256, 512, 1024, 2048)
UNITS = re.compile(r"_(s|nodes|bytes|times|ratio|error)$|^gradient$")
ChangeMlx = Callable[..., Rig]
Check = Callable[[Observed], None]


@pytest.fixture(scope="session")
def rig() -> Iterator[Rig]:
    """A rig whose work, on this machine, takes 30 ms or so and at most 30 matrix products."""
    import mlx.core as mx

    usual = mx.default_device()
    mx.set_default_device(mx.cpu)
    for size in SIZES:
        work = _chain(mx, size, 1)
        mx.eval(work())
        one_s = min(_seconds(mx, work) for _ in range(3))
        if one_s * MOST_PRODUCTS >= WORK_S:
            break
    work = _chain(mx, size, min(MOST_PRODUCTS, max(1, round(WORK_S / one_s))))
    made = Rig(mx, "cpu", time.perf_counter, work, min(_seconds(mx, work) for _ in range(3)), 0)
    yield replace(made, links=made.pending_ops(work()))
    mx.set_default_device(usual)


def _chain(mx: Any, size: int, products: int) -> Callable[[], Any]:
    ones, mean = mx.ones((size, size)), mx.full((size, size), 1.0 / size)
    mx.eval(ones, mean)

    def make() -> Any:
        product = ones
        for _ in range(products):
            product = product @ mean
        return product.mean()

    return make


def _seconds(mx: Any, work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    mx.eval(work())
    return time.perf_counter() - start


class Changed:
    """MLX's core module with some of its functions replaced."""

    def __init__(self, real: Any, **changes: Any) -> None:
        self._real, self._changes = real, changes

    def __getattr__(self, name: str) -> Any:
        return self._changes[name] if name in self._changes else getattr(self._real, name)


@pytest.fixture
def change_mlx(rig: Rig) -> ChangeMlx:
    """Makes the rig of an MLX in which the functions named are others."""
    return lambda **changes: replace(rig, mx=Changed(rig.mx, **changes))


@pytest.fixture
def check_held() -> Check:
    """Asserts that a claim held, with a sentence and with finite numbers that have their unit in the key."""

    def check(observed: Observed) -> None:
        assert observed.not_run is None
        assert observed.held, observed.says
        assert observed.says.endswith(".")
        assert observed.numbers
        for key, value in observed.numbers.items():
            assert UNITS.search(key), key
            assert isinstance(value, str) or (value is not None and math.isfinite(value)), key

    return check
