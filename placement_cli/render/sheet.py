"""A table of cases and arms in whichever layout fits the width: side by side, case by case, or line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from placement_cli.render.grid import Cells, column_widths, grid, row_lines, rule, total_width, width
from placement_cli.render.hanging import broken

INDENT = "  "
AGAINST = ("against base", "verdict")


@dataclass(frozen=True, slots=True)
class Row:
    """One arm: a cell for each heading, and how it compares with the base: ratio and verdict, or nothing."""

    cells: tuple[Text, ...]
    against: tuple[Text, Text] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One case: the values of its parameters, and its arms."""

    where: tuple[Text, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: names of parameters, headings of the arms' cells, and the cases."""

    keys: tuple[Text, ...]
    headings: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def compares(self) -> bool:
        """Whether any arm is compared with a base."""
        return any(row.against for group in self.groups for row in group.rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the first layout that fits."""
        yield from fit(self, options.max_width)


def fit(sheet: Sheet, columns: int) -> list[Text]:
    """Return the lines of `sheet` in the first layout that is at most `columns` wide.

    Side by side; case by case under one head; the same with each comparison on a line of its own; and where all of
    these are too wide, every quantity with its name, folded.
    """
    for layout in (_side_by_side, _case_by_case, _comparison_below):
        lines = layout(sheet)
        if fits(lines, columns):
            return lines
    return list(_line_by_line(sheet, columns))


def fits(lines: Iterable[Text], columns: int) -> bool:
    """Tell whether no line is wider than `columns`."""
    return all(width(line) <= columns for line in lines)


def _side_by_side(sheet: Sheet) -> list[Text]:
    headings = (*sheet.keys, *_headings(sheet))
    groups: list[list[Cells]] = []
    for group in sheet.groups:
        blank = (Text(),) * len(group.where)
        named = [blank if number else group.where for number in range(len(group.rows))]
        groups.append([(*where, *_cells(sheet, row)) for where, row in zip(named, group.rows, strict=True)])
    return grid(headings, groups)


def _case_by_case(sheet: Sheet) -> list[Text]:
    rows = [[(_cells(sheet, row), Text()) for row in group.rows] for group in sheet.groups]
    return _stacked(sheet, _headings(sheet), rows)


def _comparison_below(sheet: Sheet) -> list[Text]:
    headings = [Text(heading) for heading in sheet.headings]
    return _stacked(sheet, headings, [[(row.cells, _comparison(row)) for row in group.rows] for group in sheet.groups])


def _stacked(sheet: Sheet, headings: Cells, groups: Sequence[Sequence[tuple[Cells, Text]]]) -> list[Text]:
    """Return one head, and below it each case: its name, and its rows with what stands below each."""
    widths = column_widths([headings, *(cells for group in groups for cells, _ in group)])
    indent = INDENT if sheet.keys else ""
    lines = [*_behind(indent, row_lines(headings, widths)), rule(len(indent) + total_width(widths))]
    for group, rows in zip(sheet.groups, groups, strict=True):
        lines += _named(sheet, group)
        for cells, below in rows:
            lines += _behind(indent, row_lines(cells, widths))
            lines += _behind(indent + INDENT, [below] if below else [])
    return lines


def _behind(indent: str, lines: Iterable[Text]) -> list[Text]:
    return [Text(indent) + line for line in lines]


def _line_by_line(sheet: Sheet, columns: int) -> Iterator[Text]:
    for group in sheet.groups:
        for line in _named(sheet, group):
            yield from _folded(line, "", columns)
        for row in group.rows:
            yield from _folded(row.cells[0], INDENT, columns)
            named = zip(sheet.headings[1:], row.cells[1:], strict=True)
            pairs = [Text(f"{heading} ") + cell for heading, cell in named if cell]
            yield from _packed(pairs, 2 * INDENT, columns)
            yield from _packed([part for part in row.against or () if part], 2 * INDENT, columns)


def _headings(sheet: Sheet) -> list[Text]:
    return [Text(heading) for heading in (*sheet.headings, *(AGAINST if sheet.compares else ()))]


def _cells(sheet: Sheet, row: Row) -> tuple[Text, ...]:
    return (*row.cells, *(row.against or (Text(), Text()))) if sheet.compares else row.cells


def _comparison(row: Row) -> Text:
    return Text("  ").join(filter(None, row.against or ()))


def _named(sheet: Sheet, group: Group) -> list[Text]:
    """Return the line that names a case, none where there is nothing to name it by."""
    parts = [key + Text(" ") + value for key, value in zip(sheet.keys, group.where, strict=True)]
    return [Text("  ").join(parts)] if parts else []


def _packed(parts: Sequence[Text], indent: str, columns: int) -> Iterator[Text]:
    """Yield lines with as many of `parts` as fit on each."""
    line = Text()
    for part in parts:
        if line and len(indent) + line.cell_len + 2 + part.cell_len > columns:
            yield from _folded(line, indent, columns)
            line = Text()
        line = line + Text("  ") + part if line else part
    if line:
        yield from _folded(line, indent, columns)


def _folded(line: Text, indent: str, columns: int) -> Iterator[Text]:
    """Yield `line` behind `indent`, broken between words where it is too wide."""
    room = max(2, columns - len(indent))
    if line.cell_len <= room:
        yield Text(indent) + line
        return
    yield from (Text(indent + piece, style=line.style) for piece in broken(line.plain, room))
