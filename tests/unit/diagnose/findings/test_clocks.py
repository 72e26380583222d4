"""PL501 and PL502: clocks that measure something else."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import Place, RawInterval


def pairs(recorded: Any, **fields: Any) -> RawInterval:
    """Ten trials between lines 10 and 14 that built, submitted and waited."""
    values = {
        "place": recorded.place(10, function="bench"),
        "until_line": 14,
        "clock": "time.perf_counter",
        "thread": "MainThread",
        "count": 10,
        "elapsed_s": 1.0,
        "ops": 50,
        "submissions": 0,
        "waits": 10,
        "unfinished": 0,
        "excused": 0,
        "then_blocked_s": 0.0,
        "then": None,
    }
    return RawInterval(**(values | fields))


EARLY = {"waits": 0, "unfinished": 10, "elapsed_s": 50e-6, "then_blocked_s": 0.4}


def test_a_clock_stopped_before_the_work_is_early(recorded: Any, told: Any, shown: Any) -> None:
    """What it showed stands beside what the waits after it took."""
    found = told(intervals=(pairs(recorded, **EARLY, then=recorded.place(30)),))

    assert shown(found) == [("PL501", "warning", 10)]
    assert found[0].node == "bench"
    assert "showed 50.0 µs in 10 pairs of reads, with 50 operations built" in found[0].says
    assert "the longest at decode.py:30, took 400 ms in all" in found[0].says


@pytest.mark.parametrize(
    "changes",
    [
        {"excused": 9},
        {"unfinished": 5},
        {"then_blocked_s": 0.0009},
        {"elapsed_s": 0.3},
        {"ops": 0},
        {"until_line": 9},
    ],
    ids=["waited for later", "a half", "no wait to speak of", "most was measured", "nothing built", "between trials"],
)
def test_clocks_that_leave_nothing_out_are_right(recorded: Any, told: Any, changes: Any) -> None:
    """Submission timed on purpose, work that was done by then, and the way to the next trial."""
    assert not told(intervals=(pairs(recorded, **(EARLY | {"then": recorded.place(30)} | changes)),))


def test_work_that_nothing_ever_waits_for_was_not_measured(recorded: Any, told: Any) -> None:
    """The one-microsecond matrix product."""
    (found,) = told(intervals=(pairs(recorded, **(EARLY | {"then_blocked_s": 0.0})),))
    assert found.code == "PL501"
    assert "nothing waited for it later either" in found.says


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [("PL502", "warning", 11)]),
        ({"generated_calls": 200, "ops": 900}, [("PL502", "note", 11)]),
        ({"count": 1, "generated_calls": 2}, [("PL502", "note", 11)]),
        ({"ops": 20}, []),
        ({"until_line": 8}, []),
        ({"waits": 0}, []),
    ],
    ids=["each trial", "part of a loop inside", "one pair", "only the generator", "between trials", "not computed"],
)
def test_generators_inside_the_clock(recorded: Any, told: Any, shown: Any, changes: Any, expected: Any) -> None:
    """Inputs made anew in each trial are measured with the work."""
    inside = {"generated": (11, 12), "generated_calls": 20}
    assert shown(told(intervals=(pairs(recorded, **(inside | changes)),))) == expected


@pytest.mark.parametrize(
    ("lazy_before", "expected"),
    [(10, [("PL502", "warning", 6)]), (1, [("PL502", "note", 6)]), (0, [])],
)
def test_inputs_still_lazy_when_the_clock_starts(
    recorded: Any, told: Any, shown: Any, lazy_before: int, expected: Any
) -> None:
    """A warning where it is so in most trials, a note where the first one pays."""
    assert shown(told(intervals=(pairs(recorded, lazy_before=lazy_before, lazy_line=6),))) == expected


def test_a_clock_that_is_read_for_the_program_runs_at_one_line(recorded: Any, told: Any) -> None:
    """What timeit is given is where the wait belongs."""
    timed = Place("/app/decode.py", 10, "bench", "timeit")
    (found,) = told(intervals=(pairs(recorded, **EARLY, place=timed, until_line=10),))

    assert found.says.startswith("At line 10 time.perf_counter showed")
    assert found.fix == "Call mx.eval on the outputs in what timeit runs for line 10."
