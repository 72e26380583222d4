"""A set-up that is not this machine, profiles of it, weights to plan for, and a timer that measures nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from placement_cli.measure.products.case import ProductCase
from placement_cli.planning import prices
from placement_cli.profile.defaults import shipped_profile
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile


def key_of(backend: str, threads: int, dtype: str = "float32") -> ProfileKey:
    """Return the key of the set-up."""
    return ProfileKey("Chip X, 2 cores", backend, threads, dtype, {"numpy": "2.4"})


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ProfileKey]:
    """Make planning believe that it runs on the set-up, and return the function of its keys."""
    monkeypatch.setattr(prices, "profile_key", key_of)
    return key_of


@pytest.fixture(scope="session")
def profile() -> Profile:
    """A profile of NumPy with one thread on the set-up."""
    recorded = shipped_profile("numpy-1-thread-float32")
    return replace(recorded, name="mine", key=key_of("numpy", 1), confidence="calibrated", provenance="fitted here")


@pytest.fixture(scope="session")
def missed(profile: Profile) -> Profile:
    """The same profile, which missed its gate."""
    assert profile.validation is not None
    return replace(profile, validation=replace(profile.validation, misses=("choices cost too much",)))


@pytest.fixture(scope="session")
def banks() -> Callable[[Iterable[int]], Any]:
    """Builds a float32 matrix of square diagonal blocks of these sizes, no weight of theirs zero."""

    def build(sizes: Iterable[int]) -> Any:
        sizes = list(sizes)
        weights = np.zeros((sum(sizes), sum(sizes)), np.float32)
        at = 0
        for size in sizes:
            weights[at : at + size, at : at + size] = np.random.default_rng(size).uniform(1, 2, (size, size))
            at += size
        return weights

    return build


@dataclass
class FakeTimer:
    """Times products by what `seconds` says of their names (1 ms otherwise); None cannot run."""

    seconds: Mapping[str, float | None] = field(default_factory=dict)
    cases: list[ProductCase] = field(default_factory=list)
    rounds_taken: int = 0

    def load(self, case: ProductCase) -> list[float | None]:
        """Return the seconds of every plan."""
        self.cases.append(case)
        return [self.seconds.get(name, 1e-3) for name in case.names]

    def rounds(self, plans: Any, rounds: int) -> Any:
        """Return equal rounds."""
        self.rounds_taken = rounds
        row = [self.seconds.get(self.cases[-1].names[at], 1e-3) for at in plans]
        return np.array([row] * rounds, dtype=np.float64)


@pytest.fixture(scope="session")
def fake_timer() -> type[FakeTimer]:
    """The class of timers that measure nothing."""
    return FakeTimer
