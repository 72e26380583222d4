"""Programs that ran, made by hand, and probes that were run for them."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.diagnose.finding import Finding, Severity
from placement_cli.diagnose.probes.catalog import find_probe
from placement_cli.diagnose.probes.probe import Outcome, Result
from placement_cli.diagnose.program.running import Ran
from placement_cli.tracing.raw import (
    Place,
    RawBuild,
    RawCost,
    RawError,
    RawMemory,
    RawPoint,
    RawProcess,
)

MIB = 1 << 20
STREAM = "Stream(Device(cpu, 0), 0)"


class Seen:
    """Builds recorded values with whatever a test does not name left at what an ordinary program has."""

    def place(self, line: int) -> Place:
        """Return a line of the program."""
        return Place("/app/run.py", line, "main")

    def point(self, kind: str, line: int, **fields: Any) -> RawPoint:
        """Return a point of 100 calls with one array each that took a millisecond each."""
        names = {"item": "array.item", "numpy": "numpy.asarray"}
        values: dict[str, Any] = {"call": names.get(kind, f"mx.{kind}"), "thread": "MainThread", "stream": STREAM}
        values |= {"count": 100, "blocked_s": 0.1, "first_s": 0.001, "longest_s": 0.001, "durations_s": (0.001,)}
        values |= {"arrays": 1, "bytes": 4096, "first_at_s": 0.1, "last_at_s": 1.0}
        values |= {"checked_calls": 32, "pending_calls": 32}
        return RawPoint(kind=kind, place=self.place(line), **(values | fields))

    def build(self, line: int, ops: int, **fields: Any) -> RawBuild:
        """Return a line that built additions."""
        values: dict[str, Any] = {"thread": "MainThread", "sampled": False, "names": ("add",)}
        return RawBuild(place=self.place(line), ops=ops, **(values | fields))

    def error(self, line: int, message: str, **fields: Any) -> RawError:
        """Return an error that an evaluation raised once."""
        values: dict[str, Any] = {"kind": "eval", "thread": "MainThread", "type": "RuntimeError", "count": 1}
        return RawError(place=self.place(line), message=message, **(values | {"at_s": 0.5} | fields))

    def memory(self, *active: int) -> tuple[RawMemory, ...]:
        """Return samples a tenth of a second apart of so many MiB, with 8 MiB cached and 100 MiB resident."""
        return tuple(RawMemory(at / 10, now * MIB, 8 * MIB, now * MIB, 100 * MIB, 0) for at, now in enumerate(active))

    def process(self, **fields: Any) -> RawProcess:
        """Return a process that ran for one second on the CPU backend."""
        values: dict[str, Any] = {"pid": 7, "parent": 1, "argv": ("run.py",), "started_s": 1.0, "duration_s": 1.0}
        values |= {"ended": True, "python": "3.12.1", "mlx": "0.32.4", "device": "Device(cpu, 0)", "backend": "cpu"}
        values |= {"variables": {}, "cost": RawCost(0.0, 0.0, 100, 1000, 0.0, 0.0)}
        return RawProcess(**(values | fields))

    def ran(self, *processes: RawProcess, **fields: Any) -> Ran:
        """Return a program that ended well."""
        values: dict[str, Any] = {"argv": ("run.py",), "exit_code": 0, "signal": None, "wall_s": 1.1}
        return Ran(processes=processes, **(values | fields))

    def finding(self, code: str, severity: Severity = "warning", line: int = 12, **fields: Any) -> Finding:
        """Return a finding at a line of the program."""
        values: dict[str, Any] = {"file": "/app/run.py", "node": "total", "says": "It was seen.", "fix": "Change it."}
        values |= {"next_check": "mx.eval(total)", "evidence": {}}
        return Finding(code=code, severity=severity, line=line, **(values | fields))

    def result(self, probe: str, outcome: Outcome = "passed", reason: str | None = None) -> Result:
        """Return what a probe of the catalog came to."""
        observed = "" if reason else "It waited 120 ms."
        return Result(find_probe(probe), outcome, observed, {}, None, reason, 0.2)


@pytest.fixture
def seen() -> Seen:
    """The builder."""
    return Seen()
