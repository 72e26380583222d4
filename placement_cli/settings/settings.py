"""The settings of a project as plain values, each with its origin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from placement_cli.settings.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Limit, LimitEntry, Limits

DEFAULT: Final = "default"
"""The origin of what nobody set."""

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, slots=True)
class Set(Generic[Value]):
    """A value and where it was set: `default`, `FILE:LINE`, the name of a variable, or an option."""

    value: Value
    origin: str = DEFAULT


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What `placement check` does unless its options say otherwise.

    `scenarios` are names or paths, all shipped ones when there are none; with `graph` they are not used. `arms` are
    globs. Limits are relative changes, None for `off`. `fail_on` says what else fails: a regression always does,
    but for a stored baseline. Where any other value is None nothing was asked for.
    """

    scenarios: Set[tuple[str, ...]] = Set(())
    graph: Set[Path | None] = Set(None)
    quick: Set[bool] = Set(False)
    against: Set[str | None] = Set(None)
    arms: Set[tuple[str, ...]] = Set(("*",))
    time_budget_s: Set[float | None] = Set(None)
    limit: Set[float | None] = Set(DEFAULT_TIME_LIMIT)
    memory_limit: Set[float | None] = Set(DEFAULT_MEMORY_LIMIT)
    expect_cases: Set[int | None] = Set(None)
    fail_on: Set[tuple[str, ...]] = Set(())
    workload: Set[str] = Set("builtin")
    confirm: Set[bool] = Set(True)
    cores: Set[str] = Set("auto")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings: those of `placement check`, and the entries of `limits` in the order in which they stand."""

    check: CheckSettings = CheckSettings()
    limits: tuple[LimitEntry, ...] = ()

    def gate_limits(self) -> Limits:
        """Return which limit holds where."""
        time, memory = self.check.limit, self.check.memory_limit
        return Limits(Limit(time.value, time.origin), Limit(memory.value, memory.origin), self.limits)
