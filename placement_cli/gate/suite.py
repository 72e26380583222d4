"""The cases of a gate: one arm of one case of a scenario, run by either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from placement_cli.bench.cases import Scenario
from placement_cli.bench.metrics import IN_FLIGHT, METRICS, primary
from placement_cli.errors import NothingComparable, UsageError, did_you_mean
from placement_cli.located.globs import glob_matches
from placement_cli.located.places import quoted
from placement_cli.measure.specs import Arm, Case, Reading
from placement_cli.settings.limits import Limits

BASE, NEW = "base", "new"
"""The arms of a gate's case: the side that is compared against, and this installation."""
ARM = "arm"
"""The parameter of a gate's case that holds the arm of its scenario."""
QUICK_ARMS = 2
"""Arms of a case that a quick gate takes: the base of its scenario and the first arm after it."""

FindLimit = Callable[[str, str, str], float | None]
"""Returns the limit of a comparison, as a relative change, None where it cannot fail the gate.

It is asked with the id of the scenario's case, the name of its arm and the key of the metric."""


@dataclass(frozen=True, slots=True)
class GateCase:
    """What a gate measures once: `case` has the arms `base` and `new`, which do the same.

    `limits` holds the largest change, by key of the metric, for those that can fail the gate. With `one_core` each
    worker keeps to one core, which its id says too: it is another condition.
    """

    case: Case
    limits: Mapping[str, float] = field(default_factory=dict, hash=False)
    one_core: bool = False

    @property
    def id(self) -> str:
        """Its id, as documents carry it."""
        return self.case.id


def gate_cases(
    scenarios: Sequence[Scenario], limit: FindLimit, arms: Sequence[str] = (), *, quick: bool = False
) -> tuple[GateCase, ...]:
    """Return the cases of a gate over `scenarios`, of the arms that match one of the globs `arms` where there are any.

    What no limit watches is left out. With `quick` each scenario's control case alone, two of its arms where none are
    asked for, and no queue that is filled behind held work: one sample of it takes half a second. Raises UsageError for
    a glob that no arm matches, NothingComparable when no comparison is left that could fail.
    """
    _check_globs(arms, scenarios)
    pairs = [pair for scenario in scenarios for pair in _pairs(scenario, arms, quick)]
    found = tuple(each for each in (_gate_case(case, arm, limit) for case, arm in pairs) if each.limits)
    if not found:
        raise NothingComparable("No case is left that could fail: every limit is off, or no arm is asked for.")
    return found


def _check_globs(arms: Sequence[str], scenarios: Sequence[Scenario]) -> None:
    known = list(dict.fromkeys(arm.name for each in scenarios for case in each.cases for arm in case.arms))
    for glob in arms:
        if not any(glob_matches(glob, name) for name in known):
            raise UsageError(f"--arms {glob}: no arm of these scenarios matches. {did_you_mean(glob, known)}")


def _pairs(scenario: Scenario, arms: Sequence[str], quick: bool) -> Iterator[tuple[Case, Arm]]:
    cases = scenario.cases
    if quick and scenario.reading is Reading.QUEUE:
        return
    if quick:
        cases = tuple(case for case in cases if case.id == scenario.control_case) or cases[:1]
    for case in cases:
        chosen = [arm for arm in _base_first(case) if not arms or any(glob_matches(glob, arm.name) for glob in arms)]
        yield from ((case, arm) for arm in (chosen[:QUICK_ARMS] if quick and not arms else chosen))


def _base_first(case: Case) -> list[Arm]:
    return [case.arm(case.base), *case.others]


def _gate_case(case: Case, arm: Arm, limit: FindLimit) -> GateCase:
    limits = {
        metric.key: found
        for metric in METRICS[case.reading]
        if (found := limit(case.id, arm.name, metric.key)) is not None
    }
    sides = (replace(arm, name=BASE), replace(arm, name=NEW))
    params = {**case.params, ARM: arm.name}
    return GateCase(replace(case, id=f"{case.id} {arm.name}", arms=sides, base=BASE, params=params), limits)


def limits_of(limits: Limits, scenarios: Sequence[Scenario]) -> FindLimit:
    """Return how `limits` are asked: what a gate watches by itself, and any other metric that an entry names.

    By itself it watches the metric that verdicts of a reading rest on, and the bytes in flight.
    """
    readings = {case.id: case.reading for scenario in scenarios for case in scenario.cases}

    def limit(case_id: str, arm: str, metric: str) -> float | None:
        watched = metric in (primary(readings[case_id]).key, IN_FLIGHT.key)
        found = limits.limit_for(case_id, arm, metric)
        return found.value if watched or found.named else None

    return limit


def check_limits(limits: Limits, scenarios: Sequence[Scenario]) -> None:
    """Refuse an entry of `limits` that covers nothing of `scenarios`; raises UsageError."""
    every = (
        (case.id, arm.name, metric.key)
        for scenario in scenarios
        for case in scenario.cases
        for arm in case.arms
        for metric in METRICS[case.reading]
    )
    for entry in limits.unmatched(every):
        asked = f"cases {quoted(entry.cases)}, arm {quoted(entry.arm)}, metric {quoted(entry.metric)}"
        raise UsageError(f"{entry.origin}: this limit covers nothing that is measured here ({asked}).")
