"""Pairs of reads of a clock, and whether what lay between them was waited for."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.tracing.clocks import CLOCKED_AT_MOST, FRAMES_AT_MOST, UNFINISHED_AT_MOST, Clocks, Counters
from placement_cli.tracing.point import Point
from placement_cli.tracing.raw import Place, RawInterval

KNOWN = [Place("a.py", line, "main") for line in range(100)]
CALL, OTHER = 1, 2
"""Two calls of functions."""


@dataclass
class Program:
    """Does what a thread does, a nanosecond at a time; places are lines."""

    clocks: Clocks = field(default_factory=Clocks)
    at: int = 0
    ops: int = 0
    submissions: int = 0
    waits: int = 0

    def read(self, line: int, call: int = CALL) -> None:
        """Read the clock."""
        self.at += 1
        self.clocks.read(call, line, "perf_counter", Counters(self.at, self.ops, self.submissions, self.waits))

    def wait(self, line: int, blocked: int = 10) -> None:
        """Wait for values."""
        self.at += blocked
        self.waits += 1
        self.clocks.waited(line, blocked)

    def generate(self, line: int, call: int = CALL) -> None:
        """Make a random array."""
        self.ops += 1
        self.clocks.generated(call, line)

    def pairs(self) -> dict[tuple[int, int], RawInterval]:
        """Return the pairs that were seen by their lines."""
        return {(each.place.line, each.until_line): each for each in self.clocks.raw(KNOWN, "MainThread")}


def test_work_that_is_waited_for_inside_is_measured() -> None:
    """Nothing about it is unfinished."""
    program = Program()
    program.read(1)
    program.ops += 5
    program.wait(2)
    program.read(3)
    pair = program.pairs()[1, 3]
    assert (pair.count, pair.ops, pair.waits, pair.unfinished, pair.excused) == (1, 5, 1, 0, 0)
    assert pair.elapsed_s == 11e-9


def test_work_that_is_waited_for_later_is_not_measured() -> None:
    """The pair learns how long it missed, and where; the longest wait gives the line."""
    program = Program()
    for blocked, line in ((10, 7), (90, 8), (20, 9)):
        program.read(1)
        program.ops += 1
        program.read(2)
        program.wait(line, blocked)
        program.wait(50, 1000)
    pair = program.pairs()[1, 2]
    assert (pair.count, pair.unfinished, pair.excused) == (3, 3, 0)
    assert (pair.then_blocked_s, pair.then) == (120e-9, KNOWN[8])


def test_a_submission_is_work_too() -> None:
    """`async_eval` alone builds nothing."""
    program = Program()
    program.read(1)
    program.submissions += 1
    program.read(2)
    assert program.pairs()[1, 2].unfinished == 1


def test_reads_with_nothing_between_are_no_matter() -> None:
    """As in a loop that waits for its turn."""
    program = Program()
    program.read(1)
    program.read(2)
    assert program.pairs()[1, 2].unfinished == 0


def test_a_lap_is_excused_by_a_later_read_after_the_wait() -> None:
    """Build, submit and wait are measured apart, and together."""
    program = Program()
    program.read(1)
    program.ops += 1
    program.read(2)
    program.wait(3)
    program.read(4)
    assert (program.pairs()[1, 2].unfinished, program.pairs()[1, 2].excused) == (1, 1)


def test_the_next_round_excuses_nothing() -> None:
    """The wait lies outside of both measurements: the first line runs again after it."""
    program = Program()
    for _ in range(4):
        program.read(1)
        program.ops += 1
        program.read(2)
        program.wait(3)
    pair = program.pairs()[1, 2]
    assert (pair.unfinished, pair.excused) == (4, 0)


def test_calls_of_functions_do_not_mix() -> None:
    """A read in another call pairs with nothing of this one."""
    program = Program()
    program.read(1)
    program.read(5, OTHER)
    program.read(2)
    assert set(program.pairs()) == {(1, 2)}


def test_random_arrays_made_between_reads_are_listed() -> None:
    """Each line once, each call counted."""
    program = Program()
    program.read(1)
    for line in (3, 2, 3):
        program.generate(line)
    program.generate(40, OTHER)
    program.read(4)
    pair = program.pairs()[1, 4]
    assert (pair.generated, pair.generated_calls, pair.lazy_before) == ((2, 3), 3, 0)


def test_random_arrays_lazy_at_the_first_read_are_evaluated_inside() -> None:
    """The measurement begins with them; what was waited for before is no part of it."""
    program = Program()
    program.generate(1)
    program.read(2)
    program.wait(3)
    program.read(4)
    assert (program.pairs()[2, 4].lazy_before, program.pairs()[2, 4].lazy_line) == (1, 1)
    program.generate(5)
    program.wait(6)
    program.read(7)
    program.wait(8)
    program.read(9)
    assert program.pairs()[7, 9].lazy_before == 0


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.integers(0, 9), st.integers(0, 90)),
        st.tuples(st.just("build"), st.just(0), st.just(0)),
        st.tuples(st.just("wait"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("generate"), st.integers(0, 9), st.integers(0, 90)),
    ),
    max_size=300,
)


@given(steps=STEPS)
@settings(deadline=None, max_examples=60)
def test_whatever_a_program_does_pairs_add_up(steps: list[tuple[str, int, int]]) -> None:
    """Every read but the first of a call ends a pair, no more is excused than unfinished, and memory is bounded."""
    program, calls = Program(), []
    for kind, line, call in steps:
        if kind == "read":
            program.read(line, call)
            calls.append(call)
        elif kind == "build":
            program.ops += 1
        elif kind == "wait":
            program.wait(line)
        else:
            program.generate(line, call)
    pairs = program.pairs().values()
    if len(set(calls)) <= FRAMES_AT_MOST:
        assert sum(pair.count for pair in pairs) == len(calls) - len(set(calls))
    assert all(pair.excused <= pair.unfinished <= pair.count for pair in pairs)
    assert all(pair.then is not None or pair.then_blocked_s == 0 for pair in pairs)
    assert len(program.clocks.frames) <= FRAMES_AT_MOST
    assert len(program.clocks.unfinished) <= UNFINISHED_AT_MOST


def test_calls_are_timed_where_few_lie_between_two_reads() -> None:
    """A stretch of many calls is timed, not each of them; a call counts once, in the innermost pair."""
    program, timed, passed = (
        Program(),
        Point(0, "eval", "mx.eval", 3, "", "", 0),
        Point(1, "eval", "mx.eval", 9, "", "", 0),
    )
    program.read(1)
    for _ in range(3):
        program.read(2, OTHER)
        program.clocks.called(timed)
        program.read(4, OTHER)
    for _ in range(CLOCKED_AT_MOST + 1):
        program.clocks.called(passed)
    program.read(6)
    assert (timed.clocked, passed.clocked) == (3, 0)
