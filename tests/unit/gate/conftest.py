"""Cases of a gate, gates on fake workers, and other programs that do as a test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from placement_cli.bench.cases import Scenario
from placement_cli.bench.stages import Halt
from placement_cli.bench.watch import Nobody
from placement_cli.gate.commands import Done
from placement_cli.gate.judging import GateRule
from placement_cli.gate.measuring import AGAIN, Gate
from placement_cli.gate.suite import GateCase, gate_cases
from placement_cli.measure.specs import Case, Reading

TIME = {"complete_s": 0.03}
"""Limits under which time alone can fail a gate."""
OK = Done(0, "", "")


@dataclass
class Programs:
    """Stands in for git and pip: `does` is called with the words, and what it returns is how the command ended."""

    does: Callable[[Sequence[str]], Done | None] = lambda words: None
    asked: list[list[str]] = field(default_factory=list)

    def __call__(
        self,
        words: Sequence[str],
        folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
        limit_s: float = 0.0,
    ) -> Done:
        """Write the words down, and end as asked."""
        self.asked.append(list(words))
        return self.does(words) or OK


@pytest.fixture
def programs() -> type[Programs]:
    """The class that stands in for other programs."""
    return Programs


@pytest.fixture
def make_scenario() -> Callable[..., Scenario]:
    """Makes a scenario of cases; the control case is the one given, by its place."""

    def make(*cases: Case, control: int | None = None) -> Scenario:
        first = cases[0]
        arms = tuple(arm.name for arm in first.arms)
        chosen = None if control is None else cases[control].id
        return Scenario(first.scenario, "How much?", first.reading, cases, chosen, first.base, arms, {}, {}, "made up")

    return make


@pytest.fixture
def make_gate_case(make_case: Callable[..., Case], make_scenario: Callable[..., Scenario]) -> Callable[..., GateCase]:
    """Makes the gate's case of one arm of a chain; `limits` say what can fail it."""

    def make(
        name: int = 0, limits: Mapping[str, float] = TIME, *, reading: Reading = Reading.STREAM, **facts: Any
    ) -> GateCase:
        scenario = make_scenario(make_case(("async",), reading=reading, n=name, **facts))
        (made,) = gate_cases([scenario], lambda _case, _arm, metric: limits.get(metric))
        return made

    return make


@dataclass
class Turn(Nobody):
    """A watcher that does something as soon as what was flagged is measured again."""

    then: Callable[[], None]

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Do it, where this is the second part."""
        if name == AGAIN:
            self.then()


@pytest.fixture
def at_confirmation() -> type[Turn]:
    """The class of watchers that do something when what was flagged is measured again."""
    return Turn


@pytest.fixture
def make_gate(engine: Any, tmp_path: Path) -> Callable[..., Gate]:
    """Makes a gate over these cases on the machine made of fakes."""

    def make(
        *cases: GateCase,
        settle_all: bool = False,
        watcher: Nobody | None = None,
        reason: Callable[[], str] = lambda: "",
        confirm: bool = True,
    ) -> Gate:
        bench = engine.bench()
        rule = GateRule(settle_all=settle_all)
        watching = watcher or Nobody()
        return Gate(cases, rule, bench, engine.spawn, engine.spawn, watching, Halt(reason), tmp_path, confirm)

    return make
