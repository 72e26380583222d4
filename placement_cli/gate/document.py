"""From what a gate found to its document: pure, so that the same blocks always give the same document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from typing import Any, Literal

from placement_cli.bench.document import block_record, case_record, comparison_record, method_facts
from placement_cli.bench.judge import LEAST_BLOCKS, Fault
from placement_cli.bench.run import Method
from placement_cli.errors import (
    EXIT_NAMES,
    InconclusiveResult,
    InvalidMeasurement,
    RegressionFound,
    strongest,
)
from placement_cli.gate.judging import ALPHA, Finding, GateRule, faults
from placement_cli.gate.measuring import CONFIRM_STAGES, Outcome
from placement_cli.gate.saying import headline, says, undecided
from placement_cli.gate.side import Side
from placement_cli.gate.suite import GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.noise_floor import MIN_EFFECT
from placement_cli.store.fingerprint import differences, fingerprint
from placement_cli.store.run_document import (
    CaseRecord,
    Comparison,
    Confirmation,
    Diagnostic,
    Environment,
    ExitRecord,
    GateRecord,
    RunDocument,
    RunFacts,
    ScenarioRecord,
    SideRecord,
    ToolRecord,
)

GateVerdict = Literal["passed", "regression", "inconclusive", "nothing-comparable", "invalid", "scenario-failed"]
VERDICTS: Mapping[int, GateVerdict] = {
    0: "passed",
    1: "regression",
    3: "inconclusive",
    5: "invalid",
    6: "scenario-failed",
}
"""What a gate's verdict is called, by the exit code that its cases ask for."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is known of a gate besides its numbers: the sides and their stable facts, and how it ended.

    `env_stable` are the facts that every run on this set-up shares. `halted` is the exit code of what cut it short (an
    interrupt, `--timeout`), 0 when nothing did.
    """

    base: Side
    new: Side
    base_stable: Mapping[str, Any]
    new_stable: Mapping[str, Any]
    env_stable: Mapping[str, Any]
    harness: Mapping[str, Any]
    questions: Mapping[str, str]
    rule: GateRule
    fail_on_inconclusive: bool = False
    halted: int = 0
    diagnostics: Sequence[Diagnostic] = ()


def gate_document(run: RunFacts, tool: ToolRecord, outcome: Outcome, about: Measuring) -> RunDocument:
    """Return the document of a gate, with the exit code it ends with."""
    findings = outcome.findings
    found = {
        **faults(outcome.cases, outcome.measured.again.blocks),
        **faults(outcome.cases, outcome.measured.first.blocks),
    }
    failed = sorted({each.case.id for each in findings if _fails(each)})
    code = _code(outcome, found, failed, about)
    return RunDocument(
        tool=tool,
        run=run,
        env=_environment(about),
        method=_method(about.rule),
        scenarios=_scenarios(outcome, about.questions),
        cases=[_case(each, outcome) for each in outcome.cases],
        says=list(says(findings, about.base.given)),
        exit=ExitRecord(code=code, name=EXIT_NAMES[code]),
        diagnostics=[*about.diagnostics, *_diagnostics(outcome, found)],
        gate=_gate(outcome, found, failed, about),
    )


def _fails(each: Finding) -> bool:
    """Tell whether a comparison fails the gate: confirmed, or flagged where no confirmation was asked for."""
    return each.confirmed or (each.flagged and each.repeat is None)


def _code(outcome: Outcome, found: Mapping[str, Fault], failed: Sequence[str], about: Measuring) -> int:
    codes = [_own_code(outcome, found, failed), about.halted]
    if about.fail_on_inconclusive and any(map(undecided, outcome.findings)):
        codes.append(InconclusiveResult.exit_code)
    return strongest(codes)


def _own_code(outcome: Outcome, found: Mapping[str, Fault], failed: Sequence[str]) -> int:
    """Return the exit code of what was measured, whatever cut it short."""
    codes = [fault.exit_code for fault in found.values()]
    codes += [InvalidMeasurement.exit_code] if outcome.bias else []
    codes += [RegressionFound.exit_code] if failed and not outcome.bias else []
    return strongest(codes)


def _gate(outcome: Outcome, found: Mapping[str, Fault], failed: Sequence[str], about: Measuring) -> GateRecord:
    code = _own_code(outcome, found, failed)
    gated = [each for each in outcome.findings if each.gated]
    unsettled = any(map(undecided, gated))
    cut_short = about.fail_on_inconclusive or outcome.measured.stopped
    open_ended = about.halted or (unsettled and cut_short) or all(map(undecided, gated))
    verdict = "inconclusive" if code == 0 and open_ended else VERDICTS[code]
    return GateRecord(
        verdict=verdict,
        reason=_reason(outcome, found, failed, about),
        base=_side(about.base, about.base_stable),
        new=_side(about.new, about.new_stable),
        differs=differences(about.base_stable, about.new_stable),
        cases=len(outcome.cases),
        compared=sum(each.gated for each in outcome.findings),
        failed=list(failed),
    )


def _reason(outcome: Outcome, found: Mapping[str, Fault], failed: Sequence[str], about: Measuring) -> str:
    """Return the sentence of the verdict: what spoils the measurement first, then what it shows."""
    if outcome.bias:
        return outcome.bias
    said = headline(outcome.findings, failed, about.base.given)
    if found:
        case_id, fault = next(iter(found.items()))
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return f"{case_id}{more} cannot be trusted: {fault.reason.rstrip('.')}. {said}"
    if outcome.measured.stopped:
        return f"Stopped early: {outcome.measured.stopped}. {said}"
    return said


def _side(side: Side, stable: Mapping[str, Any]) -> SideRecord:
    return SideRecord(
        given=side.given, kind=side.kind, resolved=side.resolved, fingerprint=fingerprint(stable), stable=dict(stable)
    )


def _environment(about: Measuring) -> Environment:
    stable = dict(about.env_stable)
    return Environment(fingerprint=fingerprint(stable), stable=stable, harness=dict(about.harness))


def _method(rule: GateRule) -> dict[str, Any]:
    return {
        **method_facts(Method(MIN_EFFECT, rule.stages)),
        "design": "fresh processes of base, base again (control) and new in every block, driven in lock-step",
        "min_effect": "the limit of each comparison",
        "question": "settle every case" if rule.settle_all else "is the new side slower?",
        "alpha": ALPHA,
        "confirmation": {"stages": list(CONFIRM_STAGES), "order": "that of the first blocks, turned round"},
    }


def _scenarios(outcome: Outcome, questions: Mapping[str, str]) -> list[ScenarioRecord]:
    names = list(dict.fromkeys(each.case.scenario for each in outcome.cases))
    return [
        ScenarioRecord(
            name=name, question=questions.get(name, ""), noise_floor=_noise(name, outcome), control_case=None
        )
        for name in names
    ]


def _noise(scenario: str, outcome: Outcome) -> float | None:
    """Return the middle of the noise floors of a scenario's cases, as a relative change."""
    floors = [
        exp(each.compared.floor.noise) - 1
        for each in outcome.findings
        if each.case.case.scenario == scenario
        and each.gated
        and each.compared.metric.unit == "s"
        and len(each.compared.log_ratios) >= LEAST_BLOCKS
    ]
    return median(floors) if floors else None


def _case(each: GateCase, outcome: Outcome) -> CaseRecord:
    first = outcome.measured.first.blocks.get(each.id, [])
    again = outcome.measured.again.blocks.get(each.id, [])
    comparisons = [_comparison(found) for found in outcome.findings if found.case.id == each.id]
    record = case_record(each.case, first, comparisons)
    repeats = [block_record(block).model_copy(update={"confirms": True}) for block in again]
    return record.model_copy(update={"blocks": [*record.blocks, *repeats]})


def _comparison(found: Finding) -> Comparison:
    record = comparison_record(found.compared, found.p_adjusted)
    return record.model_copy(update={"gated": found.gated, "confirmation": _confirmation(found)})


def _confirmation(found: Finding) -> Confirmation | None:
    if found.repeat is None:
        return None
    verdict = found.repeat.verdict
    interval = verdict.interval
    return Confirmation(
        ratio=verdict.ratio,
        ci=None if interval is None else (interval.low, interval.high),
        n_blocks=verdict.n_blocks,
        repeated=found.confirmed,
        reason=verdict.reason,
    )


def _diagnostics(outcome: Outcome, found: Mapping[str, Fault]) -> list[Diagnostic]:
    told: list[Diagnostic] = []
    if outcome.bias:
        told.append(Diagnostic(level="error", code="control-leans", text=outcome.bias))
    told += [
        Diagnostic(level="error", code=fault.kind, text=f"{case_id}: {fault.reason.rstrip('.')}.", case=case_id)
        for case_id, fault in found.items()
    ]
    told += [
        _lost(each.id, block) for each in outcome.cases for block in _crashed(each, outcome) if each.id not in found
    ]
    if outcome.measured.stopped:
        text = f"stopped early, {outcome.measured.stopped}."
        told.append(Diagnostic(level="warning", code="stopped-early", text=text))
    return told


def _crashed(each: GateCase, outcome: Outcome) -> list[CaseBlock]:
    taken = [*outcome.measured.first.blocks.get(each.id, ()), *outcome.measured.again.blocks.get(each.id, ())]
    return [block for block in taken if block.kind == "crash"]


def _lost(case_id: str, block: CaseBlock) -> Diagnostic:
    text = f"{case_id}: a block was lost and measured again: {block.reason.rstrip('.')}."
    return Diagnostic(level="warning", code="block-lost", text=text, case=case_id)
