"""Which sentences belong to which kind of reading."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.metrics import METRICS
from placement_cli.bench.says.comparisons import say_comparisons
from placement_cli.bench.says.faults import fault_reason, say_faults
from placement_cli.bench.says.quantities import (
    say_deadlines,
    say_pending,
    say_prices,
    say_stalls,
    say_waits,
)
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import CaseRecord, Saying, ScenarioRecord


def say_scenario(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> list[Saying]:
    """Return the sentences of one scenario: what was compared, other quantities, and what cannot be trusted."""
    named = [_told_apart(case, cases) for case in cases]
    sound = [case for case in named if not fault_reason(case)]
    return [*(_say_sound(scenario, sound) if sound else ()), *say_faults(named)]


def _say_sound(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> list[Saying]:
    reading = Reading(cases[0].reading)
    says = say_comparisons(cases, [metric.key for metric in METRICS[reading]])
    match reading:
        case Reading.STREAM:
            says += say_waits(cases)
        case Reading.BURST:
            says += say_prices(scenario, cases)
        case Reading.QUEUE:
            says += say_stalls(cases)
        case Reading.PENDING:
            says += say_pending(cases)
        case Reading.PACED:
            says += say_deadlines(cases)
    return says


def _told_apart(case: CaseRecord, cases: Sequence[CaseRecord]) -> CaseRecord:
    """Return `case` with the parameters alone that tell it from the others; a lone case keeps them all."""
    varying = {key: value for key, value in case.params.items() if any(o.params.get(key) != value for o in cases)}
    return case.model_copy(update={"params": varying}) if varying else case
