"""About how long a run takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placement_cli.bench.duration import ScenarioDuration, budget_shares, estimate_duration, message_s
from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.measure.specs import Case, Reading

MakeCase = Callable[..., Case]
MakePlan = Callable[..., ScenarioPlan]


@pytest.mark.parametrize("reading", list(Reading))
def test_every_reading_takes_some_time(reading: Reading, make_case: MakeCase, make_plan: MakePlan) -> None:
    """The first stage takes some time, all stages take in proportion to their blocks."""
    found = estimate_duration(make_plan(make_case(reading=reading)), Method())
    assert found.least_s > 0
    assert found.most_s == pytest.approx(found.least_s * 20 / 6)
    assert (found.name, found.cases, found.workers) == ("chain", 1, 3)


def test_a_control_is_one_more_process(make_case: MakeCase, make_plan: MakePlan) -> None:
    """Without the control there is one process less, and less time."""
    with_one, without = (
        estimate_duration(make_plan(make_case(), control=control), Method()) for control in (True, False)
    )
    assert (with_one.workers, without.workers) == (3, 2)
    assert with_one.least_s > without.least_s


def test_a_quick_run_takes_its_one_stage(make_case: MakeCase, make_plan: MakePlan) -> None:
    """With one stage the least is the most."""
    found = estimate_duration(make_plan(make_case()), Method(stages=(6,)))
    assert found.least_s == found.most_s


def test_host_work_counts(make_case: MakeCase) -> None:
    """A message with 6 ms of host work takes 6 ms more."""
    bare, busy = make_case(), make_case(host={"kind": "sleep", "length_ms": 6.0})
    assert message_s(busy) - message_s(bare) == pytest.approx(6e-3, rel=0.01)


def test_more_ops_take_longer(make_case: MakeCase) -> None:
    """A longer chain takes more time a message."""
    assert message_s(make_case(ops=10)) > message_s(make_case(ops=1))


@given(least=st.lists(st.floats(0.1, 1e4), min_size=1, max_size=10), budget=st.floats(1, 1e5))
def test_shares_of_what_is_left_use_up_the_budget(least: list[float], budget: float) -> None:
    """Each scenario that takes its share of what is left gets its part of the whole, the last one the rest."""
    shares = budget_shares([ScenarioDuration("s", 1, 1, seconds, seconds) for seconds in least])
    left, parts = budget, []
    for share in shares:
        parts.append(share * left)
        left -= share * left
    assert left == pytest.approx(0.0, abs=1e-6 * budget)
    assert parts == pytest.approx([budget * seconds / sum(least) for seconds in least], rel=1e-6)


def test_no_scenarios_have_no_shares() -> None:
    """Nothing is shared among none."""
    assert budget_shares([]) == []
