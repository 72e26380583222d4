"""From scenarios to what will be measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.bench.cases import Scenario
from placement_cli.bench.footprint import case_bytes
from placement_cli.bench.plans import MEMORY_SHARE, plan_scenarios
from placement_cli.bench.run import Method
from placement_cli.errors import UsageError
from placement_cli.measure.specs import Case, Reading

MakeCase = Callable[..., Case]


def scenario(cases: Sequence[Case], control: str | None) -> Scenario:
    """A scenario of these cases."""
    names = tuple(arm.name for arm in cases[0].arms)
    return Scenario("chain", "How much?", Reading.STREAM, tuple(cases), control, names[0], names, {}, {}, "here")


def test_the_control_is_the_case_that_was_chosen(make_case: MakeCase) -> None:
    """Where arms are compared the scenario's control case runs its base twice."""
    cases = [make_case(n=n) for n in range(2)]
    (plan,) = plan_scenarios([scenario(cases, cases[1].id)], 2**30)
    assert (plan.name, plan.question, plan.cases) == ("chain", "How much?", tuple(cases))
    assert plan.control_case == cases[1].id


def test_no_control_where_none_is_wanted(make_case: MakeCase) -> None:
    """A run can do without the control."""
    case = make_case()
    (plan,) = plan_scenarios([scenario([case], case.id)], 2**30, control=False)
    assert plan.control_case is None


def test_no_control_where_nothing_is_compared(make_case: MakeCase) -> None:
    """A lone arm needs no noise floor."""
    case = make_case(("async",))
    (plan,) = plan_scenarios([scenario([case], case.id)], 2**30)
    assert plan.control_case is None


def test_a_case_that_does_not_fit_is_refused(make_case: MakeCase) -> None:
    """A case that needs more than its share of the free memory is named, before anything is measured."""
    case = make_case()
    enough = case_bytes(case) / MEMORY_SHARE
    assert plan_scenarios([scenario([case], None)], int(1.01 * enough))
    with pytest.raises(UsageError, match=r"chain\[\] needs about"):
        plan_scenarios([scenario([case], None)], int(0.99 * enough))


def test_the_rule_follows_the_stages() -> None:
    """A method's stages are those of its stopping rule."""
    assert Method(stages=(6, 9)).rule.stages == (6, 9)
