"""Error rates of the whole rule on recorded traces: the gates that every change of it must pass.

A trace holds identical code timed against itself. Every difference found in it is a false alarm; scaled by 5 %,
every miss is one. Blocks are drawn in their order, which keeps drift and bursts together, and at random, which
spreads them. Of the blocks drawn every other one plays the control (A'/A) and sets the noise floor, the rest are
judged, so none is judged by itself. The rates are those of all draws and the same on every run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from math import log1p
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from placement_cli.statistics.noise_floor import effect_floor, noise_floor
from placement_cli.statistics.pairing import block_log_ratio
from placement_cli.statistics.rates import rate
from placement_cli.statistics.stopping import StoppingRule, decide
from placement_cli.statistics.verdict import VerdictKind, judge

Row = NDArray[np.float64]
Outcome = tuple[VerdictKind, int]
"""The verdict and the number of blocks it took."""

FOLDER = Path(__file__).parents[1] / "data" / "aa-traces"
TRACES = sorted(path.stem for path in FOLDER.glob("*.json"))
DRAWS = ["in-order", "at-random"]
MIN_EFFECT = 0.03
STRIDE = 2
RANDOM_DRAWS = 600
BOTH_WAYS = StoppingRule()
ONE_WAY = StoppingRule(one_sided=True)

FALSE_ALARMS_AT_MOST = 0.01
CAUGHT_AT_LEAST = 0.85

on_every_trace = pytest.mark.parametrize("trace", TRACES)
however_drawn = pytest.mark.parametrize("draw", DRAWS)


@cache
def ratios(trace: str) -> Row:
    """Return the log ratio of every block of a trace, in the order they were taken."""
    pairs = json.loads((FOLDER / f"{trace}.json").read_text(encoding="utf-8"))["pairs"]
    return np.array([block_log_ratio(pair["a"], pair["b"]) for pair in pairs])


def draws(trace: str, draw: str, n_blocks: int) -> Iterator[tuple[Row, Row]]:
    """Yield judged and control blocks: every other run of consecutive blocks, or random ones."""
    row, rng = ratios(trace), np.random.default_rng(0)
    starts = range(0, row.size - 2 * n_blocks + 1, STRIDE)
    for start in starts if draw == "in-order" else range(RANDOM_DRAWS):
        in_order = row[start : start + 2 * n_blocks]
        chosen = in_order if draw == "in-order" else rng.choice(row, 2 * n_blocks, replace=False)
        yield chosen[::2], chosen[1::2]


def outcomes(
    trace: str, draw: str, n_blocks: int, end: Callable[[Row, Row], Outcome], change: float = 0.0
) -> Counter[Outcome]:
    """Return how often each outcome comes of blocks whose new arm is slower by `change`."""
    return Counter(end(case + log1p(change), control) for case, control in draws(trace, draw, n_blocks))


def at_once(case: Row, control: Row) -> Outcome:
    """Judge all blocks at once, under the floor that the control sets."""
    floor = effect_floor(MIN_EFFECT, noise_floor(control, case.size))
    return judge(case, floor).kind, case.size


def without_control(case: Row, control: Row) -> Outcome:
    """Judge all blocks at once, under the smallest change asked for alone."""
    return judge(case, effect_floor(MIN_EFFECT)).kind, case.size


def in_stages(case: Row, control: Row, rule: StoppingRule = BOTH_WAYS) -> Outcome:
    """Follow the stopping rule, the floor of each look set by the control blocks there are by then."""
    for n_blocks in rule.looks(case.size):
        floor = effect_floor(MIN_EFFECT, noise_floor(control[:n_blocks], n_blocks))
        decision = decide(case[:n_blocks], floor, rule, case.size)
        if decision.stop:
            return decision.verdict.kind, n_blocks
    raise AssertionError("the last look always ends a case")


def as_gate(case: Row, control: Row) -> Outcome:
    """Follow the stopping rule of a gate, for which only slower matters."""
    return in_stages(case, control, ONE_WAY)


def share(seen: Counter[Outcome], *kinds: VerdictKind) -> float:
    """Return the share of draws that ended with one of these verdicts."""
    return sum(count for (kind, _), count in seen.items() if kind in kinds) / seen.total()


def mean_blocks(seen: Counter[Outcome]) -> float:
    """Return how many blocks a case took on average."""
    return sum(n_blocks * count for (_, n_blocks), count in seen.items()) / seen.total()


def alarms(seen: Counter[Outcome]) -> float:
    """Return the share of draws called different, in either direction."""
    return share(seen, VerdictKind.SLOWER, VerdictKind.FASTER)


def test_there_are_traces() -> None:
    """The recorded traces are there, each long enough to draw from."""
    assert {"idle", "busy"} <= set(TRACES)
    assert all(ratios(trace).size > 1000 for trace in TRACES)


@on_every_trace
@however_drawn
@pytest.mark.parametrize("n_blocks", [6, 12, 20])
@pytest.mark.parametrize("end", [at_once, without_control])
def test_identical_code_is_seldom_called_different(
    trace: str, draw: str, n_blocks: int, end: Callable[[Row, Row], Outcome]
) -> None:
    """With any number of blocks, with control or without, one verdict in a hundred at most is a false alarm."""
    assert alarms(outcomes(trace, draw, n_blocks, end)) <= FALSE_ALARMS_AT_MOST


@on_every_trace
@however_drawn
@pytest.mark.parametrize("end", [in_stages, as_gate])
def test_looking_three_times_raises_no_more_alarms(trace: str, draw: str, end: Callable[[Row, Row], Outcome]) -> None:
    """Followed stage by stage, one case in a hundred at most is called different."""
    assert alarms(outcomes(trace, draw, 20, end)) <= FALSE_ALARMS_AT_MOST


@on_every_trace
def test_separate_runs_bound_the_false_alarms(trace: str) -> None:
    """Over runs of 12 blocks that share none, even the upper bound of the rate stays below 7 %."""
    runs = list(draws(trace, "in-order", 12))[:: 24 // STRIDE]
    found = sum(at_once(case, control)[0] in (VerdictKind.SLOWER, VerdictKind.FASTER) for case, control in runs)
    seen = rate(found, len(runs), level=0.9)
    assert (seen.count, seen.trials) == (0, len(runs))
    assert seen.high < 0.07


@on_every_trace
@however_drawn
def test_five_percent_is_caught_with_twelve_blocks(trace: str, draw: str) -> None:
    """Slower by 5 % is found in at least 85 of 100 cases with 12 blocks."""
    seen = outcomes(trace, draw, 12, without_control, change=0.05)
    assert share(seen, VerdictKind.SLOWER) >= CAUGHT_AT_LEAST


@on_every_trace
@pytest.mark.parametrize(("draw", "at_least"), [("in-order", 0.80), ("at-random", CAUGHT_AT_LEAST)])
def test_five_percent_is_caught_under_a_floor_from_twelve_controls(trace: str, draw: str, at_least: float) -> None:
    """Under a floor set by 12 control blocks, bursts that last for many blocks cost some cases, no more than these."""
    assert share(outcomes(trace, draw, 12, at_once, change=0.05), VerdictKind.SLOWER) >= at_least


@on_every_trace
@however_drawn
@pytest.mark.parametrize("end", [in_stages, as_gate])
def test_five_percent_is_caught_in_stages(trace: str, draw: str, end: Callable[[Row, Row], Outcome]) -> None:
    """Followed stage by stage under the control's floor, 5 % is found as often, in 16 blocks on average."""
    seen = outcomes(trace, draw, 20, end, change=0.05)
    assert share(seen, VerdictKind.SLOWER) >= CAUGHT_AT_LEAST
    assert mean_blocks(seen) <= 16


@on_every_trace
def test_faster_is_found_as_often_as_slower(trace: str) -> None:
    """Swapping the arms of every block finds as many cases faster as were found slower."""
    slower = Counter(at_once(case + 0.05, control) for case, control in draws(trace, "in-order", 12))
    faster = Counter(at_once(-case - 0.05, control) for case, control in draws(trace, "in-order", 12))
    assert share(faster, VerdictKind.FASTER) == share(slower, VerdictKind.SLOWER)


@on_every_trace
@however_drawn
@pytest.mark.parametrize("n_blocks", [6, 12, 20])
def test_five_percent_is_never_called_the_same(trace: str, draw: str, n_blocks: int) -> None:
    """However noisy the control, a change of 5 % passes for none of 3 % in at most one case of a hundred."""
    seen = outcomes(trace, draw, n_blocks, at_once, change=0.05)
    assert share(seen, VerdictKind.SAME) <= FALSE_ALARMS_AT_MOST


@on_every_trace
@however_drawn
def test_identical_code_is_mostly_called_the_same(trace: str, draw: str) -> None:
    """Three cases of identical code in four end as the same, in 15 blocks on average at most."""
    seen = outcomes(trace, draw, 20, in_stages)
    assert share(seen, VerdictKind.SAME) >= 0.75
    assert mean_blocks(seen) <= 15


@on_every_trace
@however_drawn
def test_gate_spends_little_on_identical_code(trace: str, draw: str) -> None:
    """A gate is done with identical code after 8 blocks on average at most."""
    assert mean_blocks(outcomes(trace, draw, 20, as_gate)) <= 8


@on_every_trace
def test_blocks_are_independent(trace: str) -> None:
    """Neighbouring blocks are uncorrelated in rank, which the interval rests on."""
    row = ratios(trace)
    ranks = np.argsort(np.argsort(row))
    assert abs(np.corrcoef(ranks[:-1], ranks[1:])[0, 1]) < 0.1
