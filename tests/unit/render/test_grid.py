"""Rows and columns in exact widths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from placement_cli.render.grid import GAP, RULE, column_widths, grid, total_width, width

WORDS = st.text(alphabet="ab µ漢é\n", max_size=12)


def texts(*cells: str) -> list[Text]:
    """Cells of a row."""
    return [Text(cell) for cell in cells]


def plain_lines(lines: list[Text]) -> list[str]:
    """Lines without styles."""
    return [line.plain for line in lines]


def test_columns_stand_under_their_headings() -> None:
    """Each column begins where its heading does, two blanks after the widest cell before it."""
    lines = grid(texts("a", "heading", "c"), [[texts("long one", "x", "1")], [texts("y", "zz", "22")]])
    assert plain_lines(lines) == [
        "a         heading  c",
        RULE * 21,
        "long one  x        1",
        "y         zz       22",
    ]


def test_cells_may_hold_several_lines() -> None:
    """A row is as tall as its tallest cell."""
    lines = grid(texts("a", "b"), [[texts("1", "x\ny")]])
    assert plain_lines(lines)[2:] == ["1  x", "   y"]


def test_groups_of_several_rows_stand_apart() -> None:
    """A blank line divides cases with several arms, none divides single rows."""
    apart = grid(texts("a"), [[texts("1"), texts("2")], [texts("3"), texts("4")]])
    close = grid(texts("a"), [[texts("1")], [texts("3")]])
    assert plain_lines(apart)[2:] == ["1", "2", "", "3", "4"]
    assert plain_lines(close)[2:] == ["1", "3"]


def test_wide_characters_take_two_columns() -> None:
    """Columns are counted as the terminal does, not in characters."""
    lines = grid(texts("a", "b"), [[texts("漢字", "x")]])
    assert plain_lines(lines) == ["a     b", RULE * 7, "漢字  x"]


@given(rows=st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=4))
def test_no_line_is_wider_than_the_columns(rows: list[list[str]]) -> None:
    """The widths of the columns and the gaps bound every line, and no line ends in a blank."""
    cells = [texts(*row) for row in rows]
    whole = total_width(column_widths(cells))
    lines = grid(cells[0], [[row] for row in cells[1:]])
    assert whole == sum(column_widths(cells)) + 2 * GAP
    assert all(cell_len(line.plain) <= whole for line in lines)
    assert not any(line.plain.endswith(" ") for line in lines)


def test_the_width_of_a_cell_is_that_of_its_widest_line() -> None:
    """An empty cell has none."""
    assert [width(Text(cell)) for cell in ("", "abc", "a\nabcd\n")] == [0, 3, 4]
