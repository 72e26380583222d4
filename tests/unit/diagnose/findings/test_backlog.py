"""PL101 from its end: one evaluation that computes what a long loop built."""

from __future__ import annotations

from typing import Any

import pytest


def last(recorded: Any, **fields: Any) -> Any:
    """The only evaluation of a loop of 20,000 steps."""
    return recorded.point("item", 30, **({"count": 1, "blocked_s": 4.0, "ops_before": 60_000} | fields))


def test_a_backlog_is_told_where_it_is_built(recorded: Any, told: Any, shown: Any) -> None:
    """With its size, and the line that computed it."""
    found = told(points=(last(recorded),), builds=(recorded.build(12, 40_000), recorded.build(13, 20_000)))

    assert shown(found) == [("PL101", "warning", 12)]
    assert "backlog of 60,000 operations was computed at decode.py:30, in 4.00 s (40.0 % of the run)" in found[0].says


def test_the_line_is_the_one_with_most_operations_together(recorded: Any, told: Any, shown: Any) -> None:
    """Each operation that is written on a line was counted by itself."""
    builds = (recorded.build(12, 24_000), recorded.build(13, 18_000), recorded.build(13, 18_000))
    assert shown(told(points=(last(recorded),), builds=builds)) == [("PL101", "warning", 13)]


def test_a_backlog_far_from_any_limit_is_a_note(recorded: Any, told: Any) -> None:
    """Leaving a short loop to its end is the fastest there is, unless the inputs of all steps are kept for it."""
    short = {"points": (last(recorded, ops_before=9000),), "builds": (recorded.build(12, 9000),)}

    assert [each.severity for each in told(**short)] == ["note"]
    assert [each.severity for each in told(**short, memory=recorded.memory([0, 40, 80, 1]))] == ["warning"]


@pytest.mark.parametrize(
    ("fields", "lines", "ops"),
    [
        ({"ops_before": 4000}, 1, 4000),
        ({"blocked_s": 0.01}, 1, 60_000),
        ({}, 300, 200),
        ({"count": 100, "ops_before": 100 * 6000}, 1, 50_000),
        ({"ops_before": 6000}, 1, 60_000),
    ],
    ids=["few", "quick", "a large model", "a step of a large model", "a part of what was built"],
)
def test_large_graphs_are_no_backlog(recorded: Any, told: Any, fields: Any, lines: int, ops: int) -> None:
    """What a model builds for one pass is what it takes."""
    builds = tuple(recorded.build(100 + line, ops) for line in range(lines))
    assert not told(points=(last(recorded, **fields),), builds=builds)
