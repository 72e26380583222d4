"""PL101 and PL102: operations that pile up behind a variable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placement_cli.tracing.raw import LazySample

RISING = (200, 400, 600, 800, 1000, 1200)


def test_what_nothing_evaluates_is_growth(recorded: Any, told: Any, shown: Any) -> None:
    """The finding names the variable, the line that builds it, and when Metal has no more buffers."""
    found = told(lazy=(recorded.lazy(RISING),))

    assert shown(found) == [("PL101", "warning", 12)]
    assert found[0].node == "mean"
    assert "`mean` had 200 operations pending at the first of 6 looks and 1,200 at the last" in found[0].says
    assert "499,000 that Metal allows are used up after 41 min 29 s more" in found[0].says
    assert "mx.async_eval(mean)" in found[0].next_check


def test_what_evaluations_do_not_reach_is_side_state(recorded: Any, told: Any, shown: Any) -> None:
    """The evaluation that is there is named in the fix, and the rate is one of evaluations."""
    found = told(
        lazy=(recorded.lazy(RISING, evaluations=50),),
        points=(recorded.point("eval", 20),),
    )

    assert shown(found) == [("PL102", "warning", 12)]
    assert "250 evaluations ran in that time, and none computed it" in found[0].says
    assert "after 124,450 more evaluations" in found[0].says
    assert "Pass `mean` to mx.eval at decode.py:20" in found[0].fix


@pytest.mark.parametrize(
    "ops",
    [
        (40, 80, 20, 60, 100, 30, 400),
        (300, 300, 300, 300, 300),
        (200, 400, 600),
        (1000, 1100, 1200, 1300),
        (10, 20, 30, 40),
        (0, 0, 0, 0, 0, 200, 400, 600, 800, 0, 0),
    ],
    ids=["sawtooth", "constant", "too few looks", "not much more", "small", "a short while"],
)
def test_what_is_bounded_is_no_growth(recorded: Any, told: Any, ops: tuple[int, ...]) -> None:
    """It fell, stayed, was not seen often enough, or is no more than a message may have."""
    assert not told(lazy=(recorded.lazy(ops),))


def test_uneven_growth_beside_evaluations_is_chance(recorded: Any, told: Any) -> None:
    """What is evaluated every thousand messages and looked at in between can rise four times running."""
    assert not told(lazy=(recorded.lazy((20, 30, 900, 1000), evaluations=50),))


def test_first_looks_may_be_uneven(recorded: Any, told: Any) -> None:
    """They come so fast that little happens between them."""
    (found,) = told(lazy=(recorded.lazy((2, 2, 100, 200, 300, 400, 500, 600, 700), evaluations=50),))
    assert found.code == "PL102"


def test_growth_that_one_evaluation_ends_is_told_with_it(recorded: Any, told: Any, shown: Any) -> None:
    """A loop that only its last line reads: one finding, with the place that paid."""
    found = told(
        lazy=(recorded.lazy((*RISING, 0)),),
        points=(recorded.point("item", 30, count=1, blocked_s=3.0, ops_before=60_000),),
        builds=(recorded.build(12, 60_000),),
    )

    assert shown(found) == [("PL101", "warning", 12)]
    assert "The backlog was computed at decode.py:30 in the end, in 3.00 s." in found[0].says


def test_small_growth_is_a_note_unless_memory_goes_with_it(recorded: Any, told: Any) -> None:
    """Hundreds of pending operations are little; the arrays that they keep need not be."""
    small = (recorded.lazy((50, 100, 150, 200, 250)),)

    assert [each.severity for each in told(lazy=small)] == ["note"]
    (found,) = told(lazy=small, memory=recorded.memory([10, 20, 30, 40, 50, 60]))
    assert found.severity == "warning"
    assert "Active memory rose by 40.0 MiB meanwhile" in found.says


def test_variables_of_one_function_are_one_finding(recorded: Any, told: Any, numbers: Any) -> None:
    """The line is that of the variable that the others are made from."""
    out = recorded.lazy(tuple(ops + 1 for ops in RISING), name="out", line=14)
    found = told(lazy=(out, recorded.lazy(RISING, name="state"), recorded.lazy(RISING, line=80, function="other")))

    assert sorted(each.line for each in found) == [12, 12 + 68]
    (state,) = (each for each in found if each.line == 12)
    assert state.node == "state"
    assert "The same holds for `out`" in state.says
    assert numbers(state)["variables"] == 2


def test_growth_behind_an_evaluation_of_nothing_is_left_to_that(recorded: Any, told: Any) -> None:
    """The cause is the call that receives an object MLX does not look into."""
    (found,) = told(
        lazy=(recorded.lazy(RISING, evaluations=50),),
        points=(recorded.point("eval", 20, empty_calls=100, receivers=("State(mean, n)",)),),
    )
    assert found.code == "PL503"
    assert "`mean` grew to 1,200 pending operations" in found.says


def test_what_grows_too_fast_to_be_counted_often_is_growth(recorded: Any, told: Any, shown: Any) -> None:
    """Two counts say how much; looks right after evaluations say that none of those computes it."""
    fast = replace(recorded.lazy((120, 3000), evaluations=290), after=9, last_at_s=8.0, last_evaluations=2000)
    evaluating = (recorded.point("eval", 20),)

    assert shown(told(lazy=(fast,), points=evaluating)) == [("PL102", "warning", 12)]
    assert not told(lazy=(replace(fast, after=3),), points=evaluating)


def test_what_was_evaluated_and_is_lazy_again_does_not_grow(recorded: Any, told: Any) -> None:
    """A sum that is read every thousand steps, however long it was left before that."""
    rising = recorded.lazy(RISING, evaluations=50)
    looks = (*rising.looks, LazySample(8.0, 400, 0))

    assert not told(lazy=(replace(rising, looks=looks, last_at_s=9.0, last_evaluations=450),))
    assert told(lazy=(replace(rising, looks=looks, last_at_s=6.0, last_evaluations=250),))
