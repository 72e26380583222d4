"""A whole gate on fake workers: its document, its exit code, and what cuts it short."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import placement_cli
from placement_cli.bench.journal_records import block_from_record
from placement_cli.bench.watch import Nobody
from placement_cli.errors import InvalidMeasurement, NothingComparable, ScenarioFailed
from placement_cli.gate import session
from placement_cli.gate.judging import GateRule, compare, confirmed, unsupported
from placement_cli.gate.measuring import AGAIN, CONFIRM_STAGES
from placement_cli.gate.session import Deadlines, GateRequest, Probed, probed, run_gate
from placement_cli.gate.side import Side
from placement_cli.gate.suite import NEW, GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.control import CONTROL
from placement_cli.store.run_document import CaseRecord, RunDocument

SCHEMA = Path(placement_cli.__file__).parent / "store" / "schemas" / "run-1.schema.json"
MakeGateCase = Callable[..., GateCase]
RunGate = Callable[..., RunDocument]
FACTS: dict[str, Any] = {"chip": "fake", "mlx": "1.0", "backend": "fake"}


@pytest.fixture
def gated(engine: Any, monkeypatch: pytest.MonkeyPatch) -> RunGate:
    """Runs a gate over these cases on the machine made of fakes and returns its document."""
    monkeypatch.setattr(Side, "spawn", lambda side, device: engine.spawn)

    def run(*cases: GateCase, watcher: Nobody | None = None, old_mlx: str = "0.9", **asked: Any) -> RunDocument:
        request = GateRequest("check-1", ["check"], cases, {"chain": "How much?"}, GateRule(), 0, None)
        base = Side("mlx==0.9", "requirement", "mlx 0.9", "python", ("/x",), {"placement": {"digest": "a"}})
        new = Side("this installation", "current", "placement 1", "python", (), {"placement": {"digest": "a"}})
        sides = Probed(base, {**FACTS, "mlx": old_mlx}, {}), Probed(new, FACTS, {"empty_sample_s": 1e-6})
        around = engine.around(**({"watcher": watcher} if watcher else {}))
        return run_gate(replace(request, **asked), *sides, around)

    return run


def verdicts(document: RunDocument) -> list[str]:
    """Return the verdicts of what could fail the gate."""
    return [each.verdict for case in document.cases for each in case.comparisons if each.gated]


def outcome(document: RunDocument) -> tuple[int, str]:
    """Return the exit code and the gate's verdict."""
    assert document.gate is not None
    return document.exit.code, document.gate.verdict


def test_equal_sides_pass(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """With 0, a complete run, and both sides with what they do not share."""
    engine.noise = 0.002
    document = gated(make_gate_case(1), make_gate_case(2))
    gate = document.gate
    assert gate is not None
    assert outcome(document) == (0, "passed")
    assert (gate.cases, gate.compared, gate.failed) == (2, 2, [])
    assert gate.reason == "None of 2 comparisons with mlx==0.9 is slower."
    assert (gate.base.given, gate.new.given, gate.base.stable["mlx"]) == ("mlx==0.9", "this installation", "0.9")
    assert any("mlx" in fact for fact in gate.differs)
    assert not any("placement" in fact for fact in gate.differs)
    assert (document.run.complete, document.env.stable["mlx"]) == (True, "1.0")
    assert {arm for case in document.cases for arm in case.summary} == {"base", "new", "control"}


def test_a_confirmed_slowdown_is_exit_1(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """Ten percent in one of two cases; it is named, and the fresh blocks are in the document, marked."""
    engine.noise = 0.005
    slow, same = make_gate_case(1), make_gate_case(2)
    engine.cost[slow.id, NEW] = 1.1
    document = gated(slow, same)
    assert outcome(document) == (1, "regression")
    assert document.exit.name == "regression"
    assert document.gate is not None
    assert document.gate.failed == [slow.id]
    assert [sum(block.confirms for block in case.blocks) for case in document.cases] == [12, 0]
    (comparison,) = [each for each in document.cases[0].comparisons if each.gated]
    assert comparison.confirmation is not None
    assert comparison.confirmation.repeated
    assert comparison.confirmation.n_blocks == 12
    (saying,) = document.says
    assert saying.text.startswith("Time per message of chain[n=1] async is 1.10 times")
    assert saying.cases == [slow.id]


def test_what_is_not_repeated_passes(
    engine: Any, gated: RunGate, make_gate_case: MakeGateCase, at_confirmation: Callable[..., Nobody]
) -> None:
    """Inconclusive, with what both measurements said."""
    engine.cost[NEW] = 1.1
    document = gated(make_gate_case(), watcher=at_confirmation(lambda: engine.cost.update({NEW: 1.0})))
    assert outcome(document) == (0, "inconclusive")
    assert verdicts(document) == ["inconclusive"]
    assert "was slower at first" in document.says[0].text


def test_memory_alone_can_be_a_regression(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """And its limit, once it is off, never fails."""
    engine.bytes_by_arm[NEW] = 128 * 1024
    watched = gated(make_gate_case(limits={"complete_s": 0.03, "in_flight_bytes": 0.1}))
    assert outcome(watched) == (1, "regression")
    assert watched.says[0].text.startswith("Bytes in flight of chain[n=0] async is 2.00 times")
    unwatched = gated(make_gate_case())
    assert outcome(unwatched) == (0, "passed")
    assert [(each.metric, each.gated) for each in unwatched.cases[0].comparisons] == [
        ("complete_s", True),
        ("in_flight_bytes", False),
    ]


@pytest.mark.parametrize(("wanted", "code", "verdict"), [(False, 0, "inconclusive"), (True, 3, "inconclusive")])
def test_an_open_case_fails_only_when_that_is_asked_for(
    wanted: bool, code: int, verdict: str, engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """A change at the very limit, in noise."""
    engine.noise, engine.cost = 0.03, {NEW: 1.035}
    document = gated(make_gate_case(), fail_on_inconclusive=wanted, rule=GateRule(settle_all=wanted))
    assert verdicts(document) == ["inconclusive"]
    assert outcome(document) == (code, verdict)


def test_leaning_controls_are_exit_5(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """However slow the new side looks; nothing is called slower, nothing has failed."""
    engine.cost = {CONTROL: 1.02, NEW: 1.2}
    document = gated(*(make_gate_case(number) for number in range(8)))
    assert outcome(document) == (5, "invalid")
    assert document.gate is not None
    assert document.gate.failed == []
    assert document.gate.reason.startswith("The control, the base in a second process, leans one way")
    assert set(verdicts(document)) == {"invalid"}
    assert [item.code for item in document.diagnostics] == ["control-leans"]


def break_side(engine: Any, trouble: str, side: str) -> None:
    """Let one side go wrong."""
    if trouble == "crash":
        engine.failing[side] = "ValueError: no"
    else:
        engine.disagreeing.add(side)


@pytest.mark.parametrize("side", ["base", "new"])
@pytest.mark.parametrize("trouble", ["crash", "disagreement"])
def test_a_side_that_goes_wrong_is_exit_6(
    trouble: str, side: str, engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """It crashes, or computes other values than the reference: the case and the side are named."""
    break_side(engine, trouble, side)
    document = gated(make_gate_case())
    assert outcome(document) == (6, "scenario-failed")
    assert verdicts(document) == ["invalid"]
    (told,) = document.diagnostics
    assert (told.code, told.case) == (trouble, "chain[n=0] async")
    # The control is the base once more, and may be the first to go wrong.
    assert told.text.startswith(f"chain[n=0] async: {side}")
    assert document.gate is not None
    assert document.gate.reason.startswith("chain[n=0] async cannot be trusted: ")


@pytest.mark.parametrize("trouble", ["crash", "disagreement"])
def test_a_side_that_goes_wrong_when_it_is_measured_again_is_exit_6(
    trouble: str, engine: Any, gated: RunGate, make_gate_case: MakeGateCase, at_confirmation: Callable[..., Nobody]
) -> None:
    """It was flagged and cannot be confirmed: that is no pass."""
    engine.cost[NEW] = 1.1
    document = gated(make_gate_case(), watcher=at_confirmation(lambda: break_side(engine, trouble, NEW)))
    assert outcome(document) == (6, "scenario-failed")
    assert "its fresh blocks are invalid" in document.says[0].text


def test_samples_that_drift_are_exit_5(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """The machine does not stand still, so that its times are none."""
    engine.drift = 0.02
    document = gated(make_gate_case())
    assert outcome(document) == (5, "invalid")
    assert [item.code for item in document.diagnostics] == ["drift"]


def test_an_interrupt_keeps_a_document(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """With 130, what was measured until then, and why it ends there."""
    engine.interrupt_at = 100
    document = gated(make_gate_case(1), make_gate_case(2))
    assert outcome(document) == (130, "inconclusive")
    assert not document.run.complete
    assert sum(len(case.blocks) for case in document.cases) > 0
    assert [item.code for item in document.diagnostics] == ["stopped-early"]
    assert document.gate is not None
    assert document.gate.reason.startswith("Stopped early: interrupted. ")


class Interrupting(Nobody):
    """Interrupts when the second measurement goes on to more blocks."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Interrupt."""
        if name == AGAIN:
            self.engine.interrupt_at = 0


def test_an_interrupt_does_not_hide_what_is_confirmed_already(
    engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """The verdict is a regression where the fresh blocks of one case were enough; the code is that of the interrupt."""
    clear, close = make_gate_case(1), make_gate_case(2)
    engine.cost.update({(clear.id, NEW): 1.1, (close.id, NEW): 1.035})
    document = gated(clear, close, watcher=Interrupting(engine))
    assert outcome(document) == (130, "regression")
    assert verdicts(document) == ["slower", "inconclusive"]


@pytest.mark.parametrize(
    ("limits", "code", "verdict", "says"),
    [
        ({"time_budget_s": 2.0}, 0, "inconclusive", "the time budget of 2 s is used up"),
        ({"time_budget_s": 2.0, "fail_on_inconclusive": True}, 3, "inconclusive", "the time budget of 2 s is used up"),
        ({"timeout_s": 2.0}, 124, "inconclusive", "the limit of 2 s is reached"),
        ({"timeout_s": 2.0, "time_budget_s": 1.0, "fail_on_inconclusive": True}, 3, "inconclusive", "the time budget"),
    ],
)
def test_time_that_is_up_keeps_a_document(
    limits: dict[str, Any],
    code: int,
    verdict: str,
    says: str,
    engine: Any,
    gated: RunGate,
    make_gate_case: MakeGateCase,
) -> None:
    """What is undecided stays so: a budget passes unless that is to fail, a timeout has a code of its own."""
    engine.cost[NEW] = 1.1
    document = gated(make_gate_case(1), make_gate_case(2), **limits)
    assert outcome(document) == (code, verdict)
    assert set(verdicts(document)) == {"inconclusive"}
    assert not document.run.complete
    assert document.gate is not None
    assert says in document.gate.reason


@pytest.mark.parametrize(
    ("spent_s", "share", "stops"), [(6.9, 0.7, False), (7.0, 0.7, True), (9.9, 1.0, False), (10.0, 1.0, True)]
)
def test_part_of_a_budget_is_kept_for_confirming(spent_s: float, share: float, stops: bool) -> None:
    """Of ten seconds the first measurement gets seven; a timeout is not shared out, and has its own code."""
    times = iter([100.0, *[100.0 + spent_s] * 3])
    budget = Deadlines(10.0, None, lambda: next(times), lambda: False)
    part = "" if share == 1.0 else "70 % of "
    assert (budget.reason(share), budget.code) == (f"{part}the time budget of 10 s is used up" if stops else "", 0)
    timeout = Deadlines(None, spent_s, iter([0.0, 0.99 * spent_s, spent_s]).__next__, lambda: False)
    assert [timeout.reason(share), timeout.reason(share)] == ["", f"the limit of {spent_s:g} s is reached"]
    assert timeout.code == 124


def test_time_that_is_up_after_the_last_block_changes_nothing(
    engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """Nothing was open any more."""
    whole = gated(make_gate_case())
    document = gated(make_gate_case(), timeout_s=whole.run.duration_s)
    assert outcome(document) == (0, "passed")
    assert document.run.complete


def test_sides_on_different_backends_are_no_comparison(engine: Any, make_gate_case: MakeGateCase) -> None:
    """A processor against a graphics card says nothing about two builds."""
    side = Side("x", "copy", "x", "python", ())
    request = GateRequest("check-1", ["check"], (make_gate_case(),), {}, GateRule(), 0, None)
    with pytest.raises(InvalidMeasurement, match=r"different backends \(x on cpu, x on metal\)"):
        run_gate(request, *(Probed(side, {"backend": name}, {}) for name in ("cpu", "metal")), engine.around())
    assert engine.workers == 0


def test_a_side_is_known_by_what_its_own_workers_say(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions are those its interpreter found, not those of this program."""
    monkeypatch.setattr(Side, "spawn", lambda side, device: engine.spawn)
    facts = {"python": "CPython 3.9", "packages": {"numpy": "1.0", "ezmsg-sigproc": "3.0", "mlx": "1.0"}}
    found = probed(Side("x", "copy", "x", "python", (), facts), None)
    assert (found.stable["numpy"], found.stable["python"]) == ("1.0", "CPython 3.9")
    assert found.stable["packages"] == {"ezmsg-sigproc": "3.0"}
    assert (found.stable["mlx"], found.stable["backend"]) == ("1.0", "fake")
    assert engine.open_workers == 0


def test_a_side_whose_worker_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever error the worker met, with its own exit code."""

    def broken(_: Any) -> Any:
        raise ScenarioFailed("no MLX here")

    monkeypatch.setattr(session, "probe", broken)
    with pytest.raises(ScenarioFailed, match=r"^env: no MLX here$"):
        probed(Side("env", "environment", "env", "python", ()), None)


def test_the_document_is_what_its_schema_says(engine: Any, gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """And comes back from its text as it was."""
    engine.cost[NEW] = 1.1
    document = gated(make_gate_case(limits={"complete_s": 0.03, "in_flight_bytes": 0.1}))
    text = document.to_json()
    jsonschema.validate(json.loads(text), json.loads(SCHEMA.read_text()))
    assert RunDocument.model_validate_json(text) == document
    assert document.method["confirmation"]["stages"] == list(CONFIRM_STAGES)


def blocks_of(case: CaseRecord, *, confirms: bool) -> list[CaseBlock]:
    """Return the blocks that the document of a gate holds of a case."""
    kept = [block for block in case.blocks if block.confirms is confirms]
    plain = [{**block.model_dump(), "case": case.id, "why": block.kind} for block in kept]
    return [block_from_record(each) for each in plain]


@pytest.mark.parametrize("seed", range(4))
def test_every_verdict_follows_from_the_blocks_kept(
    seed: int, engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """Who judges the blocks of a document again, by the rule that stands in it, finds what it says."""
    engine.noise, engine.seed = 0.02, seed
    cases = [make_gate_case(number, {"complete_s": 0.03, "in_flight_bytes": 0.1}) for number in range(4)]
    engine.cost.update({(cases[0].id, NEW): 1.1, (cases[1].id, NEW): 1.04, (cases[2].id, NEW): 0.9})
    document = RunDocument.model_validate_json(gated(*cases).to_json())
    first, again = ({case.id: blocks_of(case, confirms=part) for case in document.cases} for part in (False, True))
    rule = GateRule(tuple(document.method["stages"]))
    found = unsupported(compare(cases, first, rule))
    flagged = {each.case.id for each in found if each.flagged}
    assert {case_id for case_id, blocks in again.items() if blocks} == flagged
    suspects = [case for case in cases if case.id in flagged]
    repeats = compare(suspects, again, replace(rule, stages=CONFIRM_STAGES), controls=first)
    for finding, record in zip(
        confirmed(found, repeats), [each for case in document.cases for each in case.comparisons], strict=True
    ):
        verdict = finding.compared.verdict
        assert (record.verdict, record.reason, record.n_blocks) == (verdict.kind, verdict.reason, verdict.n_blocks)
        assert record.ratio == pytest.approx(verdict.ratio)
        assert record.p_adjusted == pytest.approx(finding.p_adjusted)
        assert (record.confirmation is not None) == (finding.repeat is not None)
        assert record.confirmation is None or record.confirmation.repeated is finding.confirmed


def test_a_side_that_loses_a_process_now_and_then_is_told(
    engine: Any, gated: RunGate, make_gate_case: MakeGateCase
) -> None:
    """One block that was lost is measured again, and passes with a warning that names the side."""
    engine.lost[NEW] = 1
    document = gated(make_gate_case())
    (warning,) = (each for each in document.diagnostics if each.code == "block-lost")
    assert "new: " in warning.text
    assert document.exit.code == 0


def test_sides_that_share_every_fact_are_told(gated: RunGate, make_gate_case: MakeGateCase) -> None:
    """Nothing but noise can differ between them, which a reader of a green gate should know."""
    codes = [each.code for each in gated(make_gate_case(), old_mlx="1.0").diagnostics]
    assert codes == ["sides-alike"]
    assert "sides-alike" not in [each.code for each in gated(make_gate_case()).diagnostics]


def test_sides_that_speak_another_protocol_are_not_compared(
    engine: Any, make_gate_case: MakeGateCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one would not do what the other is asked for."""
    monkeypatch.setattr(Side, "spawn", lambda side, device: engine.spawn)
    request = GateRequest("check-1", ["check"], (make_gate_case(),), {}, GateRule(), 0, None)
    side = Side("old", "copy", "old", "python", ("/x",))
    with pytest.raises(NothingComparable, match="speak protocol 1, those here 2"):
        run_gate(request, Probed(side, FACTS, {"protocol": 1}), Probed(side, FACTS, {"protocol": 2}), engine.around())
