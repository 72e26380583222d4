"""From blocks to what a gate makes of them: open, flagged, confirmed, or none of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.gate.judging import (
    ALPHA,
    Blocks,
    Finding,
    GateRule,
    bias,
    compare,
    confirmed,
    distrusted,
    faults,
    open_cases,
    unsupported,
)
from placement_cli.gate.suite import BASE, NEW, GateCase
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.blocks import CaseBlock, TakenSample
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.verdict import VerdictKind

RULE = GateRule()
MakeGateCase = Callable[..., GateCase]
MakeBlocks = Callable[..., list[CaseBlock]]
MakeRow = Callable[..., list[CaseBlock]]


@pytest.fixture
def row(make_blocks: MakeBlocks) -> MakeRow:
    """Makes blocks of a case in which `new` takes this many times as long, and the control as long as the base."""

    def make(each: GateCase, ratio: float, count: int, noise: float = 0.002, seed: int = 0) -> list[CaseBlock]:
        rng = Random(f"{each.id}/{seed}")
        new = [log(ratio) + rng.uniform(-noise, noise) for _ in range(count)]
        control = [rng.uniform(-noise, noise) for _ in range(count)]
        return make_blocks(each.case, {"new": new, CONTROL: control})

    return make


def found_at(
    cases: Sequence[GateCase], blocks: Blocks, rule: GateRule = RULE, *, exhausted: bool = False
) -> dict[str, Finding]:
    """Return the finding about the time of each case."""
    found = unsupported(compare(cases, blocks, rule, exhausted=exhausted))
    return {each.case.id: each for each in found if each.compared.metric.key == "complete_s"}


def kind_of(finding: Finding) -> str:
    """Return its verdict in a word."""
    return str(finding.compared.verdict.kind)


def test_a_slower_side_is_flagged_after_twelve_blocks(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """Never after six, however clear it is: they are measured on."""
    case = make_gate_case()
    six, twelve = {case.id: row(case, 1.3, 6)}, {case.id: row(case, 1.3, 12)}
    assert open_cases([case], six, RULE) == [case]
    assert not found_at([case], six)[case.id].flagged
    assert open_cases([case], twelve, RULE) == []
    assert found_at([case], twelve)[case.id].flagged


def test_an_equal_side_is_done_after_six_blocks(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """Most of what a gate measures is unchanged, and costs no more than that."""
    case = make_gate_case()
    blocks = {case.id: row(case, 1.0, 6)}
    assert open_cases([case], blocks, RULE) == []
    assert kind_of(found_at([case], blocks)[case.id]) == "same"


def test_a_faster_side_ends_early(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """A gate asks only whether it is slower; who wants every case settled measures on."""
    case = make_gate_case()
    blocks = {case.id: row(case, 0.8, 6)}
    assert open_cases([case], blocks, RULE) == []
    assert open_cases([case], blocks, GateRule(settle_all=True)) == [case]
    more = {case.id: row(case, 0.8, 12)}
    assert kind_of(found_at([case], more, GateRule(settle_all=True))[case.id]) == "faster"


def test_a_family_keeps_a_lone_flag_from_stopping_early(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """Twelve blocks are enough among a hundred comparisons, and too few among 103: then twenty decide."""
    cases = [make_gate_case(number) for number in range(103)]
    slow, *others = cases
    blocks = {each.id: row(each, 1.0, 6) for each in others} | {slow.id: row(slow, 1.3, 12)}
    assert open_cases(cases, blocks, RULE) == [slow]
    assert open_cases(cases[:100], blocks, RULE) == []
    blocks[slow.id] = row(slow, 1.3, 20)
    assert open_cases(cases, blocks, RULE) == []
    assert found_at(cases, blocks)[slow.id].flagged


def test_what_chance_explains_is_inconclusive(make_gate_case: MakeGateCase, make_blocks: MakeBlocks) -> None:
    """Slower by itself, but not among this many: its reason says so, with the adjusted p-value."""
    cases = [make_gate_case(number) for number in range(60)]
    weak = cases[0]
    new = [0.1] * 16 + [-0.01] * 4
    blocks = {each.id: make_blocks(each.case, {"new": [0.0] * 6, CONTROL: [0.0] * 6}) for each in cases[1:]}
    blocks[weak.id] = make_blocks(weak.case, {"new": new, CONTROL: [0.0] * 20})
    alone, among = found_at([weak], blocks)[weak.id], found_at(cases, blocks)[weak.id]
    assert alone.flagged
    assert not among.flagged
    assert kind_of(among) == "inconclusive"
    assert among.p_adjusted is not None
    assert ALPHA < among.p_adjusted <= 1
    assert f"p = {among.p_adjusted:.2g} after Holm" in among.compared.verdict.reason


def test_only_what_can_fail_counts_in_the_family(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """A metric without a limit is compared and told, has no adjusted p-value, and is never flagged."""
    case = make_gate_case(limits={"in_flight_bytes": 0.1})
    findings = unsupported(compare([case], {case.id: row(case, 1.5, 20)}, RULE))
    time, memory = findings
    assert (time.gated, time.p_adjusted, time.flagged, kind_of(time)) == (False, None, False, "slower")
    assert (memory.gated, memory.flagged) == (True, True)


@pytest.mark.parametrize(("limit", "kind"), [(0.05, "slower"), (0.25, "same")])
def test_the_limit_decides_what_is_slower(limit: float, kind: str, make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """The same blocks, 10 % above the base, under two limits."""
    case = make_gate_case(limits={"complete_s": limit})
    assert kind_of(found_at([case], {case.id: row(case, 1.1, 20)})[case.id]) == kind


def test_a_noisy_control_raises_the_floor(make_gate_case: MakeGateCase, make_blocks: MakeBlocks) -> None:
    """What identical code does in the same blocks cannot be called a change."""
    case = make_gate_case()
    loud = [0.12 * (-1) ** number for number in range(20)]
    blocks = {case.id: make_blocks(case.case, {"new": [0.05] * 20, CONTROL: loud})}
    found = found_at([case], blocks)[case.id]
    assert kind_of(found) == "inconclusive"
    assert found.compared.floor.noise > 0.03


def test_nothing_measured_is_inconclusive(make_gate_case: MakeGateCase) -> None:
    """An interrupt before the first block says nothing about a case."""
    case = make_gate_case()
    found = found_at([case], {}, exhausted=True)[case.id]
    assert (kind_of(found), found.compared.verdict.reason) == ("inconclusive", "No block was measured.")
    assert not found.flagged


def test_a_case_that_cannot_be_saved_is_not_measured_on(
    make_gate_case: MakeGateCase, make_lost: Callable[..., CaseBlock], row: MakeRow
) -> None:
    """A side that computes other values stays wrong; one lost block is measured again."""
    wrong, unlucky = make_gate_case(1), make_gate_case(2)
    blocks = {
        wrong.id: [make_lost(wrong.case, "disagreement")],
        unlucky.id: [make_lost(unlucky.case), *row(unlucky, 1.0, 3)],
    }
    assert open_cases([wrong, unlucky], blocks, RULE) == [unlucky]
    assert {case_id: fault.kind for case_id, fault in faults([wrong, unlucky], blocks).items()} == {
        wrong.id: "disagreement",
        unlucky.id: "crash",
    }


def flagged(case: GateCase, row: MakeRow) -> list[Finding]:
    """Return the findings about a case that is 20 % slower."""
    return unsupported(compare([case], {case.id: row(case, 1.2, 12)}, RULE))


def repeats(case: GateCase, blocks: list[CaseBlock]) -> list[Finding]:
    """Return what fresh blocks say of it."""
    return compare([case], {case.id: blocks}, GateRule((12, 20)), exhausted=len(blocks) < 12)


def test_what_fresh_blocks_repeat_is_confirmed(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """The verdict is that of the first blocks, and the second ones stand beside it."""
    case = make_gate_case()
    time, memory = confirmed(flagged(case, row), repeats(case, row(case, 1.2, 12, seed=1)))
    assert (time.confirmed, kind_of(time)) == (True, "slower")
    assert time.repeat is not None
    assert time.repeat.verdict.n_blocks == 12
    assert memory.repeat is None


@pytest.mark.parametrize(
    ("ratio", "count", "why"),
    [(1.0, 12, "do not repeat it"), (1.2, 6, "do not repeat it"), (1.0, 0, "no fresh blocks were measured")],
)
def test_what_fresh_blocks_do_not_repeat_is_inconclusive(
    ratio: float, count: int, why: str, make_gate_case: MakeGateCase, row: MakeRow
) -> None:
    """Whether they deny it, are too few, or were never measured; the reason says which."""
    case = make_gate_case()
    blocks = row(case, ratio, count, seed=1) if count else []
    time, _ = confirmed(flagged(case, row), repeats(case, blocks))
    assert (time.flagged, time.confirmed, kind_of(time)) == (False, False, "inconclusive")
    assert f"slower at first, but {'' if not count else 'fresh blocks in reverse order '}{why}" in (
        time.compared.verdict.reason
    )


def test_invalid_fresh_blocks_confirm_nothing(
    make_gate_case: MakeGateCase, row: MakeRow, make_lost: Callable[..., CaseBlock]
) -> None:
    """A side that crashes when it is measured again is not called slower."""
    case = make_gate_case()
    time, _ = confirmed(flagged(case, row), repeats(case, [make_lost(case.case, index=n) for n in range(2)]))
    assert kind_of(time) == "inconclusive"
    assert "slower at first, but its fresh blocks are invalid" in time.compared.verdict.reason


def test_a_second_measurement_ends_by_the_floor_it_is_judged_by(
    make_gate_case: MakeGateCase, make_blocks: MakeBlocks
) -> None:
    """The controls of both measurements count in either: what is done after twelve blocks has its verdict."""
    case = make_gate_case()
    rule = GateRule((12, 20))
    loud = {case.id: make_blocks(case.case, {"new": [0.06] * 12, CONTROL: [0.055 * (-1) ** n for n in range(12)]})}
    quiet = {case.id: make_blocks(case.case, {"new": [0.06] * 12, CONTROL: [0.0] * 12})}
    assert open_cases([case], quiet, rule) == []
    assert open_cases([case], quiet, rule, loud) == [case]


def test_when_repeating_each_comparison_stands_for_itself(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """The first measurement has paid for their number already."""
    cases = [make_gate_case(number) for number in range(103)]
    blocks = {each.id: row(each, 1.3, 12) for each in cases}
    assert open_cases(cases, blocks, GateRule((12, 20)), {}) == []


@pytest.mark.parametrize(
    ("count", "lean", "biased"), [(8, 0.02, True), (7, 0.02, False), (12, 0.0, False), (12, 0.01, False)]
)
def test_controls_that_lean_one_way_spoil_the_gate(
    count: int, lean: float, biased: bool, make_gate_case: MakeGateCase, make_blocks: MakeBlocks
) -> None:
    """In eight of eight blocks, by half a limit or more; the cases of a block are one trial, however many they are."""
    family = [make_gate_case(number) for number in range(20)]
    rows = {each.id: make_blocks(each.case, {"new": [0.0] * count, CONTROL: [lean] * count}) for each in family}
    said = bias(family, rows)
    assert bool(said) is biased
    assert not biased or f"leans one way in {count} of {count} blocks" in said


def test_what_leans_in_the_new_side_is_no_bias(make_gate_case: MakeGateCase, make_blocks: MakeBlocks) -> None:
    """A release that makes everything slower looks like that."""
    family = [make_gate_case(number) for number in range(10)]
    rows = {
        each.id: make_blocks(each.case, {"new": [0.1] * 6, CONTROL: [0.01 * (-1) ** place] * 6})
        for place, each in enumerate(family)
    }
    assert bias(family, rows) == ""


def test_a_spoilt_gate_claims_nothing(make_gate_case: MakeGateCase, row: MakeRow) -> None:
    """Every verdict is invalid, with the reason; its numbers stay."""
    case = make_gate_case()
    before = flagged(case, row)
    after = distrusted(before, "it leans")
    assert [each.compared.verdict.kind for each in after] == [VerdictKind.INVALID] * 2
    assert {each.compared.verdict.reason for each in after} == {"it leans"}
    assert [each.compared.verdict.ratio for each in after] == [each.compared.verdict.ratio for each in before]
    assert not any(each.flagged for each in after)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(-0.3, 0.3), min_size=6, max_size=20),
    st.lists(st.floats(-0.05, 0.05), min_size=20, max_size=20),
)
def test_a_flag_is_always_slower_beyond_its_limit(new: list[float], control: list[float]) -> None:
    """Whatever the blocks are: its middle lies above the limit and its interval above no change, after 12 or more."""
    case, blocks = _drawn(new, control[: len(new)])
    for each in compare([case], {case.id: blocks}, RULE):
        verdict = each.compared.verdict
        if each.flagged:
            assert verdict.ratio is not None
            assert verdict.interval is not None
            assert verdict.n_blocks >= 12
            assert verdict.ratio > 1 + case.limits[each.compared.metric.key]
            assert verdict.interval.low > 1


def _drawn(new: list[float], control: list[float]) -> tuple[GateCase, list[CaseBlock]]:
    """Make a case with these blocks: a property test cannot ask a fixture for them."""
    pipeline = Pipeline(Source(4, 4, 2), (Node("last", "abs", ("source",)),))
    arms = tuple(Arm(name, ArmMode.ASYNC, ("last",)) for name in (BASE, NEW))
    case = GateCase(Case("c", "s", Reading.STREAM, pipeline, arms, BASE), {"complete_s": 0.03})

    def sample(relative: float) -> Sample:
        return Sample(10, 0.005, 0.01 * exp(relative), 4096, 8192, 1, 1, 0)

    blocks = []
    for index, pair in enumerate(zip(new, control, strict=True)):
        values = {BASE: 0.0, NEW: pair[0], CONTROL: pair[1]}
        taken = tuple(TakenSample(arm, "measure", 0, 0.0, sample(value)) for arm, value in values.items())
        blocks.append(CaseBlock("c", index, 10, taken, dict.fromkeys(values, 1), tuple(values)))
    return case, blocks
