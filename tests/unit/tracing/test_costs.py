"""What recording costs is measured in the process, without leaving a trace there."""

from __future__ import annotations

import mlx.core as mx

from placement_cli.tracing import costs
from placement_cli.tracing.block import tracing


def test_costs_are_times_of_a_call_and_an_operation() -> None:
    """Neither is below zero, and both come of calls that do nothing."""
    call_s, operation_s = costs.own_costs(mx)
    assert 0 <= operation_s < 1
    assert 0 <= call_s < 1


def test_the_middle_of_some_rounds_counts(monkeypatch) -> None:
    """Bare and hooked calls are measured in turn; one round that was disturbed alters nothing."""
    times = iter([0, 3000, 0, 6000, 0, 9_000_000, 100, 0, 0, 6000])
    monkeypatch.setattr(costs, "_round", lambda call, array: next(times))
    assert costs._each(costs.nothing, None) == 6000 / costs.CALLS / 1e9


def test_measuring_is_not_recorded_itself() -> None:
    """The record has the program's calls alone, and says what they cost."""
    with tracing() as block:
        mx.eval(mx.zeros(2) + 1)
    assert block.process is not None
    assert [point.count for point in block.process.points] == [1]
    assert block.process.cost.calls == 1
    assert block.process.cost.total_s > 0
