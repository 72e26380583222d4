"""Which sentences belong to which kind of reading."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.metrics import METRICS
from placement_cli.bench.says.comparisons import say_comparisons
from placement_cli.bench.says.quantities import (
    say_deadlines,
    say_host_shares,
    say_pending,
    say_prices,
    say_stalls,
)
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import CaseRecord, Saying, ScenarioRecord


def say_scenario(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> list[Saying]:
    """Return the sentences of one scenario, what was compared first."""
    if not cases:
        return []
    reading = Reading(cases[0].reading)
    says = say_comparisons(cases, [metric.key for metric in METRICS[reading]])
    match reading:
        case Reading.STREAM:
            says += say_host_shares(cases)
        case Reading.BURST:
            says += say_prices(scenario, cases)
        case Reading.QUEUE:
            says += say_stalls(cases)
        case Reading.PENDING:
            says += say_pending(cases)
        case Reading.PACED:
            says += say_deadlines(cases)
    return says
