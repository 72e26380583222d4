"""The source of a program tells what is subtracted, and where things grow and are assigned."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.diagnose.program.source import LONGEST, Source, parsed


def source(text: str) -> Source:
    """Return the parsed source of a text whose first line is line 1."""
    found = parsed(dedent(text).lstrip("\n"))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "opened", "closed"),
    [
        ("t = clock()\nwork()\nprint(clock() - t)\n", 1, 3),
        ("t = clock()\nwork()\nend = clock()\nprint(end - t)\n", 1, 3),
        ("t = clock()\nwork()\nend = clock()\ntook = round((end - t) * 1e3, 2)\n", 1, 3),
        ("self.t = clock()\nwork()\nself.took = clock() - self.t\n", 1, 3),
        ("times[0] = clock()\ntimes[1] = clock()\nd = times[1] - times[0]\n", 1, 2),
        ("a, b = clock(), 0\nwork()\nd = clock() - a\n", 1, 3),
        ("a, *rest = clock(), 0\nd = clock() - a\n", 1, 2),
        ("t: float = clock()\nd = clock() - t\n", 1, 2),
        ("if (t := clock()) > 0:\n    d = clock() - t\n", 1, 2),
        ("t = (\n    clock()\n)\nd = (\n    clock()\n    - t\n)\n", 2, 5),
    ],
)
def test_a_difference_of_two_reads_is_a_measurement(text: str, opened: int, closed: int) -> None:
    """Whether the second is kept or subtracted from at once, and wherever that is."""
    assert source(text).subtracts(opened, closed)


@pytest.mark.parametrize(
    ("text", "opened", "closed"),
    [
        ("t = clock()\nwork()\nprint(clock())\n", 1, 3),
        ("t = clock()\nwork()\nu = clock()\nprint(u, t)\n", 1, 3),
        ("t = clock()\nu = clock()\nd = t - u\n", 1, 2),
        ("clock()\nwork()\nd = clock() - t\n", 1, 3),
        ("return_clock = lambda: clock()\n", 1, 1),
        ("t = clock()\nu = clock()\nd = u - 3\n", 1, 2),
    ],
)
def test_reads_that_nobody_subtracts_are_none(text: str, opened: int, closed: int) -> None:
    """What lies between them was not measured."""
    assert not source(text).subtracts(opened, closed)


def test_laps_are_told_from_what_lies_between_them() -> None:
    """The end of one round and the start of the next are never subtracted."""
    text = source("""
        while True:
            start = clock()
            work()
            end = clock()
            print(end - start)
    """)
    assert text.subtracts(2, 4)
    assert not text.subtracts(4, 2)


GROWING = """
class Node:
    def step(self, x):
        self.outputs.append(x)
        self.table[x] = x
        kept = []
        kept += [x]
        self.parts[0].seen.add(x)
        self.last = x
        other.update(x)
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("self.outputs", 3),
        ("node.outputs", 3),
        ("outputs", 3),
        ("self.table", 4),
        ("kept", 6),
        ("self.parts[0].seen", 7),
        ("other", 9),
        ("nodes[0].outputs", 3),
        ("self.last", None),
        ("absent", None),
    ],
)
def test_a_container_grows_where_something_is_added(name: str, line: int | None) -> None:
    """By a method, a key or `+=`; known by the last part of its name."""
    assert source(GROWING).growing_line(name, 1) == line


def test_of_several_lines_the_nearest_counts() -> None:
    """For growing and for assigning, of two as near the later."""
    text = source("""
        kept.append(1)
        mean = 0
        for x in data:
            mean = mean + x
            kept.append(x)
        mean = 1
    """)
    assert [text.growing_line("kept", near) for near in (1, 5)] == [1, 5]
    assert [text.assigned_line("mean", near) for near in (1, 4, 5, 9)] == [2, 4, 6, 6]


@pytest.mark.parametrize(
    ("name", "line"),
    [("a", 1), ("b", 1), ("self.c", 2), ("node.c", 2), ("d", 3), ("rows[2]", 4), ("e", 5), ("f", None), ("g", 7)],
)
def test_a_variable_is_assigned_where_it_is_a_target(name: str, line: int | None) -> None:
    """Also among several, as a field, with a type, by its index, or changed in place."""
    text = source("a, b = 1, 2\nself.c = 3\nd: int = 4\nrows[0] = 5\ne += 6\nprint(f)\nh, (i, *g) = 8\n")
    assert text.assigned_line(name, 1) == line


@pytest.mark.parametrize("text", ["def", "a = (", "\0", "x = " + "(" * 3000, "x" * (LONGEST + 1)])
def test_what_cannot_be_parsed_is_no_source(text: str) -> None:
    """Nor is what is too long to be written by a person."""
    assert parsed(text) is None


NAMES = st.sampled_from(["t", "self.t", "end", "rows[0]", "mean", ""])
LINES = st.sampled_from(
    [
        *("t = clock()", "self.t = clock()", "end = clock()", "d = end - t", "d = clock() - self.t", "d = -t"),
        *("kept.append(t)", "mean += t", "rows[0], *mean = t", "(t := clock())", "for t in rows: mean = t", "del t"),
        *("if t:\n    end = t - end\nelse:\n    pass", "lambda: (t - end)", "match t:\n    case [mean]: t = mean"),
    ]
)


@given(lines=st.lists(LINES, max_size=12), name=NAMES, first=st.integers(-2, 30), second=st.integers(-2, 30))
@settings(deadline=None)
def test_any_source_has_an_answer(lines: list[str], name: str, first: int, second: int) -> None:
    """Lines are lines of the file; there is no measurement without a difference."""
    text = "\n".join(lines)
    found = parsed(text)
    assert found is not None
    known = {None, *range(1, text.count("\n") + 2)}
    assert {found.growing_line(name, first), found.assigned_line(name, second)} <= known
    differences = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Sub)]
    assert not found.subtracts(first, second) or differences
