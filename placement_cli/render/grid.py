"""Rows and columns of text in exact widths: nothing is cut off, so what does not fit is laid out in another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

GAP = 2
"""Blank columns between two columns."""
RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"

Cells = Sequence[Text]
"""One row; a cell may hold several lines."""


def grid(headings: Cells, groups: Sequence[Sequence[Cells]]) -> list[Text]:
    """Return the lines of a table: headings, a rule, and the rows of each group; groups of several rows stand apart."""
    widths = column_widths([headings, *(row for group in groups for row in group)])
    lines = [*row_lines(headings, widths), rule(total_width(widths))]
    for number, group in enumerate(groups):
        if number and len(group) > 1:
            lines.append(Text())
        for row in group:
            lines += row_lines(row, widths)
    return lines


def rule(columns: int) -> Text:
    """Return a line across."""
    return Text(RULE * columns, style="dim")


def column_widths(rows: Sequence[Cells]) -> list[int]:
    """Return how wide each column must be for its widest line."""
    return [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]


def total_width(widths: Sequence[int]) -> int:
    """Return how wide columns of these widths are with the gaps between them."""
    return sum(widths) + GAP * (len(widths) - 1)


def row_lines(row: Cells, widths: Sequence[int]) -> Iterator[Text]:
    """Yield the lines of one row, as many as its tallest cell has."""
    columns = [cell.split("\n", allow_blank=True) for cell in row]
    for number in range(max(len(column) for column in columns)):
        parts = [column[number] if number < len(column) else Text() for column in columns]
        yield _joined(parts, widths)


def width(text: Text) -> int:
    """Return the columns that the widest line of `text` takes."""
    return max(line.cell_len for line in text.split("\n", allow_blank=True))


def _joined(parts: Cells, widths: Sequence[int]) -> Text:
    line = Text()
    for number, (part, wide) in enumerate(zip(parts, widths, strict=True)):
        line.append_text(part)
        if number < len(parts) - 1:
            line.append(" " * (wide - part.cell_len + GAP))
    line.rstrip()
    return line
