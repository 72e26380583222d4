"""From what was measured to the document of the run: pure, so that the same blocks always give the same document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Literal

from placement_cli.bench.estimates import case_estimates, scenario_estimates
from placement_cli.bench.journal_records import sample_to_record
from placement_cli.bench.judge import CONTROL_LEANS, Compared, Fault, Judge, control_lean
from placement_cli.bench.run import Method, ScenarioPlan, make_judge
from placement_cli.bench.says import say_scenario
from placement_cli.bench.stages import Progress
from placement_cli.bench.summaries import summarise_arm
from placement_cli.errors import EXIT_NAMES, strongest
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.specs import Case
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.family import holm_adjusted, lean
from placement_cli.store.run_document import (
    BlockRecord,
    CaseRecord,
    Comparison,
    Diagnostic,
    Environment,
    ExitRecord,
    RunDocument,
    RunFacts,
    SampleRecord,
    Saying,
    ScenarioRecord,
    ToolRecord,
)


@dataclass(frozen=True, slots=True)
class Finished:
    """One scenario with everything measured of it, and why it stopped early (or an empty string)."""

    plan: ScenarioPlan
    progress: Progress
    stopped: str = ""


def build_document(
    run: RunFacts,
    env: Environment,
    tool: ToolRecord,
    method: Method,
    finished: Sequence[Finished],
    diagnostics: Sequence[Diagnostic],
    interrupted: bool,
) -> RunDocument:
    """Judge every case of every scenario and put it all into one document."""
    cases: list[CaseRecord] = []
    scenarios: list[ScenarioRecord] = []
    says: list[Saying] = []
    bias = _bias(finished)
    found = [*diagnostics]
    if bias:
        found.append(Diagnostic(level="error", code=CONTROL_LEANS, text=bias))
    codes = [130] if interrupted else []
    for each in finished:
        judge = make_judge(each.plan, each.progress, method, bias)
        faults = _faults(each, judge)
        records = _case_records(each, judge)
        scenario = _scenario_record(each, judge, faults)
        codes += [fault.exit_code for fault in faults.values()]
        cases += records
        scenarios.append(scenario)
        says += say_scenario(scenario, records)
        found += [Diagnostic(level="info", code="as-run", text=note) for note in each.plan.notes]
        found += _case_diagnostics(each, faults)
        if each.stopped:
            text = f"{each.plan.name}: stopped early, {each.stopped}."
            found.append(Diagnostic(level="warning", code="stopped-early", text=text))
    code = strongest(codes)
    return RunDocument(
        tool=tool,
        run=run,
        env=env,
        method=method_facts(method),
        scenarios=scenarios,
        cases=cases,
        says=says,
        exit=ExitRecord(code=code, name=EXIT_NAMES[code]),
        diagnostics=found,
    )


def method_facts(method: Method) -> dict[str, Any]:
    """Return how the run decides, for the document and the journal."""
    return {
        "design": "fresh process per arm and block, driven in lock-step",
        "order": "random ABBA or BAAB; cyclic Latin square for more than two arms",
        "interval": "order statistics of the median over blocks",
        "level": 0.95,
        "correction": "holm (p_adjusted)",
        "min_effect": method.min_effect,
        "stages": list(method.stages),
    }


def _faults(each: Finished, judge: Judge) -> dict[str, Fault]:
    """Return why cases are not trusted, by case id, for those that are not."""
    faults = {case.id: judge.fault(each.progress.of(case)) for case in each.plan.cases}
    return {case_id: fault for case_id, fault in faults.items() if fault is not None}


def _case_records(each: Finished, judge: Judge) -> list[CaseRecord]:
    compared = {
        case.id: judge.compare(case, each.progress.of(case), exhausted=bool(each.stopped)) for case in each.plan.cases
    }
    adjusted = _adjust([item for items in compared.values() for item in items])
    return [_case_record(case, each.progress.of(case), compared[case.id], adjusted) for case in each.plan.cases]


def _scenario_record(each: Finished, judge: Judge, faults: Mapping[str, Fault]) -> ScenarioRecord:
    noise = next(iter(judge.noise.values()), None)
    return ScenarioRecord(
        name=each.plan.name,
        question=each.plan.question,
        noise_floor=None if noise is None else exp(noise) - 1,
        control_case=each.plan.control_case,
        estimates=scenario_estimates([case for case in each.plan.cases if case.id not in faults], each.progress.blocks),
    )


def _case_diagnostics(each: Finished, faults: Mapping[str, Fault]) -> Iterator[Diagnostic]:
    """Yield which cases are not to be trusted, and which lost a block that was measured again."""
    for case in each.plan.cases:
        lost = [block for block in each.progress.of(case) if block.kind == "crash"]
        if case.id in faults:
            fault = faults[case.id]
            if fault.kind != "bias":
                yield _about(case, "error", fault.kind, fault.reason)
        elif lost:
            yield _about(case, "warning", "block-lost", f"a block was lost and measured again: {lost[-1].reason}")


def _about(case: Case, level: Literal["warning", "error"], code: str, what: str) -> Diagnostic:
    return Diagnostic(level=level, code=code, text=f"{case.id}: {what.rstrip('.')}.", case=case.id)


def _adjust(compared: Iterable[Compared]) -> dict[int, float]:
    """Return Holm's adjusted p-value of each comparison that has one, by identity."""
    tested = [each for each in compared if each.verdict.p_value is not None]
    values = holm_adjusted([each.verdict.p_value or 0.0 for each in tested])
    return {id(each): value for each, value in zip(tested, values, strict=True)}


def _case_record(
    case: Case, blocks: Sequence[CaseBlock], compared: Sequence[Compared], adjusted: Mapping[int, float]
) -> CaseRecord:
    return case_record(case, blocks, [comparison_record(each, adjusted.get(id(each))) for each in compared])


def case_record(case: Case, blocks: Sequence[CaseBlock], comparisons: Sequence[Comparison]) -> CaseRecord:
    """Return everything of one case as documents hold it."""
    labels = [arm.name for arm in case.arms] + [CONTROL] * any(CONTROL in block.pids for block in blocks)
    summaries = {label: summarise_arm(blocks, label) for label in labels}
    arms = {arm.name: {**arm.to_json(), "mode": arm.label} for arm in case.arms}
    return CaseRecord(
        id=case.id,
        scenario=case.scenario,
        reading=str(case.reading),
        params=dict(case.params),
        base=case.base,
        pipeline=case.pipeline.to_json(),
        arms=arms,
        blocks=[block_record(block) for block in blocks],
        summary={label: summary for label, summary in summaries.items() if summary is not None},
        comparisons=list(comparisons),
        estimates=case_estimates(case, blocks),
    )


def block_record(block: CaseBlock) -> BlockRecord:
    """Return a block as documents hold it."""
    return BlockRecord(
        index=block.index,
        valid=block.valid,
        kind=block.kind,
        reason=block.reason,
        messages=block.messages,
        start_order=list(block.start_order),
        pids=dict(block.pids),
        errors=dict(block.errors),
        state=[dict(state) for state in block.state],
        samples=[SampleRecord.model_validate(sample_to_record(taken)) for taken in block.samples],
    )


def comparison_record(each: Compared, p_adjusted: float | None) -> Comparison:
    """Return a comparison as documents hold it, with its p-value adjusted for its family."""
    verdict = each.verdict
    interval = verdict.interval
    return Comparison(
        base=each.base,
        new=each.new,
        metric=each.metric.key,
        ratio=verdict.ratio,
        ci=None if interval is None else (interval.low, interval.high),
        ci_level=None if interval is None else interval.coverage,
        bootstrap_ci=each.bootstrap,
        n_blocks=verdict.n_blocks,
        noise_floor=exp(each.floor.noise) - 1,
        limit=exp(each.floor.value) - 1,
        same_within=exp(each.floor.margin) - 1,
        p=verdict.p_value,
        p_adjusted=p_adjusted,
        verdict=verdict.kind.value,
        reason=verdict.reason,
        blocks_needed=verdict.blocks_needed,
    )


def _bias(finished: Sequence[Finished]) -> str:
    """Return why the whole run is not trusted: the control arms lean one way, so the design itself is biased."""
    medians = [
        middle
        for each in finished
        for case in each.plan.cases
        if case.id == each.plan.control_case
        for middle in [control_lean(case, each.progress.of(case))]
        if middle is not None
    ]
    if not medians or not (leaning := lean(medians)).leans:
        return ""
    return (
        f"The control, the same arm in a second process, leans one way in {max(leaning.up, leaning.down)} of "
        f"{leaning.cases} scenarios (p = {leaning.p_value:.2g}): the run is biased, its verdicts are invalid."
    )
