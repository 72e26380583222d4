"""The measurement of `placement advise --verify`: the best placements run here, and the advice follows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil

from placement_cli.advice.advice import Estimate, MeasuredPlacement
from placement_cli.advice.verifying import TAIL, to_measure, verified
from placement_cli.bench.measured import MeasuredArm, Middle, measured_from
from placement_cli.bench.placements import measure_placements, placements_request, placements_scenario
from placement_cli.cli.bench_steps import watched
from placement_cli.errors import Interrupted, ScenarioFailed, UsageError
from placement_cli.units import parse_duration

if TYPE_CHECKING:
    from placement_cli.advice.advice import Advice
    from placement_cli.cli.advise_steps import AdviseOptions


def verify(advice: Advice, options: AdviseOptions) -> Advice:
    """Measure the placements that matter and return the advice that follows from it.

    Raises UsageError for a graph whose nodes cannot all be run, ScenarioFailed when nothing could be measured.
    """
    scenario = placements_scenario(
        advice.graph, to_measure(advice), TAIL, origin=str(options.graph), quick=options.quick
    )
    request = placements_request(
        scenario,
        psutil.virtual_memory().available,
        argv=sys.argv[1:],
        seed=options.seed,
        device=advice.graph.device,
        quick=options.quick,
        time_budget_s=_budget_s(options.time_budget),
    )
    with watched(request, quiet=options.quiet or options.as_json) as around:
        kept = measure_placements(request, around, options.out)
    if kept.document.exit.code == Interrupted.exit_code:
        raise Interrupted(f"stopped while measuring; what was measured is kept in {kept.path}.")
    arms = measured_from(kept.document, scenario.same)
    if not arms:
        raise ScenarioFailed(f"{options.graph}: nothing could be measured; {kept.path} says why.")
    return verified(advice, [_measured(arm) for arm in arms], str(kept.path))


def _measured(arm: MeasuredArm) -> MeasuredPlacement:
    return MeasuredPlacement(
        arm.name,
        _estimate(arm.period_s),
        _estimate(arm.host_s),
        _estimate(arm.latency_s) if arm.latency_s else None,
        _estimate(arm.in_flight_bytes),
        _estimate(arm.ratio) if arm.ratio else None,
    )


def _estimate(middle: Middle) -> Estimate:
    """Return a median with its interval; without one it is the value alone, which then decides nothing."""
    low = middle.value if middle.low is None else middle.low
    high = middle.value if middle.high is None else middle.high
    return Estimate(middle.value, low, high)


def _budget_s(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return parse_duration(text)
    except ValueError as error:
        raise UsageError(f"--time-budget {text}: {error}") from None
