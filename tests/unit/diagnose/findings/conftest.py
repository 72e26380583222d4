"""Recorded processes made by hand, for the rules that read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.findings.gathering import findings_of
from placement_cli.tracing.raw import (
    LazySample,
    Place,
    RawBuild,
    RawCost,
    RawLazy,
    RawMemory,
    RawPoint,
    RawProcess,
    RawStep,
)

MIB = 1 << 20


class Recorded:
    """Builds recorded values with whatever a test does not name left at what a healthy program has."""

    def place(self, line: int, file: str = "/app/decode.py", function: str = "run") -> Place:
        """Return a line of the program."""
        return Place(file, line, function)

    def point(self, kind: str, line: int, **fields: Any) -> RawPoint:
        """Return a point of 100 calls in 10 s that took a millisecond each, with no host time between them."""
        calls = {"eval": "mx.eval", "async_eval": "mx.async_eval", "item": "array.item", "numpy": "numpy.asarray"}
        count = fields.get("count", 100)
        values: dict[str, Any] = {
            "kind": kind,
            "call": calls.get(kind, kind),
            "place": self.place(line),
            "thread": "MainThread",
            "stream": "Stream(Device(cpu, 0), 0)",
            "count": count,
            "blocked_s": 0.001 * count,
            "first_s": 0.001,
            "longest_s": 0.001,
            "durations_s": (0.001,) * min(count, 256),
            "arrays": 1,
            "bytes": 4096 * count,
            "first_at_s": 0.1 + line / 1000,
            "last_at_s": 9.0,
            "checked_calls": min(count, 32),
            "pending_calls": min(count, 32),
        }
        return RawPoint(**(values | fields))

    def step(self, before: int, after: int, **fields: Any) -> RawStep:
        """Return 100 transitions with ten operations built on each."""
        return RawStep(**({"before": before, "after": after, "count": 100, "ops": 1000, "host_s": 0.1} | fields))

    def build(self, line: int, ops: int, thread: str = "MainThread") -> RawBuild:
        """Return a line that built operations."""
        return RawBuild(self.place(line), thread, ops, sampled=False)

    def lazy(self, ops: Sequence[int], name: str = "mean", line: int = 12, **fields: Any) -> RawLazy:
        """Return a variable with one look a second; `evaluations` ran between every two looks."""
        each = fields.pop("evaluations", 0)
        looks = tuple(LazySample(1.0 + number, number * each, pending) for number, pending in enumerate(ops))
        return RawLazy(name, self.place(3, **fields), self.place(line, **fields), looks)

    def memory(self, active: Sequence[int], cache: Sequence[int] | None = None) -> tuple[RawMemory, ...]:
        """Return samples a second apart, in MiB."""
        caches = cache or [0] * len(active)
        return tuple(
            RawMemory(float(at), now * MIB, kept * MIB, now * MIB, 2 * now * MIB, 0)
            for at, (now, kept) in enumerate(zip(active, caches, strict=True))
        )

    def process(self, **fields: Any) -> RawProcess:
        """Return a process that ran for ten seconds on the CPU backend."""
        values: dict[str, Any] = {
            "pid": 100,
            "parent": 1,
            "argv": ("decode.py",),
            "started_s": 1.0e9,
            "duration_s": 10.0,
            "ended": True,
            "python": "3.12.1",
            "mlx": "0.32.4",
            "device": "Device(cpu, 0)",
            "backend": "cpu",
            "variables": {},
            "cost": RawCost(1e-6, 1e-7, 100, 1000, 0.0, 0.0),
        }
        return RawProcess(**(values | fields))


Told = Callable[..., list[Finding]]


@pytest.fixture
def recorded() -> Recorded:
    """The builder."""
    return Recorded()


@pytest.fixture
def told(recorded: Recorded) -> Told:
    """Return the findings of one process that has the given fields; `exit_code` is the program's."""

    def find(exit_code: int | None = 0, **fields: Any) -> list[Finding]:
        return list(findings_of([recorded.process(**fields)], exit_code))

    return find


@pytest.fixture
def shown() -> Callable[[Sequence[Finding]], Sequence[tuple[str, str, int | None]]]:
    """Return findings as code, severity and line."""
    return lambda findings: [(each.code, each.severity, each.line) for each in findings]


@pytest.fixture
def numbers() -> Callable[[Finding], Mapping[str, Any]]:
    """Return the evidence of a finding."""
    return lambda finding: finding.evidence
