"""PL204 and PL206: waits that overlap could save, and evaluations one by one."""

from __future__ import annotations

from typing import Any

import pytest


def waiting(recorded: Any, **fields: Any) -> Any:
    """An eval in a loop that waits 3 of 9 seconds, with 4 of host work between."""
    return recorded.point("eval", 20, **({"blocked_s": 3.0, "host_before_s": 4.0} | fields))


def test_a_wait_that_overlap_could_save_is_blocking(recorded: Any, told: Any, shown: Any, numbers: Any) -> None:
    """The shorter of waiting and host work is what could be saved."""
    found = told(points=(waiting(recorded),))

    assert shown(found) == [("PL204", "warning", 20)]
    assert numbers(found[0])["saved_s"] == 3.0
    assert "33.8 % of the cycle" in found[0].says


@pytest.mark.parametrize(
    "changes",
    [
        {"count": 7, "blocked_s": 3.0},
        {"host_before_s": 1.0},
        {"blocked_s": 0.015, "host_before_s": 0.015, "last_at_s": 0.12},
        {"clocked_calls": 90},
        {"pending_calls": 0},
        {"zero_size_calls": 90},
    ],
    ids=["few calls", "little to overlap with", "no time", "measured on purpose", "a window", "empty messages"],
)
def test_waits_with_nothing_to_save_are_left(recorded: Any, told: Any, changes: Any) -> None:
    """And those that measure, and those that wait for the message before."""
    assert not told(points=(waiting(recorded, **changes),))


def test_values_read_at_once_cost_a_message_of_delay(recorded: Any, told: Any, shown: Any) -> None:
    """That is a decision, so it is a note."""
    points = (waiting(recorded), recorded.point("numpy", 21, pending_calls=0))
    found = told(points=points, steps=(recorded.step(0, 1, ops=0, same=100), recorded.step(1, 0)))

    assert shown(found) == [("PL204", "note", 20)]
    assert "numpy.asarray at decode.py:21" in found[0].says


@pytest.mark.parametrize(("count", "blocked_s", "severity"), [(100, 8.0, "warning"), (100, 0.5, "note")])
def test_a_blocked_asyncio_loop_is_told(
    recorded: Any, told: Any, shown: Any, count: int, blocked_s: float, severity: str
) -> None:
    """A warning where every call blocks it, a note where one did."""
    point = recorded.point("item", 20, count=count, blocked_s=blocked_s, longest_s=0.2, loop_blocked_s=0.2)
    found = told(points=(point,))

    assert shown(found) == [("PL204", severity, 20)]
    assert "await asyncio.to_thread(mx.eval, x)" in found[0].fix


def test_a_short_wait_in_an_asyncio_loop_is_none(recorded: Any, told: Any) -> None:
    """Below 50 ms nobody notices."""
    assert not told(points=(recorded.point("item", 20, loop_blocked_s=0.049),))


@pytest.mark.parametrize(
    ("changes", "codes"),
    [({"ops": 0}, ["PL206"]), ({"ops": 1}, []), ({"ops": 0, "count": 7}, []), ({"ops": 0, "same": 100}, [])],
)
def test_evaluations_one_by_one_are_a_note(recorded: Any, told: Any, changes: Any, codes: list[str]) -> None:
    """Many times, with nothing built between them, and not of the same array."""
    found = told(points=(recorded.point("eval", 20),), steps=(recorded.step(0, 0, **changes),))
    assert [each.code for each in found] == codes
    assert {each.severity for each in found} <= {"note"}
