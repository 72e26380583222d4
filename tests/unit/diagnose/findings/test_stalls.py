"""PL207, PL405, and PL901 for functions compiled anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placement_cli.tracing.raw import RawCompiled

SHORT, LONG = 10e-6, 30e-3


def submissions(recorded: Any, durations: tuple[float, ...]) -> Any:
    """A point of async_eval with these calls."""
    return recorded.point(
        "async_eval", 20, count=len(durations), durations_s=durations, first_s=durations[0], blocked_s=sum(durations)
    )


def test_submissions_that_block_are_a_stall(recorded: Any, told: Any, shown: Any, numbers: Any) -> None:
    """With how many there were, and how long they took in all."""
    found = told(points=(submissions(recorded, (SHORT,) * 40 + (LONG,) * 60),))

    assert shown(found) == [("PL207", "note", 20)]
    assert numbers(found[0])["stalls"] == 60
    assert numbers(found[0])["excess_s"] == pytest.approx(1.8, rel=0.01)


@pytest.mark.parametrize(
    "durations",
    [(SHORT,) * 100, (SHORT,) * 95 + (LONG,) * 5, (LONG,) * 100, (0.9, *(SHORT,) * 50, 0.9, 0.9), (SHORT,)],
    ids=["short", "a small share", "all alike", "two", "one"],
)
def test_submissions_alike_or_seldom_long_are_no_stall(recorded: Any, told: Any, durations: tuple[float, ...]) -> None:
    """A large graph takes long each time; a kernel is made ready once."""
    found = told(points=(submissions(recorded, durations),))
    assert "PL207" not in {each.code for each in found}


@pytest.mark.parametrize(
    ("first_s", "later_s", "codes"),
    [(0.3, 0.01, ["PL405"]), (0.3, 0.1, []), (0.019, 0.001, []), (0.022, 0.001, ["PL405"])],
)
def test_a_long_first_call_is_a_cold_start(
    recorded: Any, told: Any, first_s: float, later_s: float, codes: list[str]
) -> None:
    """Many times the later ones, and long enough to matter; a note."""
    point = recorded.point("eval", 20, first_s=first_s, durations_s=(first_s, *(later_s,) * 50))
    found = told(points=(point,))
    assert [each.code for each in found] == codes
    assert {each.severity for each in found} <= {"note"}


@pytest.mark.parametrize(("calls", "traces", "found"), [(20, 12, True), (20, 7, False), (100, 12, False)])
def test_a_function_traced_for_most_calls_is_no_placement_matter(
    recorded: Any, told: Any, calls: int, traces: int, found: bool
) -> None:
    """Eight shapes and more, in at least half of the calls."""
    compiled = RawCompiled("step", recorded.place(5), calls, traces)
    assert [(each.code, each.severity, each.line) for each in told(compiled=(compiled,))] == (
        [("PL901", "warning", 5)] if found else []
    )


def test_what_a_library_compiles_is_its_own_matter(recorded: Any, told: Any) -> None:
    """The program cannot change it."""
    place = replace(recorded.place(5), through="mlx.nn")
    assert not told(compiled=(RawCompiled("relu", place, 120, 120),))


def test_compiling_one_function_again_and_again_adds_up(recorded: Any, told: Any) -> None:
    """mx.compile in the loop: every result of it is called once."""
    once = RawCompiled("step", recorded.place(5), 1, 1)
    (found,) = told(compiled=(once,) * 30)
    assert "`step` was traced 30 times in 30 calls" in found.says
