"""Paragraphs behind a mark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from placement_cli.render.hanging import Hanging, broken

Printed = Callable[..., str]


def test_further_lines_stand_under_the_first(printed: Printed) -> None:
    """A bullet's sentence is indented as a whole."""
    text = printed(Hanging(Text("one two three four five six"), Text("  - ")), 22)
    assert text == "  - one two three four\n    five six\n"


def test_a_column_of_marks_has_one_width(printed: Printed) -> None:
    """Names of different length are followed by text in one column; without a name there is only the text."""
    assert printed(Hanging(Text("what it is"), Text("name"), 8), 40) == "name    what it is\n"
    assert printed(Hanging(Text("more of it"), room=8), 40) == "        more of it\n"


def test_a_mark_that_leaves_no_room_has_its_own_line(printed: Printed) -> None:
    """In a narrow terminal a long name stands above its text."""
    text = printed(Hanging(Text("what it is"), Text("a-long-name  ")), 20)
    assert text == "a-long-name\n  what it is\n"


@pytest.mark.parametrize(
    "whole",
    ["1.20 ms", "12 MiB", "3 %", "1.40 times", "2 min", "[1.31, 1.49]", "[254 ns, 466 ns]", "5 µs"],
)
def test_quantities_and_intervals_are_not_torn(whole: str) -> None:
    """A number keeps its unit, an interval both its ends, wherever the line breaks."""
    for columns in range(len(whole), 30):
        lines = list(broken(f"it takes {whole} or so", columns))
        assert any(whole in line for line in lines)


def test_an_interval_that_does_not_fit_is_cut() -> None:
    """What is wider than the terminal is cut where it ends."""
    assert list(broken("[1.31, 1.49]", 5)) == ["[1.31", ", 1.4", "9]"]


@given(text=st.text(alphabet="ab 12ms[],漢.%", max_size=80), columns=st.integers(2, 40))
def test_nothing_is_lost_and_nothing_sticks_out(text: str, columns: int) -> None:
    """However narrow, every character but the blanks at the breaks is there, and no line is too wide."""
    lines = list(broken(text, columns))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= columns for line in lines)


def test_styles_are_kept(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> None:
    """Mark and text keep their own style over all lines."""
    console = make_console(24, terminal=True)
    console.print(Hanging(Text("one two three four five", style="red"), Text("x ", style="bold")))
    first, second = read_console(console).splitlines()
    assert first.startswith("\x1b[1mx \x1b[0m\x1b[31mone")
    assert second == "  \x1b[31mfive\x1b[0m"
