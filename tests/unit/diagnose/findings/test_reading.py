"""PL203: values read in the middle of a cycle."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import RawError


def cycle(recorded: Any, read: Any, other: Any, ops: int = 1000) -> dict[str, Any]:
    """A program that comes from one point to the other and back, building on both ways."""
    steps = (recorded.step(0, 1, ops=ops), recorded.step(1, 0))
    return {"points": (read, other), "steps": steps}


def test_a_read_before_the_end_of_the_cycle_is_hidden(recorded: Any, told: Any, shown: Any, numbers: Any) -> None:
    """It computes what was lazy and holds the host, before the rest is built."""
    read = recorded.point("item", 12, blocked_s=2.0)
    found = told(**cycle(recorded, read, recorded.point("async_eval", 20)))

    assert shown(found) == [("PL203", "warning", 12)]
    assert "held the host for 2.00 s (20.0 % of the run)" in found[0].says
    assert "evaluated by mx.async_eval at decode.py:20" in found[0].says
    assert numbers(found[0])["evaluated_calls"] == 100


@pytest.mark.parametrize(
    "changes",
    [{"pending_calls": 0}, {"count": 7, "blocked_s": 2.0}, {"blocked_s": 0.001}, {"first_at_s": 5.0}],
    ids=["it was scheduled before", "now and then", "no time", "it comes after the other point"],
)
def test_reads_that_cost_nothing_or_end_the_cycle_are_boundaries(recorded: Any, told: Any, changes: Any) -> None:
    """A pipelined read, a seldom one, a cheap one and one at the end."""
    read = recorded.point("item", 12, **({"blocked_s": 2.0} | changes))
    assert not told(**cycle(recorded, read, recorded.point("async_eval", 20)))


def test_a_first_read_that_computes_what_was_set_up_is_a_cold_start(recorded: Any, told: Any, shown: Any) -> None:
    """It happens once, and the others take no time."""
    read = recorded.point("item", 12, blocked_s=2.0, first_s=1.999)
    assert shown(told(**cycle(recorded, read, recorded.point("async_eval", 20)))) == [("PL405", "note", 12)]


def test_the_only_evaluation_of_a_cycle_is_its_boundary(recorded: Any, told: Any) -> None:
    """Whatever it takes: the values are needed there."""
    assert not told(points=(recorded.point("numpy", 12, blocked_s=6.0),), steps=(recorded.step(0, 0),))


@pytest.mark.parametrize(("ops", "codes"), [(0, []), (300, []), (400, ["PL203"])])
def test_reads_one_after_another_are_one_boundary(recorded: Any, told: Any, ops: int, codes: list[str]) -> None:
    """With no more built between them than a reading needs: below four operations each time."""
    read = recorded.point("item", 12, blocked_s=2.0)
    assert [each.code for each in told(**cycle(recorded, read, recorded.point("item", 13), ops))] == codes


def test_points_that_evaluate_nothing_are_passed(recorded: Any, told: Any) -> None:
    """A clear_cache between the read and the next evaluation is none of them."""
    points = (recorded.point("item", 12, blocked_s=2.0), recorded.point("memory", 14), recorded.point("eval", 20))
    steps = (recorded.step(0, 1, ops=0), recorded.step(1, 2), recorded.step(2, 0))
    assert [each.code for each in told(points=points, steps=steps)] == ["PL203"]


def test_a_share_of_the_waiting_is_enough_but_a_moment_is_a_note(recorded: Any, told: Any) -> None:
    """Where the program hardly waits at all, the read is worth knowing and no more."""
    read = recorded.point("item", 12, blocked_s=0.01)
    (found,) = told(**cycle(recorded, read, recorded.point("async_eval", 20, blocked_s=0.01)))
    assert (found.code, found.severity) == ("PL203", "note")


@pytest.mark.parametrize(
    "message",
    [
        "[eval] Attempting to eval an array during function transformations like compile or vmap is not allowed.",
        "[async_eval] Not allowed inside a graph transformation.",
    ],
)
def test_an_evaluation_inside_a_transformed_function_is_an_error(
    recorded: Any, told: Any, shown: Any, message: str
) -> None:
    """MLX refuses it, and the finding names the line."""
    error = RawError("eval", recorded.place(8), "MainThread", "ValueError", message, 1, 0.5)
    assert shown(told(exit_code=1, errors=(error,))) == [("PL203", "error", 8)]


def test_a_condition_that_each_pass_waits_for_is_a_note(recorded: Any, told: Any, shown: Any) -> None:
    """A solver that asks whether it has converged may have to; asking less often costs a few passes."""
    condition = recorded.point("bool", 12, blocked_s=6.0)
    found = told(points=(condition,), steps=(recorded.step(0, 0),))

    assert shown(found) == [("PL203", "note", 12)]
    assert "each pass waits for the condition before the next one is built" in found[0].says
    assert not told(points=(condition,), steps=(recorded.step(0, 0, ops=0),))


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("item", "Keep the decision at decode.py:12 on the device"),
        ("numpy", "Do at decode.py:12 with operations of MLX what is done with the values"),
        ("print", "Leave print out at decode.py:12"),
    ],
)
def test_the_fix_fits_the_way_of_reading(recorded: Any, told: Any, kind: str, advice: str) -> None:
    """What NumPy computes is no decision, and what is printed is neither."""
    read = recorded.point(kind, 12, blocked_s=2.0)
    (found,) = told(**cycle(recorded, read, recorded.point("async_eval", 20)))
    assert found.fix.startswith(advice)
