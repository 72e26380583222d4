"""From scenarios to what will be measured, refused where a case cannot fit into the memory of the machine."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.cases import Scenario
from placement_cli.bench.footprint import check_memory
from placement_cli.bench.run import ScenarioPlan

QUICK_STAGES = (6,)
"""A quick run takes as many blocks as a verdict needs, and no more."""
MEMORY_SHARE = 0.8
"""A case may need this share of the free memory."""


def plan_scenarios(scenarios: Sequence[Scenario], free_bytes: int, *, control: bool = True) -> tuple[ScenarioPlan, ...]:
    """Return the plans of `scenarios`; raises UsageError for a case that needs more than the memory allows."""
    for scenario in scenarios:
        check_memory(scenario.cases, int(MEMORY_SHARE * free_bytes))
    return tuple(
        ScenarioPlan(
            scenario.name, scenario.question, scenario.cases, _control(scenario) if control else None, scenario.notes
        )
        for scenario in scenarios
    )


def _control(scenario: Scenario) -> str | None:
    """Return the case that carries the control; none where nothing is compared."""
    compares = any(case.others for case in scenario.cases)
    return scenario.control_case if compares else None
