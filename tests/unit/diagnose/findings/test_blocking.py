"""PL204 and PL206: waits that overlap could save, and evaluations one by one."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import RawCost


def loop(recorded: Any, *, host_s: float = 4.0, **fields: Any) -> dict[str, Any]:
    """A program that loads something for two seconds, and whose eval then waits 3 of 9, with 4 of host work between.

    `host_s` are the seconds of host work, `fields` those of the point.
    """
    usual = {"blocked_s": 3.001, "host_before_s": 2.0 + host_s}
    point = recorded.point("eval", 20, **(usual | fields))
    steps = (recorded.step(-1, 0, count=1, host_s=2.0), recorded.step(0, 0, count=99, host_s=host_s))
    return {"points": (point,), "steps": steps}


def test_a_wait_that_overlap_could_save_is_blocking(recorded: Any, told: Any, shown: Any, numbers: Any) -> None:
    """The shorter of waiting and host work is what could be saved."""
    found = told(**loop(recorded))

    assert shown(found) == [("PL204", "warning", 20)]
    assert numbers(found[0])["saved_s"] == pytest.approx(3.0)
    assert "waited 3.00 s after the first, and the host worked 4.00 s" in found[0].says
    assert "33.8 % of the cycle" in found[0].says


@pytest.mark.parametrize(
    "changes",
    [
        {"count": 7, "blocked_s": 3.0},
        {"host_s": 1.0},
        {"host_busy": 0.2},
        {"blocked_s": 0.015, "host_s": 0.015, "last_at_s": 0.12},
        {"clocked_calls": 90},
        {"pending_calls": 0},
        {"zero_size_calls": 90},
    ],
    ids=[
        "few calls",
        "little to overlap with but what came before the loop",
        "a source that sets the pace",
        "no time",
        "measured on purpose",
        "a window",
        "empty messages",
    ],
)
def test_waits_with_nothing_to_save_are_left(recorded: Any, told: Any, changes: Any) -> None:
    """And those that measure, and those that wait for the message before."""
    assert not told(**loop(recorded, **changes))


def test_a_first_call_that_loads_kernels_is_no_wait_of_the_loop(recorded: Any, told: Any, shown: Any) -> None:
    """It is a cold start, which happens once."""
    assert shown(told(**loop(recorded, first_s=2.8))) == [("PL405", "note", 20)]


def test_values_read_at_once_cost_a_message_of_delay(recorded: Any, told: Any, shown: Any) -> None:
    """That is a decision, so it is a note."""
    points = (*loop(recorded)["points"], recorded.point("numpy", 21, pending_calls=0))
    steps = (recorded.step(0, 1, ops=0, same=100), recorded.step(1, 0, host_s=4.0))
    found = told(points=points, steps=steps)

    assert shown(found) == [("PL204", "note", 20)]
    assert "numpy.asarray at decode.py:21" in found[0].says


@pytest.mark.parametrize(
    ("changes", "severity"),
    [({}, "note"), ({"count": 7}, "warning"), ({"first_at_s": 9.1, "last_at_s": 9.9}, "warning")],
    ids=["all the while", "hardly ever", "later"],
)
def test_a_wait_in_which_other_threads_work_is_a_note(
    recorded: Any, told: Any, shown: Any, changes: Any, severity: str
) -> None:
    """A loader that waits for its batches does not keep the program from its work."""
    program = loop(recorded)
    other = recorded.point("async_eval", 30, thread="worker", **changes)
    found = told(points=(*program["points"], other), steps=program["steps"])

    assert shown(found) == [("PL204", severity, 20)]
    assert ("`worker` evaluated in the same time" in found[0].says) == (severity == "note")


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


def test_what_tracing_took_is_no_host_work(recorded: Any, told: Any) -> None:
    """Operations of a few microseconds take noticeably longer when they are counted."""
    slow = RawCost(call_s=0.01, op_s=0.0021, calls=100, ops=1000, looks_s=0.0, samples_s=0.0)
    assert told(**loop(recorded))
    assert not told(**loop(recorded), cost=slow)
