"""How often a whole gate fails, with the pure rule that `placement check` follows: clean suites, and slower ones.

The log ratios of its blocks come from recorded traces (identical code timed against itself), stretches of them in
their order from a random place on, which keeps bursts together, and from simulated noise of the same kind. A gate
is followed to its end: looks after 6, 12 and 20 blocks, Holm, fresh blocks of what is flagged. Every draw is seeded,
so the rates are the same on every run; `pytest -s` shows them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log1p
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from placement_cli.bench.metrics import COMPLETE, IN_FLIGHT
from placement_cli.gate.evidence import Evidence
from placement_cli.gate.judging import Finding, GateRule, confirmed, undecided_cases, unsupported, weigh
from placement_cli.gate.measuring import CONFIRM_STAGES
from placement_cli.gate.suite import GateCase
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.statistics.pairing import block_log_ratio
from placement_cli.statistics.rates import Rate, rate
from placement_cli.statistics.verdict import VerdictKind

Rows = NDArray[np.float64]
"""Log ratios of shape (cases, blocks)."""
Machine = Callable[[np.random.Generator, int], tuple[Rows, Rows]]
"""Draws the log ratios of as many cases: new over base, and control over base."""

FOLDER = Path(__file__).parents[1] / "data" / "aa-traces"
MOST_BLOCKS = 20
RULE = GateRule()
AGAIN = replace(RULE, stages=CONFIRM_STAGES)
TIME, TIME_AND_MEMORY = {COMPLETE.key: 0.03}, {COMPLETE.key: 0.03, IN_FLIGHT.key: 0.10}
FEW = 10
"""Suites of no more cases have memory gated too, as gates do without settings; larger ones time alone, to be quick."""

MANY_CASES, SUITES, SMALL_SUITES, SLOWED_SUITES, RESTLESS_SUITES = 100, 60, 420, 120, 40
"""None of 60 bounds a rate below 5 %, with 95 % confidence."""
PASSING, PASSING_SUITES = 0.06, 100
"""How much slower something that passes makes the new side, as a log ratio."""
FAILING_AT_MOST = 0.05
POWER = {0.05: 0.85, 0.10: 0.95, 0.30: 1.0}
"""What a change must be found in: the share of suites, by how much slower all their cases are."""


@cache
def recorded(trace: str) -> Machine:
    """Return a machine whose blocks are those of a trace: every other one of a stretch is the control's."""
    pairs = json.loads((FOLDER / f"{trace}.json").read_text(encoding="utf-8"))["pairs"]
    row = np.array([block_log_ratio(pair["a"], pair["b"]) for pair in pairs])

    def draw(rng: np.random.Generator, cases: int) -> tuple[Rows, Rows]:
        starts = rng.integers(row.size, size=(cases, 1))
        taken = row[(starts + np.arange(2 * MOST_BLOCKS)) % row.size]
        return taken[:, ::2], taken[:, 1::2]

    return draw


ROUNDS = 6
OFFSET, SPREAD = 0.01, 0.03
"""Standard deviation of the log of a process's speed, and of one sample in it."""
BURST_SHARE, BURST_BLOCKS, BURST_SIZE = 0.03, 3, 0.3
"""How many blocks are hit by a burst, how many it lasts, and how much slower it makes one process (log, mean)."""


def simulated(rng: np.random.Generator, cases: int) -> tuple[Rows, Rows]:
    """Draw processes that differ, log-normal samples, and bursts that last for some blocks and hit one process.

    As in a real block the control and the new side are held against the same process of the base.
    """
    shape = (cases, MOST_BLOCKS, 3)
    begins = rng.random(shape) < BURST_SHARE / BURST_BLOCKS
    bursts = np.where(begins, rng.exponential(BURST_SIZE, shape), 0.0)
    lasting = sum(np.roll(bursts, by, axis=1) for by in range(BURST_BLOCKS))
    speeds = rng.normal(0.0, OFFSET, shape) + lasting
    samples = speeds[..., None] + rng.normal(0.0, SPREAD, (*shape, ROUNDS))
    base, control, new = np.moveaxis(samples, 2, 0)
    return np.median(new - base, axis=-1), np.median(control - base, axis=-1)


RESTLESS = 0.08


def restless(rng: np.random.Generator, cases: int) -> tuple[Rows, Rows]:
    """Draw a new side that is as fast as the base, but whose processes differ more: no control can show that."""
    new, control = simulated(rng, cases)
    return new + rng.normal(0.0, RESTLESS, new.shape), control


MACHINES: dict[str, Machine] = {
    "simulated": simulated,
    "restless": restless,
    "idle": recorded("idle"),
    "busy": recorded("busy"),
}
on_every_machine = pytest.mark.parametrize("machine", ["simulated", "idle", "busy"])
on_every_trace = pytest.mark.parametrize("machine", ["idle", "busy"])


@cache
def suite(size: int) -> tuple[GateCase, ...]:
    """Return `size` cases, whose time can fail the gate, and memory too where they are few."""
    pipeline = Pipeline(Source(8, 8, 8), (Node("rectify", "abs", ("source",)),))
    arms = (Arm("base", ArmMode.ASYNC, ("rectify",)), Arm("new", ArmMode.ASYNC, ("rectify",)))
    cases = (Case(f"case-{n}", "suite", Reading.STREAM, pipeline, arms, "base") for n in range(size))
    return tuple(GateCase(case, TIME_AND_MEMORY if size <= FEW else TIME) for case in cases)


@dataclass(frozen=True)
class Measuring:
    """Blocks of the cases of a suite as they would be measured; the bytes of identical code do not change."""

    cases: Sequence[GateCase]
    new: Mapping[str, Rows]
    control: Mapping[str, Rows]
    before: Mapping[str, Sequence[float]]

    @classmethod
    def drawn(cls, cases: Sequence[GateCase], rows: tuple[Rows, Rows], change: float) -> Measuring:
        """Return blocks with these ratios, the new side slower by `change`."""
        new, control = ({each.id: row for each, row in zip(cases, part, strict=True)} for part in rows)
        return cls(cases, {case_id: row + log1p(change) for case_id, row in new.items()}, control, {})

    def evidence(self, counts: Mapping[str, int]) -> Iterable[Evidence]:
        """Yield what there is after so many blocks of each case."""
        for each in self.cases:
            n_blocks, before = counts[each.id], self.before.get(each.id, ())
            control = (*self.control[each.id][:n_blocks], *before)
            yield Evidence(each, COMPLETE, tuple(self.new[each.id][:n_blocks]), control)
            if IN_FLIGHT.key in each.limits:
                yield Evidence(each, IN_FLIGHT, (0.0,) * n_blocks, (0.0,) * len(control))

    def followed(self, rule: GateRule, *, repeating: bool = False) -> tuple[list[Finding], dict[str, int]]:
        """Follow the looks of `rule` to the end; return every comparison, and the blocks that each case took."""
        counts = dict.fromkeys((each.id for each in self.cases), rule.stages[0])
        found = weigh(list(self.evidence(counts)), rule)
        for target in rule.stages[1:]:
            if undecided := undecided_cases(found, repeating=repeating):
                counts |= dict.fromkeys(undecided, target)
                found = weigh(list(self.evidence(counts)), rule)
        return found, counts


@dataclass(frozen=True)
class Ending:
    """Whether a gate fails as it is, and with a part of its rule left out; and the blocks that it took."""

    fails: bool
    without_holm: bool
    without_confirmation: bool
    with_neither: bool
    blocks: int


def gate(rng: np.random.Generator, machine: Machine, size: int, change: float = 0.0) -> Ending:
    """Run one gate of `size` cases to its end."""
    cases = suite(size)
    first = Measuring.drawn(cases, machine(rng, size), change)
    found, counts = first.followed(RULE)
    slower = [each for each in found if each.compared.verdict.kind is VerdictKind.SLOWER]
    again, more = _repeats(rng, machine, [each.case for each in slower], first, counts, change)
    kept = confirmed(unsupported(found), again)
    forced = confirmed([replace(each, p_adjusted=0.0) for each in slower], again)
    return Ending(
        fails=any(each.confirmed for each in kept),
        without_holm=any(each.confirmed for each in forced),
        without_confirmation=any(each.flagged for each in found),
        with_neither=bool(slower),
        blocks=sum(counts.values()) + sum(more.values()),
    )


def _repeats(
    rng: np.random.Generator,
    machine: Machine,
    cases: Sequence[GateCase],
    first: Measuring,
    counts: Mapping[str, int],
    change: float,
) -> tuple[list[Finding], dict[str, int]]:
    """Return what fresh blocks say of `cases`: their noise floor rests on the control of the first blocks too."""
    if not cases:
        return [], {}
    before = {each.id: tuple(first.control[each.id][: counts[each.id]]) for each in cases}
    fresh = replace(Measuring.drawn(cases, machine(rng, len(cases)), change), before=before)
    return fresh.followed(AGAIN, repeating=True)


@cache
def endings(machine: str, size: int, change: float, suites: int) -> tuple[Ending, ...]:
    """Return how so many suites of `size` cases end, each drawn by itself."""
    rng = np.random.default_rng(0)
    return tuple(gate(rng, MACHINES[machine], size, change) for _ in range(suites))


def share(seen: Sequence[Ending], what: str) -> Rate:
    """Return how many suites end so, with the exact bounds of their share (one-sided at 95 %)."""
    return rate(sum(getattr(each, what) for each in seen), len(seen), level=0.9)


def told(what: str, seen: Rate) -> None:
    """Print a line of the table that `pytest -s` shows."""
    rates = f"{seen.count:>3} of {seen.trials} = {seen.rate:6.1%} [{seen.low:.1%}, {seen.high:.1%}]"
    sys.stdout.write(f"\n{what:<68} {rates}")


@on_every_machine
def test_clean_suites_of_a_hundred_cases_pass(machine: str) -> None:
    """Of suites in which nothing changed at most 5 % fail, and so says the upper bound of their rate."""
    seen = share(endings(machine, MANY_CASES, 0.0, SUITES), "fails")
    told(f"{machine}, 100 cases, nothing changed: fails", seen)
    assert seen.rate <= FAILING_AT_MOST
    assert seen.high < FAILING_AT_MOST


@on_every_machine
def test_clean_suites_of_two_cases_pass(machine: str) -> None:
    """A small suite has no more false alarms than a large one."""
    seen = share(endings(machine, 2, 0.0, SMALL_SUITES), "fails")
    told(f"{machine}, 2 cases, nothing changed: fails", seen)
    assert seen.high < FAILING_AT_MOST


@on_every_trace
@pytest.mark.parametrize("change", POWER)
def test_a_change_of_all_cases_fails_the_gate(machine: str, change: float) -> None:
    """First measurement and confirmation together find what is slower as often as was promised."""
    seen = share(endings(machine, 2, change, SLOWED_SUITES), "fails")
    told(f"{machine}, 2 cases, slower by {change:.0%}: fails", seen)
    assert seen.rate >= POWER[change]


@on_every_trace
def test_a_clean_gate_is_soon_over(machine: str) -> None:
    """Where nothing changed a case takes 8 blocks on average at most, its confirmation among them."""
    seen = endings(machine, MANY_CASES, 0.0, SUITES)
    assert np.mean([each.blocks for each in seen]) <= 8 * MANY_CASES


@pytest.mark.parametrize("part", ["without_holm", "without_confirmation"])
def test_holm_and_confirmation_each_save_clean_suites(part: str) -> None:
    """Where the control shows too little noise most suites of a hundred cases fail with neither; either saves most."""
    seen = endings("restless", MANY_CASES, 0.0, RESTLESS_SUITES)
    whole, without, neither = share(seen, "fails"), share(seen, part), share(seen, "with_neither")
    told(f"restless, 100 cases, nothing changed, {part}: fails", without)
    told("restless, 100 cases, nothing changed, with_neither: fails", neither)
    assert whole.rate <= FAILING_AT_MOST
    assert whole.count <= without.count
    assert without.high < neither.low
    assert neither.low > FAILING_AT_MOST


def test_confirmation_saves_suites_from_what_passes() -> None:
    """What slows the new side through all of the first measurement, and no longer, fails no gate; Holm cannot help."""
    rng, seen = np.random.default_rng(0), []
    for _ in range(PASSING_SUITES):
        slower_by = iter((PASSING, 0.0))

        def machine(rng: np.random.Generator, cases: int, slower_by: Iterator[float] = slower_by) -> tuple[Rows, Rows]:
            new, control = simulated(rng, cases)
            return new + next(slower_by), control

        seen.append(gate(rng, machine, 2))
    whole, without = share(seen, "fails"), share(seen, "without_confirmation")
    told("simulated, 2 cases, slower at first alone: fails", whole)
    told("the same, without_confirmation: fails", without)
    assert whole.high < FAILING_AT_MOST
    assert without.low > 0.5
