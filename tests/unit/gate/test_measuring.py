"""A gate at work on fake workers: what it measures, in which order, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from placement_cli.bench.watch import Nobody
from placement_cli.gate.measuring import AGAIN, SUITE, Gate, Outcome
from placement_cli.gate.suite import BASE, NEW, GateCase, gate_cases
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.control import CONTROL

MakeGate = Callable[..., Gate]
MakeGateCase = Callable[..., GateCase]


def verdicts(outcome: Outcome, metric: str = "complete_s") -> list[str]:
    """Return the verdict of each case in one metric."""
    return [str(each.compared.verdict.kind) for each in outcome.findings if each.compared.metric.key == metric]


def counts(outcome: Outcome) -> tuple[list[int], list[int]]:
    """Return how many blocks each case has, and how many of its confirmation."""
    first, again = outcome.measured.first.blocks, outcome.measured.again.blocks
    return (
        [len(first.get(each.id, [])) for each in outcome.cases],
        [len(again.get(each.id, [])) for each in outcome.cases],
    )


def test_equal_sides_pass_after_six_blocks(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Base, base again, and new in fresh processes of each block; nothing is measured twice."""
    engine.noise = 0.002
    outcome = make_gate(make_gate_case(1), make_gate_case(2)).run()
    assert verdicts(outcome) == ["same", "same"]
    assert counts(outcome) == ([6, 6], [0, 0])
    assert engine.workers == 6 * 3
    assert engine.open_workers == 0
    (block, *_) = outcome.measured.first.blocks[outcome.cases[0].id]
    assert set(block.pids) == {BASE, NEW, CONTROL}
    assert outcome.measured.stopped == ""


def test_a_slower_side_is_flagged_and_confirmed(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Ten percent: twelve blocks, then twelve fresh ones of that case alone."""
    engine.noise = 0.005
    slow, same = make_gate_case(1), make_gate_case(2)
    engine.cost[slow.id, NEW] = 1.1
    outcome = make_gate(slow, same).run()
    assert verdicts(outcome) == ["slower", "same"]
    assert [each.confirmed for each in outcome.findings if each.gated] == [True, False]
    assert counts(outcome) == ([12, 6], [12, 0])


def test_without_confirmation_a_flag_is_enough(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Nothing is measured again, and the finding stays flagged."""
    engine.cost[NEW] = 1.1
    outcome = make_gate(make_gate_case(), confirm=False).run()
    assert counts(outcome) == ([12], [0])
    assert [(each.flagged, each.confirmed) for each in outcome.findings if each.gated] == [(True, False)]


def test_a_faster_side_ends_early(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Unless every case is to be settled: then it is called faster after twelve."""
    engine.cost[NEW] = 0.8
    assert counts(make_gate(make_gate_case()).run()) == ([6], [0])
    settled = make_gate(make_gate_case(), settle_all=True).run()
    assert (counts(settled), verdicts(settled)) == (([12], [0]), ["faster"])


def test_what_is_slow_only_at_first_is_not_confirmed(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase, at_confirmation: Callable[..., Nobody]
) -> None:
    """A burst of something else on one side's turn is gone when fresh blocks are measured."""
    engine.cost[NEW] = 1.1
    turn = at_confirmation(lambda: engine.cost.update({NEW: 1.0}))
    outcome = make_gate(make_gate_case(), watcher=turn).run()
    assert verdicts(outcome) == ["inconclusive"]
    assert counts(outcome) == ([12], [12])
    assert "do not repeat it" in outcome.findings[0].compared.verdict.reason


def test_workers_of_one_core_share_it_and_others_have_all(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """The same core for every worker of a block, and all cores again for the next case."""
    alone, free = replace(make_gate_case(1), one_core=True), make_gate_case(2)
    asked: list[tuple[int, tuple[int, ...]]] = []
    gate = make_gate(alone, free)
    bench = replace(gate.bench, cores=(0, 1, 2), confine=lambda pids, cores: asked.append((len(pids), tuple(cores))))
    replace(gate, bench=bench).run()
    assert {count for count, _ in asked} == {3}
    assert sorted({len(cores) for _, cores in asked}) == [1, 3]
    assert {cores for _, cores in asked if len(cores) == 1} > {(0,)}


def orders(blocks: Sequence[CaseBlock]) -> list[list[list[str]]]:
    """Return, for each block, in which order its workers started, were sampled and were warmed up."""
    return [
        [list(block.start_order)]
        + [
            [taken.arm for taken in block.samples if (taken.phase, taken.round) == ("measure", number)]
            for number in range(6)
        ]
        for block in blocks
    ]


def test_the_second_measurement_is_the_first_turned_round(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """Whoever came first comes last: starts and every round, also with fewer cases than at first."""
    slow, same = make_gate_case(1), make_gate_case(2)
    engine.cost[slow.id, NEW] = 1.1
    outcome = make_gate(same, slow).run()
    first, again = (part.blocks[slow.id] for part in (outcome.measured.first, outcome.measured.again))
    turned = [[order[::-1] for order in block] for block in orders(first)]
    assert orders(again) == turned
    assert orders(again) != orders(first)


def test_a_case_is_measured_on_while_it_is_on_its_way(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """Three looks at most; a change at the limit itself stays open until the last one."""
    engine.noise, engine.cost = 0.03, {NEW: 1.035}
    outcome = make_gate(make_gate_case()).run()
    assert counts(outcome)[0] == [20]
    assert verdicts(outcome) == ["inconclusive"]


def test_memory_can_fail_a_gate_alone(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """More bytes in flight, at the same speed."""
    engine.bytes_by_arm[NEW] = 80 * 1024
    outcome = make_gate(make_gate_case(limits={"in_flight_bytes": 0.1})).run()
    assert verdicts(outcome) == ["same"]
    assert verdicts(outcome, "in_flight_bytes") == ["slower"]
    assert [each.confirmed for each in outcome.findings if each.gated] == [True]


def test_leaning_controls_are_not_measured_again(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """The design favours a side, so that no verdict stands, and fresh blocks of the same design would not help."""
    engine.cost = {CONTROL: 1.02, NEW: 1.2}
    outcome = make_gate(*(make_gate_case(number) for number in range(8))).run()
    assert "leans one way in 12 of 12 blocks" in outcome.bias
    assert set(verdicts(outcome)) == {"invalid"}
    assert counts(outcome)[1] == [0] * 8


class Halting:
    """Says stop once so many samples are taken."""

    def __init__(self, engine: Any, samples: int) -> None:
        self.engine, self.samples = engine, samples

    def __call__(self) -> str:
        """Return why to stop."""
        return "enough" if self.engine.samples >= self.samples else ""


def test_a_gate_that_is_halted_keeps_what_it_has(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """The block in hand is finished, nothing is called slower or equal, and why it stopped is told."""
    engine.cost[NEW] = 1.3
    outcome = make_gate(make_gate_case(), reason=Halting(engine, 60)).run()
    assert outcome.measured.stopped == "enough"
    assert 0 < counts(outcome)[0][0] < 6
    assert verdicts(outcome) == ["inconclusive"]
    assert engine.open_workers == 0


def test_a_gate_that_is_halted_when_all_is_decided_is_complete(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """Then nothing was cut short."""
    whole = make_gate(make_gate_case()).run()
    taken, engine.samples = engine.samples, 0
    outcome = make_gate(make_gate_case(), reason=Halting(engine, taken)).run()
    assert (outcome.measured.stopped, verdicts(outcome)) == ("", verdicts(whole))


def test_without_time_to_confirm_nothing_is_confirmed(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase, at_confirmation: Callable[..., Nobody]
) -> None:
    """What was flagged is left open, and the reason says that there were no fresh blocks."""
    engine.cost[NEW] = 1.1
    halting = Halting(engine, 10**9)
    turn = at_confirmation(lambda: setattr(halting, "samples", 0))
    outcome = make_gate(make_gate_case(), watcher=turn, reason=halting).run()
    assert (outcome.measured.stopped, counts(outcome)) == ("enough", ([12], [0]))
    assert verdicts(outcome) == ["inconclusive"]
    assert "no fresh blocks were measured" in outcome.findings[0].compared.verdict.reason


def test_host_work_is_calibrated_once(engine: Any, make_gate: MakeGate, make_case: Any, make_scenario: Any) -> None:
    """The confirmation does the work of the first blocks, or it would be another case."""
    scenario = make_scenario(make_case(("async", "sync"), host={"kind": "python", "length_ms": 0.5}))
    cases = gate_cases([scenario], lambda _case, _arm, metric: 0.03 if metric == "complete_s" else None)
    engine.cost[NEW] = 1.1
    outcome = make_gate(*cases).run()
    assert counts(outcome) == ([12, 12], [12, 12])
    assert engine.calibrations == [("python", 0.0005)]
    amounts = {tuple(asked["amounts"].items()) for do, asked in engine.asked if do == "prepare"}
    assert len(amounts) == 1


class Listening(Nobody):
    """Writes down the stages it is told of."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.estimates: list[str] = []

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """A part of the gate begins."""
        self.told.append((name, cases, blocks))

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """A stage is done."""
        self.told.append((name, undecided, blocks))

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """A case has a block more."""
        self.estimates.append(estimate)


def test_who_watches_is_told_of_both_parts(engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Which part, how many cases, how many blocks; and the ratio so far."""
    slow, same = make_gate_case(1), make_gate_case(2)
    engine.cost[slow.id, NEW] = 1.1
    watcher = Listening()
    make_gate(slow, same, watcher=watcher).run()
    assert watcher.told == [(SUITE, 2, 6), (SUITE, 1, 12), (AGAIN, 1, 12)]
    assert set(watcher.estimates) == {"1.100x", "1.000x"}


@pytest.mark.parametrize("seed", range(3))
def test_equal_noisy_sides_pass(seed: int, engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase) -> None:
    """Three percent of noise between processes fails no gate."""
    engine.noise, engine.seed = 0.03, seed
    outcome = make_gate(*(make_gate_case(number) for number in range(4))).run()
    assert not any(each.flagged or each.confirmed for each in outcome.findings)


def test_of_many_flagged_cases_the_largest_effect_is_confirmed_first(
    engine: Any, make_gate: MakeGate, make_gate_case: MakeGateCase
) -> None:
    """Should the time run out, one confirmed case is there, and decides the gate."""
    cases = [make_gate_case(number) for number in range(5)]
    engine.cost.update({(each.id, NEW): 1.1 for each in cases} | {(cases[3].id, NEW): 1.4})
    outcome = make_gate(*cases).run()
    again = outcome.measured.again.blocks
    assert next(iter(again)) == cases[3].id
    assert [len(again[each.id]) for each in cases] == [12] * 5
