"""The cases of a gate: which arms of which cases, and what can fail it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.bench.cases import Scenario
from placement_cli.errors import NothingComparable, UsageError
from placement_cli.gate.suite import ARM, BASE, NEW, GateCase, check_limits, gate_cases, limits_of
from placement_cli.measure.specs import Case, Reading
from placement_cli.settings.limits import Limit, LimitEntry, Limits

MakeScenario = Callable[..., Scenario]
MakeCase = Callable[..., Case]
ARMS = ("async", "sync", "off")


def always(_case: str, _arm: str, metric: str) -> float | None:
    """Limit the time of every comparison."""
    return 0.05 if metric == "complete_s" else None


def limits(*entries: LimitEntry, time: float | None = 0.03, memory: float | None = 0.1) -> Limits:
    """Return limits with these entries."""
    return Limits(Limit(time, "default"), Limit(memory, "default"), entries)


def entry(value: float | None, **where: str) -> LimitEntry:
    """Return an entry of a file."""
    return LimitEntry(value, "placement.toml:3", **where)


def ids(cases: tuple[GateCase, ...]) -> list[str]:
    """Return what the cases are called."""
    return [each.id for each in cases]


@pytest.fixture
def scenario(make_scenario: MakeScenario, make_case: MakeCase) -> Scenario:
    """A scenario of two cases with three arms; the second is its control case."""
    return make_scenario(make_case(ARMS, n=1), make_case(ARMS, n=2), control=1)


def test_each_arm_of_each_case_is_a_case_of_its_own(scenario: Scenario) -> None:
    """Its arms are the sides, which both do what that arm does; its parameters say which arm it is."""
    cases = gate_cases([scenario], always)
    assert ids(cases) == [f"chain[n={n}] {arm}" for n in (1, 2) for arm in ARMS]
    case = cases[1].case
    assert (case.base, [arm.name for arm in case.arms]) == (BASE, [BASE, NEW])
    assert {arm.mode for arm in case.arms} == {scenario.cases[0].arm("sync").mode}
    assert case.params == {"n": 1, ARM: "sync"}
    assert (case.scenario, case.pipeline) == ("chain", scenario.cases[0].pipeline)


def test_arms_are_chosen_by_globs(scenario: Scenario) -> None:
    """Any of several; the order of the scenario stays, its base first."""
    assert ids(gate_cases([scenario], always, ("off", "?sync"))) == [
        "chain[n=1] async",
        "chain[n=1] off",
        "chain[n=2] async",
        "chain[n=2] off",
    ]


def test_a_glob_that_fits_no_arm_is_refused(scenario: Scenario) -> None:
    """The nearest is named."""
    with pytest.raises(UsageError, match=r"--arms asinc: no arm .* Did you mean 'async'\?"):
        gate_cases([scenario], always, ("sync", "asinc"))


def test_a_quick_gate_takes_the_control_case_and_two_arms(scenario: Scenario) -> None:
    """The base and the first arm after it; all arms that are asked for."""
    assert ids(gate_cases([scenario], always, quick=True)) == ["chain[n=2] async", "chain[n=2] sync"]
    assert ids(gate_cases([scenario], always, ("*",), quick=True)) == [f"chain[n=2] {arm}" for arm in ARMS]


def test_a_quick_gate_takes_the_first_case_without_a_control(make_scenario: MakeScenario, make_case: MakeCase) -> None:
    """Where nothing is compared in the scenario itself."""
    lone = make_scenario(make_case(("async",), n=1), make_case(("async",), n=2))
    assert ids(gate_cases([lone], always, quick=True)) == ["chain[n=1] async"]


def test_what_no_limit_watches_is_left_out(scenario: Scenario) -> None:
    """It would cost time and could never say anything."""
    found = gate_cases([scenario], lambda case, arm, metric: 0.1 if arm == "off" else None)
    assert ids(found) == ["chain[n=1] off", "chain[n=2] off"]


def test_a_gate_that_could_never_fail_is_none(scenario: Scenario) -> None:
    """With every limit off there is nothing to compare: that is no pass."""
    with pytest.raises(NothingComparable, match="every limit is off"):
        gate_cases([scenario], limits_of(limits(time=None, memory=None), [scenario]))


def test_time_and_memory_have_limits_of_their_own(scenario: Scenario) -> None:
    """A gate watches the metric verdicts rest on, and bytes in flight."""
    (first, *_) = gate_cases([scenario], limits_of(limits(), [scenario]))
    assert first.limits == {"complete_s": 0.03, "in_flight_bytes": 0.1}


def test_memory_can_gate_alone(scenario: Scenario) -> None:
    """With the limit of time off."""
    (first, *_) = gate_cases([scenario], limits_of(limits(time=None), [scenario]))
    assert first.limits == {"in_flight_bytes": 0.1}


def test_a_limit_holds_where_its_entry_says(scenario: Scenario) -> None:
    """For a case, an arm and a metric; the last entry that covers a comparison wins, and may turn it off."""
    given = limits(
        entry(0.2, cases="chain[n=1]"),
        entry(0.3, arm="off", metric="complete_s"),
        entry(None, cases="chain[n=2]", arm="sync", metric="memory"),
    )
    found = {each.id: each.limits for each in gate_cases([scenario], limits_of(given, [scenario]))}
    assert found == {
        "chain[n=1] async": {"complete_s": 0.2, "in_flight_bytes": 0.2},
        "chain[n=1] sync": {"complete_s": 0.2, "in_flight_bytes": 0.2},
        "chain[n=1] off": {"complete_s": 0.3, "in_flight_bytes": 0.2},
        "chain[n=2] async": {"complete_s": 0.03, "in_flight_bytes": 0.1},
        "chain[n=2] sync": {"complete_s": 0.03},
        "chain[n=2] off": {"complete_s": 0.3, "in_flight_bytes": 0.1},
    }


@pytest.mark.parametrize(
    ("given", "watched"),
    [
        ({}, {"latency_s"}),
        ({"metric": "latency_p95_s"}, {"latency_s", "latency_p95_s"}),
        ({"metric": "time"}, {"latency_s"}),
    ],
)
def test_other_metrics_are_watched_when_they_are_named(
    given: dict[str, str], watched: set[str], make_scenario: MakeScenario, make_case: MakeCase
) -> None:
    """By their key; an entry for all times does not ask for more of them."""
    paced = make_scenario(make_case(reading=Reading.PACED))
    entries = (entry(0.05, **given),) if given else ()
    (first, *_) = gate_cases([paced], limits_of(limits(*entries), [paced]))
    assert set(first.limits) == watched


@pytest.mark.parametrize(
    "where", [{"cases": "chian*"}, {"arm": "async "}, {"metric": "latency_s"}, {"cases": "chain[n=3]", "arm": "*"}]
)
def test_an_entry_that_covers_nothing_is_refused(where: dict[str, str], scenario: Scenario) -> None:
    """Most likely it is a typing mistake, and the gate would be weaker than its author thinks."""
    with pytest.raises(UsageError, match=r"placement\.toml:3: this limit covers nothing"):
        check_limits(limits(entry(0.1, cases="chain*"), entry(0.1, **where)), [scenario])


def test_an_entry_that_another_overrides_covers_something(scenario: Scenario) -> None:
    """So nothing is wrong with it."""
    check_limits(limits(entry(0.1), entry(None)), [scenario])


def test_cases_of_all_scenarios_are_gated(make_scenario: MakeScenario, make_case: Any) -> None:
    """In the order given."""
    scenarios = [make_scenario(make_case(("async",), scenario=name)) for name in ("one", "two")]
    assert ids(gate_cases(scenarios, always)) == ["one[] async", "two[] async"]
